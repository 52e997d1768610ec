// Package demo plays the main job of acc before the eyes of whoever runs it: two sessions of one
// repository coordinate through a real store.
//
// Nothing is imitated but the client itself, whose captured payloads (payloads/, with directory, session
// id and prompt put in) are fed to the executable acc-hook. Every step is a process of its own, and
// what the sessions know of themselves they read from what acc-hook printed, as a model would.
//
// stage.go prepares the room and the executables, process.go runs them, client.go is the client's side
// of the hook, story.go is what happens. The first thing that is not as it should be ends the demo
// with an error.
package demo
