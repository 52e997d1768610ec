package adaptertest

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// capturedFile is a capture that keeps the payload beside what else was seen.
type capturedFile struct {
	stdin  jsontext.Value
	rawEnv map[string]jsontext.Value
	env    map[string]string
}

var capturedFiles = &strictjson.Object[capturedFile]{
	Name: "capture", Open: true, MaxBytes: adapter.MaxPayloadBytes,
	Members: func() []strictjson.Member[capturedFile] {
		return []strictjson.Member[capturedFile]{
			strictjson.Optional("stdin", "payload", func(c *capturedFile) *jsontext.Value { return &c.stdin }, strictjson.RawObject()),
			strictjson.Bag("env", "environment", func(c *capturedFile) *map[string]jsontext.Value { return &c.rawEnv }),
		}
	},
}

func decodeCapture(data []byte) (capturedFile, error) {
	c, err := capturedFiles.Decode(data)
	if err != nil {
		return c, err
	}
	c.env = map[string]string{}
	for name, value := range c.rawEnv {
		if text, err := jsontext.AppendUnquote(nil, value); err == nil {
			c.env[name] = string(text)
		}
	}
	return c, nil
}

// private are the members of payloads that hold what a person, a model or a tool wrote.
var private = []string{
	"prompt", "prompt_response", "text", "content", "transcript_path", "transcriptPath", "agent_transcript_path",
	"tool_response", "tool_output", "toolResult", "llmContent", "returnDisplay", "last_assistant_message",
	"lastAssistantMessage", "old_string", "new_string", "message", "error", "session_title", "instruction",
}

// privateIn says whether a word is the whole value of a private member of the payload, and of which.
func (k Kit) privateIn(payload []byte, word string) (member string, found bool) {
	d := jsontext.NewDecoder(bytes.NewReader(payload))
	for {
		token, err := d.ReadToken()
		if errors.Is(err, io.EOF) || err != nil {
			return "", false
		}
		if token.Kind() == '"' && token.String() == word {
			if name := d.StackPointer().LastToken(); name != word && (slices.Contains(private, name) || slices.Contains(k.Private, name)) {
				return name, true
			}
		}
	}
}

// structured says whether an answer is JSON.
func structured(answer []byte) bool { return jsontext.Value(answer).IsValid() }

// holds says whether one of the strings of a JSON answer is exactly text.
func holds(answer []byte, text string) bool {
	d := jsontext.NewDecoder(bytes.NewReader(answer))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return false
		}
		if token.Kind() == '"' && token.String() == text {
			return true
		}
	}
}
