package hookrunner

import (
	"strings"

	"github.com/acc-control-plane/acc/protocol"
)

// maxParticipant is how much of a name that a person chose becomes the participant id.
const maxParticipant = 60

// participant names who the conversation speaks as: what the person chose in ACC_PARTICIPANT, else a
// name made of the client and its conversation, which a resumed conversation keeps.
func (c *call) participant() string {
	if name := chosen(c.env(envParticipant)); name != "" {
		return name
	}
	return protocol.HookParticipantID(c.adapter.ID(), c.event.SessionID)
}

// chosen makes a portable id of what a person wrote: every run of other characters becomes one hyphen.
func chosen(name string) string {
	var b strings.Builder
	hyphen := false
	for _, r := range strings.TrimSpace(name) {
		portable := r < 0x80 && (r == '.' || r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z')
		if portable {
			b.WriteRune(r)
			hyphen = false
		} else if !hyphen {
			b.WriteByte('-')
			hyphen = true
		}
	}
	id := strings.TrimLeft(b.String(), ".-_")
	return strings.TrimRight(id[:min(len(id), maxParticipant)], ".")
}
