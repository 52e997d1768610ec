// Package projection writes what a model reads before its turn: the owner header, who else is in the
// room, what is owed, and the bodies of queued messages in a frame that says whose words they are.
//
// Peer text is untrusted. It may try to end its frame, to imitate acc's own lines or the client's, or
// to hide characters; escape.go makes that impossible and frame_test.go is the proof. A body is carried
// whole or not at all, within a budget of bytes, and the ids of what was carried come from the messages
// themselves, never from the text. Start reading at Project.
package projection
