package answer

import (
	"bytes"
	"io"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/adapter-sdk/projection"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// framed is the member whose text is a frame already.
const framed = "framed"

// Writer makes answers for one kind of reader.
type Writer struct {
	// Tags are the tags of clients that peer text must not imitate. One server does not know which client
	// shows its answers to a model, so all of them.
	Tags []string
}

// Line makes one piece of peer text safe inside a line.
func (w Writer) Line(text string) string { return projection.Line(text, w.Tags) }

// wholeFrame is more than the frame of any message needs: a body whose every byte is escaped.
const wholeFrame = 16 * protocol.MaxBody

// Frame gives a whole message as a turn would carry it.
func (w Writer) Frame(m protocol.Message, now time.Time) string {
	out := projection.Project(projection.Input{
		Now: now, Budget: wholeFrame, Tags: w.Tags, Mail: []projection.Mail{{Message: m}}, MidTurn: true,
	})
	return out.Text
}

// Object gives t as a JSON object in which every text is safe.
func Object[T any](w Writer, o *strictjson.Object[T], t *T) (jsontext.Value, error) {
	data, err := o.Append(nil, t)
	if err != nil {
		return nil, protocol.Malformed(o.Name, err)
	}
	return w.safe(data)
}

// safe rewrites every string of a JSON document.
func (w Writer) safe(data []byte) (jsontext.Value, error) {
	in := jsontext.NewDecoder(bytes.NewReader(data))
	var buffer bytes.Buffer
	out := jsontext.NewEncoder(&buffer)
	isFrame := false // the string that comes next
	for {
		token, err := in.ReadToken()
		if err == io.EOF {
			return jsontext.Value(bytes.TrimSpace(buffer.Bytes())), nil
		}
		if err != nil {
			return nil, err
		}
		if token.Kind() == jsontext.KindString {
			container, position := in.StackIndex(in.StackDepth())
			isName := container == jsontext.KindBeginObject && position%2 == 1
			text := token.String()
			if !isFrame {
				text = w.Line(text)
			}
			token = jsontext.String(text)
			isFrame = isName && text == framed
		} else {
			isFrame = false
		}
		if err := out.WriteToken(token); err != nil {
			return nil, err
		}
	}
}
