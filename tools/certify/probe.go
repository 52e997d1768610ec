package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// reply is what a hook says in the matrix.
type reply struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Code   int    `json:"code"`
}

// probed finds the row of the matrix that a call of a tool belongs to, by the file that it writes.
var probed = regexp.MustCompile(`probe-(\d+)\.txt`)

// probe is the hook of the matrix: it answers as the file in dir says that is named after the row or, for
// every other call, after the event. Without a file it says nothing.
func probe(dir string) error {
	payload, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	var call struct {
		Event string          `json:"hook_event_name"`
		Input json.RawMessage `json:"tool_input"`
	}
	if err := json.Unmarshal(payload, &call); err != nil {
		return err
	}
	name := call.Event
	if row := probed.FindSubmatch(call.Input); row != nil && !regexp.MustCompile(`^(After|Post)`).MatchString(call.Event) {
		name = "row-" + string(row[1])
	}
	data, err := os.ReadFile(filepath.Join(dir, name+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var r reply
	if err := json.Unmarshal(data, &r); err != nil {
		return err
	}
	_, _ = os.Stdout.WriteString(r.Stdout)
	_, _ = os.Stderr.WriteString(r.Stderr)
	os.Exit(r.Code)
	return nil
}

// answerWith makes hooks of an event, or of a row, answer so.
func (s *stage) answerWith(name string, r reply) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.record, name+".json"), data, 0o600)
}

// answerNothing makes every hook silent.
func (s *stage) answerNothing() error {
	files, err := filepath.Glob(filepath.Join(s.record, "*.json"))
	for _, file := range files {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

func rowName(i int) string { return "row-" + strconv.Itoa(i) }
