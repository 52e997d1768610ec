package hookkit

import (
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
)

// WakeMark begins every text with which acc wakes a session, so that the hook of the woken turn knows
// that no person typed it. It is a convention among a user's own processes, not a proof: it decides
// wording and accounting, never a permission.
const WakeMark = "[acc wake]"

// originWindow is how much of a prompt is looked at.
const originWindow = 2048

// Wrappers are the beginnings by which a client marks prompts that nobody typed.
type Wrappers struct {
	Peer         []string // a message of another session
	Continuation []string // the client's own word: a finished task, feedback of a hook
}

// Origin tells who began a turn from the beginning of its prompt, which is not kept.
func (w Wrappers) Origin(prompt string) adapter.Origin {
	head := strings.TrimSpace(prompt[:min(len(prompt), originWindow)])
	if strings.HasPrefix(head, WakeMark) {
		return adapter.OriginPeer
	}
	for _, prefix := range w.Peer {
		if strings.HasPrefix(head, prefix) {
			return adapter.OriginPeer
		}
	}
	for _, prefix := range w.Continuation {
		if strings.HasPrefix(head, prefix) {
			return adapter.OriginContinuation
		}
	}
	if head == "" {
		return adapter.OriginUnknown
	}
	return adapter.OriginHuman
}

// HandedOver begins the prompt that is a message of acc, after WakeMark; the framed message follows on its own lines.
const HandedOver = " From another session of this user, brought by acc:\n"

// Carried gives the id of the message that a prompt is; "" is none. Like WakeMark it is a convention: it keeps a hook
// from saying again what the prompt says.
func Carried(prompt string) string {
	framed, found := strings.CutPrefix(strings.TrimSpace(prompt[:min(len(prompt), originWindow)]), WakeMark+HandedOver)
	if !found {
		return ""
	}
	for line := range strings.Lines(framed) {
		if id, _, found := strings.Cut(line, " | from "); found && protocol.PortableIDProblem(id) == "" {
			return id
		}
	}
	return ""
}
