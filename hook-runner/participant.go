package hookrunner

import "github.com/acc-control-plane/acc/protocol"

// participant names who the conversation speaks as: what the person chose in ACC_PARTICIPANT, else a
// name made of the client and its conversation, which a resumed conversation keeps.
func (c *call) participant() string {
	if id, ok := protocol.CleanParticipantName(c.env(envParticipant)); ok {
		return id
	}
	return protocol.HookParticipantID(c.adapter.ID(), c.event.SessionID)
}
