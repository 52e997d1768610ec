package realclient

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// item is an element of the input of the Responses API.
type item struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Output  json.RawMessage `json:"output"`
}

// text joins the texts of an item, in whichever form they were sent.
func (i item) text() string {
	var parts []struct {
		Text   string `json:"text"`
		Sealed string `json:"encrypted_content"` // of a message to a subagent, which this server gave in plain
	}
	var text string
	switch {
	case json.Unmarshal(i.Content, &text) == nil:
		return text
	case json.Unmarshal(i.Content, &parts) == nil:
		var all []string
		for _, p := range parts {
			all = append(all, p.Text+p.Sealed)
		}
		return strings.Join(all, "\n")
	}
	return ""
}

// respond serves the Responses API.
func (m *Model) respond(w http.ResponseWriter, r *http.Request, body []byte) {
	var req struct {
		Input []item `json:"input"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	step, number := Step{Text: "A title"}, 0
	if !strings.Contains(r.Header.Get("X-Codex-Turn-Metadata"), `"thread_source":"thread_title"`) {
		step, number = m.next(promptOf(req.Input))
	}
	if !step.pause(r) {
		return
	}
	output := map[string]any{
		"type": "message", "id": fmt.Sprintf("msg_%d", number), "role": "assistant", "status": "completed",
		"content": []any{map[string]any{"type": "output_text", "text": step.Text, "annotations": []any{}}},
	}
	if text, free := step.Input.(string); step.Tool != "" && free {
		output = map[string]any{
			"type": "custom_tool_call", "id": fmt.Sprintf("ctc_%d", number), "call_id": fmt.Sprintf("call_%d", number),
			"name": step.Tool, "input": text,
		}
	} else if step.Tool != "" {
		arguments, err := json.Marshal(step.Input)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		output = map[string]any{
			"type": "function_call", "id": fmt.Sprintf("fc_%d", number), "call_id": fmt.Sprintf("call_%d", number),
			"name": step.Tool, "arguments": string(arguments),
		}
	}
	if step.Namespace != "" {
		output["namespace"] = step.Namespace
	}
	id := fmt.Sprintf("resp_%d", number)
	w.Header().Set("content-type", "text/event-stream")
	send := func(event string, v map[string]any) {
		v["type"] = event
		data, _ := json.Marshal(v)
		_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, data)
	}
	usage := map[string]any{
		"input_tokens": 10, "input_tokens_details": map[string]any{"cached_tokens": 0},
		"output_tokens": 5, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 15,
	}
	send("response.created", map[string]any{"response": map[string]any{"id": id}})
	send("response.output_item.added", map[string]any{"output_index": 0, "item": output})
	send("response.output_item.done", map[string]any{"output_index": 0, "item": output})
	send("response.completed", map[string]any{"response": map[string]any{"id": id, "output": []any{output}, "usage": usage}})
}

// promptOf finds the newest text of the user, without what the client itself wraps in tags, and how often
// the model has called a tool since.
func promptOf(input []item) (p Prompt, answered int) {
	var seen strings.Builder
	newest := -1
	for i, it := range input {
		text := it.text()
		seen.WriteString(text + string(it.Output) + "\n")
		asked := it.Role == "user" || it.Type == "agent_message" // as which a subagent gets its task
		if asked && text != "" && !strings.HasPrefix(text, "<") {
			newest, p.Newest = i, text
		}
	}
	for i := newest + 1; i < len(input); i++ {
		if input[i].Type == "function_call" || input[i].Type == "custom_tool_call" {
			answered++
		}
	}
	p.Seen = seen.String()
	return p, answered
}
