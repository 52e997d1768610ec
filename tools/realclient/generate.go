package realclient

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// part is a piece of a content of the Gemini API.
type part struct {
	Text             string          `json:"text,omitempty"`
	FunctionResponse json.RawMessage `json:"functionResponse,omitempty"`
}

type content struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

// generate serves generateContent and streamGenerateContent of the Gemini API.
func (m *Model) generate(w http.ResponseWriter, r *http.Request, body []byte) {
	var req struct {
		Contents []content `json:"contents"`
		Tools    []struct {
			Functions []json.RawMessage `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	functions := 0
	for _, t := range req.Tools {
		functions += len(t.Functions)
	}
	step, number := Step{Text: "ok"}, 0
	if functions >= mainTools {
		step, number = m.next(promptIn(req.Contents))
	}
	if !step.pause(r) {
		return
	}
	said := map[string]any{"text": step.Text}
	if step.Tool != "" {
		said = map[string]any{"functionCall": map[string]any{"id": fmt.Sprintf("call-%d", number), "name": step.Tool, "args": step.Input}}
	}
	data, err := json.Marshal(map[string]any{
		"candidates": []any{map[string]any{
			"content": map[string]any{"role": "model", "parts": []any{said}}, "finishReason": "STOP", "index": 0,
		}},
		"usageMetadata": map[string]any{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
		"modelVersion":  "fake", "responseId": fmt.Sprintf("response-%d", number),
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if strings.HasSuffix(r.URL.Path, ":streamGenerateContent") {
		w.Header().Set("content-type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
		return
	}
	w.Header().Set("content-type", "application/json")
	_, _ = w.Write(data)
}

// promptIn finds the newest texts of the user and how often the model has answered since.
func promptIn(contents []content) (p Prompt, answered int) {
	var seen strings.Builder
	newest := -1
	for i, c := range contents {
		var texts []string
		for _, one := range c.Parts {
			seen.WriteString(one.Text + string(one.FunctionResponse) + "\n")
			if one.Text != "" {
				texts = append(texts, one.Text)
			}
		}
		if c.Role == "user" && len(texts) > 0 {
			newest, p.Newest = i, strings.Join(texts, "\n")
		}
	}
	for i := newest + 1; i < len(contents); i++ {
		if contents[i].Role == "model" {
			answered++
		}
	}
	p.Seen = seen.String()
	return p, answered
}
