// Package launch lets an executable of acc into the managed runtime of its data home, as the first thing that it
// does: it takes the lock that says that its generation is in use, or puts the executable of the right
// generation in its place.
//
// The main function of an executable calls Enter, once, before anything that opens a room:
//
//	launch.Enter("acc-indicator", launch.Indicator)
//
// acc-hook gives a Residence to the hook runner instead, which asks it once it has read its payload and knows the
// session; acc asks Admit, because some of its commands manage the runtime and must not wait for it.
//
// Where nothing is managed, an executable runs as it is. It is linked into every hook, so it does little: about
// fifteen system calls under one lock that nobody holds for long. internal/runtime writes what it reads.
package launch
