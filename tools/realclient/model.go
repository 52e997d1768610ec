package realclient

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Step is one answer of the model: a call of a tool, or the text that ends its turn.
type Step struct {
	Wait      time.Duration
	Tool      string
	Namespace string // of the tool, which only the Responses API has
	Input     any    // a text: the tool takes text as it stands, which only the Responses API has
	Text      string
}

// Script says what the model does about the newest text that its user gave it, step by step; what the
// client's hooks add is in Seen. No step left, or none at all, is the text "ok".
type Script func(p Prompt) []Step

// Prompt is what a script decides by.
type Prompt struct {
	Newest string // the newest text of the user
	Seen   string // everything in the conversation
}

// Model stands in for the Anthropic Messages API and the OpenAI Responses API on loopback: streaming, with
// tools, no other endpoint. Both ask the same script.
type Model struct {
	URL string

	mu       sync.Mutex
	script   Script
	requests []Prompt
	server   *http.Server
}

// StartModel serves until Close.
func StartModel(script Script) (*Model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &Model{URL: "http://" + l.Addr().String(), script: script}
	m.server = &http.Server{Handler: m, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = m.server.Serve(l) }()
	return m, nil
}

// Close stops the server at once.
func (m *Model) Close() { _ = m.server.Close() }

// Requests gives what the model was asked so far.
func (m *Model) Requests() []Prompt {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// block is a content block of the wire.
type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text,omitempty"`
	ID      string          `json:"id,omitempty"`
	Name    string          `json:"name,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	Content json.RawMessage `json:"content,omitempty"`
}

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type request struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	Messages []message         `json:"messages"`
	Tools    []json.RawMessage `json:"tools"`
}

// blocks gives a message's content as blocks, in whichever form it was sent.
func (m message) blocks() []block {
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	var all []block
	_ = json.Unmarshal(m.Content, &all)
	return all
}

// prompt finds the newest text of the user and how often the model has answered since.
func (r request) prompt() (p Prompt, answered int) {
	var seen strings.Builder
	newest := -1
	for i, m := range r.Messages {
		for _, b := range m.blocks() {
			seen.WriteString(b.Text + string(b.Content) + "\n")
			if m.Role == "user" && b.Type == "text" && !strings.HasPrefix(b.Text, "<system-reminder>") {
				newest, p.Newest = i, b.Text
			}
		}
	}
	for i := newest + 1; i < len(r.Messages); i++ {
		if r.Messages[i].Role == "assistant" {
			answered++
		}
	}
	p.Seen = seen.String()
	return p, answered
}

// mainTools is how many tools a request offers at least that is not the client's own housekeeping.
const mainTools = 4

// ServeHTTP implements http.Handler.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err == nil && strings.HasSuffix(r.URL.Path, "/responses") {
		m.respond(w, r, body)
		return
	}
	if err == nil && strings.HasSuffix(r.URL.Path, "enerateContent") {
		m.generate(w, r, body)
		return
	}
	var req request
	if err != nil || r.URL.Path != "/v1/messages" || json.Unmarshal(body, &req) != nil {
		http.Error(w, `{"type":"error","error":{"type":"not_found_error","message":"not scripted"}}`, http.StatusNotFound)
		return
	}
	step, number := Step{Text: "ok"}, 0
	if len(req.Tools) >= mainTools { // anything else is the client's own housekeeping
		step, number = m.next(req.prompt())
	}
	if step.pause(r) {
		answer(w, req, step, number)
	}
}

// next gives the step of a script that comes after those that were answered, and its number.
func (m *Model) next(p Prompt, answered int) (Step, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, p)
	if steps := m.script(p); answered < len(steps) {
		return steps[answered], len(m.requests)
	}
	return Step{Text: "ok"}, len(m.requests)
}

// pause waits as long as the step says. It is false when the client hangs up first.
func (s Step) pause(r *http.Request) bool {
	select {
	case <-time.After(s.Wait):
		return true
	case <-r.Context().Done():
		return false
	}
}

// answer writes one step as the client wants it.
func answer(w http.ResponseWriter, req request, step Step, number int) {
	content, stop := block{Type: "text", Text: step.Text}, "end_turn"
	start, delta := map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": step.Text}
	if step.Tool != "" {
		input, err := json.Marshal(step.Input)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		content, stop = block{Type: "tool_use", ID: fmt.Sprintf("toolu_%06d", number), Name: step.Tool, Input: input}, "tool_use"
		start = map[string]any{"type": "tool_use", "id": content.ID, "name": content.Name, "input": map[string]any{}}
		delta = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
	}
	usage := map[string]any{"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
	whole := map[string]any{
		"id": fmt.Sprintf("msg_%06d", number), "type": "message", "role": "assistant", "model": req.Model,
		"content": []block{content}, "stop_reason": stop, "stop_sequence": nil, "usage": usage,
	}
	if !req.Stream {
		w.Header().Set("content-type", "application/json")
		_ = json.NewEncoder(w).Encode(whole)
		return
	}
	w.Header().Set("content-type", "text/event-stream")
	send := func(event string, v map[string]any) {
		v["type"] = event
		data, _ := json.Marshal(v)
		_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, data)
	}
	whole["content"], whole["stop_reason"] = []block{}, nil
	send("message_start", map[string]any{"message": whole})
	send("content_block_start", map[string]any{"index": 0, "content_block": start})
	send("content_block_delta", map[string]any{"index": 0, "delta": delta})
	send("content_block_stop", map[string]any{"index": 0})
	send("message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	send("message_stop", map[string]any{})
}
