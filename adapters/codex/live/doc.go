// Package live offers a message to a Codex thread that the user's own background server holds loaded.
//
// A plain interactive Codex runs its threads in one server per CODEX_HOME, which listens on a control
// socket: JSON-RPC in WebSocket frames. Bind finds the thread of a hook there and compares its directory;
// Offer looks whether the message was put there before, adds it to the thread's queue, and looks again
// whether the thread is still loaded, because the queue of a thread that is not would be replayed when its
// user comes back. Nothing else is ever asked of the server: no thread or turn is started, steered,
// resumed or interrupted. Threads that run in their own process (codex exec, --no-daemon, most launch
// options) are not there, and their messages wait for a turn.
//
// A terminal that quit leaves its thread loaded for about a minute: a message accepted then was offered to
// a session that nobody watches, and no more than that is recorded.
//
// Observed with Codex 0.171.0 on Linux. The WebSocket client is the package's own, so that a hook links no
// HTTP. Start reading at daemon.go.
package live
