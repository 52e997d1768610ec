package mcpclients

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
)

// Call is one call of a tool that the model makes, by the client's name of the tool.
type Call struct {
	Tool      string
	Namespace string // of Codex: tools of a server stand in a namespace of their own
	Arguments map[string]any
}

// Model answers each request that offers tools with the next call of its script, and with "DONE" when
// there is none. It speaks Anthropic's messages, OpenAI's responses and chat completions, and Google's
// generateContent.
type Model struct {
	URL string

	mu     sync.Mutex
	script []Call
	next   int
	bodies []string
	server *http.Server
}

// StartModel serves until Close.
func StartModel(script []Call) (*Model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &Model{URL: "http://" + l.Addr().String(), script: script}
	m.server = &http.Server{Handler: m} //nolint:gosec // one client on loopback
	go func() { _ = m.server.Serve(l) }()
	return m, nil
}

// Close stops the server at once.
func (m *Model) Close() { _ = m.server.Close() }

// Bodies gives what the model was sent so far with tools.
func (m *Model) Bodies() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.bodies...)
}

// minTools is how many tools a request offers that is not the client's own housekeeping.
const minTools = 4

// ServeHTTP implements http.Handler.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var request struct {
		Stream bool              `json:"stream"`
		Tools  []json.RawMessage `json:"tools"`
	}
	_ = json.Unmarshal(body, &request)
	answer, streams := form(r.URL.Path, request.Stream)
	if answer == nil {
		http.Error(w, "{}", http.StatusNotFound)
		return
	}
	call, offered := (*Call)(nil), len(request.Tools)
	if strings.Contains(r.URL.Path, "enerateContent") {
		offered = strings.Count(string(body), `"parametersJsonSchema"`) + strings.Count(string(body), `"parameters"`)
	}
	m.mu.Lock()
	if offered >= minTools {
		m.bodies = append(m.bodies, string(body))
		if m.next < len(m.script) {
			call = &m.script[m.next]
		}
		m.next++
	}
	number := m.next
	m.mu.Unlock()
	whole, events := answer(call, number)
	if !streams {
		w.Header().Set("content-type", "application/json")
		_ = json.NewEncoder(w).Encode(whole)
		return
	}
	w.Header().Set("content-type", "text/event-stream")
	for _, e := range events {
		if e.name != "" {
			_, _ = fmt.Fprintf(w, "event: %s\n", e.name)
		}
		data, isText := e.data.(string)
		if !isText {
			encoded, _ := json.Marshal(e.data)
			data = string(encoded)
		}
		_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
	}
}

type object = map[string]any

// event is one server-sent event.
type event struct {
	name string
	data any // a string is written as it is
}

// former writes an answer in one vendor's form, whole and as a stream. No call is the text "DONE".
type former func(call *Call, number int) (whole object, events []event)

// form picks the form of a path; nil: none of them.
func form(path string, stream bool) (former, bool) {
	switch {
	case strings.HasSuffix(path, ":generateContent"):
		return gemini, false
	case strings.HasSuffix(path, ":streamGenerateContent"):
		return gemini, true
	case strings.HasSuffix(path, "/chat/completions"):
		return chat, stream
	case strings.HasSuffix(path, "/responses"):
		return responses, stream
	case strings.HasSuffix(path, "/messages"):
		return messages, stream
	}
	return nil, false
}

const done = "DONE"

func arguments(c *Call) string {
	encoded, _ := json.Marshal(c.Arguments)
	return string(encoded)
}

func gemini(c *Call, number int) (object, []event) {
	part := object{"text": done}
	if c != nil {
		part = object{"functionCall": object{"id": fmt.Sprintf("call-%d", number), "name": c.Tool, "args": c.Arguments}}
	}
	whole := object{
		"candidates":    []any{object{"content": object{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}, "modelVersion": "scripted",
	}
	return whole, []event{{"", whole}}
}

func chat(c *Call, number int) (object, []event) {
	reason, delta := "stop", object{"role": "assistant", "content": done}
	if c != nil {
		reason, delta = "tool_calls", object{"role": "assistant", "content": "", "tool_calls": []any{object{
			"index": 0, "id": fmt.Sprintf("call_%d", number), "type": "function", "function": object{"name": c.Tool, "arguments": arguments(c)},
		}}}
	}
	frame := func(delta object, reason any) object {
		return object{"id": fmt.Sprintf("chatcmpl-%d", number), "object": "chat.completion.chunk", "created": 1, "model": "scripted",
			"choices": []any{object{"index": 0, "delta": delta, "finish_reason": reason}}, "usage": object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
	}
	whole := object{"id": "chatcmpl", "object": "chat.completion", "created": 1, "model": "scripted", "choices": []any{object{"index": 0, "message": delta, "finish_reason": reason}}}
	return whole, []event{{"", frame(delta, nil)}, {"", frame(object{}, reason)}, {"", "[DONE]"}}
}

func responses(c *Call, number int) (object, []event) {
	item := object{"type": "message", "id": fmt.Sprintf("msg_%d", number), "role": "assistant", "status": "completed",
		"content": []any{object{"type": "output_text", "text": done, "annotations": []any{}}}}
	if c != nil {
		item = object{"type": "function_call", "id": fmt.Sprintf("fc_%d", number), "call_id": fmt.Sprintf("call_%d", number), "name": c.Tool,
			"arguments": arguments(c), "status": "completed"}
		if c.Namespace != "" {
			item["namespace"] = c.Namespace
		}
	}
	response := func(status string, output ...any) object {
		return object{"id": fmt.Sprintf("resp_%d", number), "object": "response", "created_at": 1, "status": status, "model": "scripted", "output": append([]any{}, output...),
			"usage": object{"input_tokens": 1, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 1,
				"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 2}}
	}
	events := []event{
		{"response.created", object{"type": "response.created", "response": response("in_progress")}},
		{"response.output_item.added", object{"type": "response.output_item.added", "output_index": 0, "item": item}},
		{"response.output_item.done", object{"type": "response.output_item.done", "output_index": 0, "item": item}},
		{"response.completed", object{"type": "response.completed", "response": response("completed", item)}},
	}
	return response("completed", item), events
}

func messages(c *Call, number int) (object, []event) {
	block, start, delta, stop := object{"type": "text", "text": done}, object{"type": "text", "text": ""}, object{"type": "text_delta", "text": done}, "end_turn"
	if c != nil {
		id := fmt.Sprintf("toolu_%d", number)
		block, stop = object{"type": "tool_use", "id": id, "name": c.Tool, "input": c.Arguments}, "tool_use"
		start = object{"type": "tool_use", "id": id, "name": c.Tool, "input": object{}}
		delta = object{"type": "input_json_delta", "partial_json": arguments(c)}
	}
	message := func(content []any, stop any) object {
		return object{"id": fmt.Sprintf("msg_%d", number), "type": "message", "role": "assistant", "model": "scripted", "content": content, "stop_reason": stop,
			"stop_sequence": nil, "usage": object{"input_tokens": 1, "output_tokens": 1}}
	}
	events := []event{
		{"message_start", object{"type": "message_start", "message": message([]any{}, nil)}},
		{"content_block_start", object{"type": "content_block_start", "index": 0, "content_block": start}},
		{"content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": delta}},
		{"content_block_stop", object{"type": "content_block_stop", "index": 0}},
		{"message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 1}}},
		{"message_stop", object{"type": "message_stop"}},
	}
	return message([]any{block}, stop), events
}
