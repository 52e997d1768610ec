package certification

// Capability is one thing that a client may be able to do for acc: a group and a name.
type Capability string

// The capabilities. The list is closed.
const (
	SessionStart   Capability = "lifecycle.sessionStart"  // a conversation attaches by itself
	SessionResume  Capability = "lifecycle.sessionResume" // a resumed conversation is the same session
	SessionEnd     Capability = "lifecycle.sessionEnd"    // an end is said, at least where a person ends it
	Heartbeat      Capability = "lifecycle.heartbeat"     // a sign of life without a turn
	ChildSessions  Capability = "lifecycle.childSessions" // subagents are told apart from the session
	StartupContext Capability = "context.startupInjection"
	TurnContext    Capability = "context.beforeTurnInjection"
	SafePoint      Capability = "context.safePointInjection" // text reaches the model within a turn
	GuardRead      Capability = "guards.beforeRead"
	GuardWrite     Capability = "guards.beforeWrite" // a refused edit leaves the file as it was
	GuardShell     Capability = "guards.beforeShell"
	NextTurn       Capability = "delivery.nextTurn" // a peer's message reaches the model with a turn
	LivePush       Capability = "delivery.livePush" // a running session can be asked to look sooner
	ReplyRoute     Capability = "delivery.replyRoute"
)

// Capabilities lists every capability in a fixed order.
var Capabilities = [...]Capability{
	SessionStart, SessionResume, SessionEnd, Heartbeat, ChildSessions, StartupContext, TurnContext, SafePoint,
	GuardRead, GuardWrite, GuardShell, NextTurn, LivePush, ReplyRoute,
}
