package live

import (
	"github.com/acc-control-plane/acc/adapter-sdk/hookkit"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// wakeLine is what crosses the socket: a user message of the client's inbox protocol.
type wakeLine struct {
	Message   userMessage
	ID        string
	SessionID string
}

type userMessage struct{ Content string }

const maxFrame = 4 << 10

var userMessages = &strictjson.Object[userMessage]{
	Name: "user message",
	Members: func() []strictjson.Member[userMessage] {
		return []strictjson.Member[userMessage]{
			strictjson.Const[userMessage]("role", "", "user"),
			strictjson.Field("content", "", func(m *userMessage) *string { return &m.Content }, strictjson.Text(maxFrame)),
		}
	},
}

var wakeLines = &strictjson.Object[wakeLine]{
	Name: "wake", MaxBytes: maxFrame,
	Members: func() []strictjson.Member[wakeLine] {
		return []strictjson.Member[wakeLine]{
			strictjson.Const[wakeLine]("type", "", "user"),
			strictjson.Field("message", "", func(l *wakeLine) *userMessage { return &l.Message }, strictjson.Nested(userMessages)),
			strictjson.Field("msg_id", "", func(l *wakeLine) *string { return &l.ID }, strictjson.Line(protocol.MaxIDLength+20)),
			// The client drops a line that names another conversation than its present one.
			strictjson.Field("session_id", "", func(l *wakeLine) *string { return &l.SessionID }, strictjson.Line(maxPath)),
		}
	},
}

// wakeText is all that a woken model reads: the mark by which the hook of that turn knows that no person
// typed it, the id, and the two commands. The hook of the turn usually brings the message with it.
func wakeText(messageID string) string {
	return hookkit.WakeMark + " Message " + messageID + " waits for you in acc. If it is not shown with this notice, read it with" +
		" `acc inbox --message " + messageID + "`, and answer it with `acc reply --message " + messageID + "` and your acc header," +
		" not with SendMessage. If you have dealt with it already, there is nothing to do."
}

// frame makes the line. The id is one of acc's own, and checked to be.
func frame(sessionID, messageID string) ([]byte, error) {
	if problem := protocol.PortableIDProblem(messageID); problem != "" {
		return nil, protocol.DataError("", "a wake needs a message id")
	}
	line, err := wakeLines.Append(nil, &wakeLine{
		Message: userMessage{wakeText(messageID)}, ID: "acc-wake-" + messageID, SessionID: sessionID,
	})
	return append(line, '\n'), err
}
