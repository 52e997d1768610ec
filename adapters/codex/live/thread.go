package live

import (
	"bytes"
	"errors"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/adapter-sdk/hookkit"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// thread is what the server says of a conversation; see testdata/thread-read.json.
type thread struct {
	ID        string
	Cwd       string
	Ephemeral jsontext.Value
	Status    status
	// What tells a thread that a person opened and left alone.
	Source, Preview, Parent, Attached jsontext.Value
}

// status is idle or active for a thread that is loaded.
type status struct{ Type string }

const (
	maxPath = 4096
	maxWord = 200
)

var statuses = &strictjson.Object[status]{
	Name: "status", Open: true, MaxBytes: maxMessage,
	Members: func() []strictjson.Member[status] {
		return []strictjson.Member[status]{
			strictjson.Field("type", "", func(s *status) *string { return &s.Type }, strictjson.Line(maxWord)),
		}
	},
}

var threads = &strictjson.Object[thread]{
	Name: "thread", Open: true, MaxBytes: maxMessage,
	Members: func() []strictjson.Member[thread] {
		return []strictjson.Member[thread]{
			strictjson.Field("id", "", func(t *thread) *string { return &t.ID }, strictjson.Line(maxWord)),
			strictjson.Field("cwd", "", func(t *thread) *string { return &t.Cwd }, strictjson.Text(maxPath)),
			strictjson.Optional("ephemeral", "", func(t *thread) *jsontext.Value { return &t.Ephemeral }, strictjson.RawView()),
			strictjson.Optional("threadSource", "", func(t *thread) *jsontext.Value { return &t.Source }, strictjson.RawView()),
			strictjson.Optional("preview", "", func(t *thread) *jsontext.Value { return &t.Preview }, strictjson.RawView()),
			strictjson.Optional("parentThreadId", "", func(t *thread) *jsontext.Value { return &t.Parent }, strictjson.RawView()),
			strictjson.Optional("attachedToThreadId", "", func(t *thread) *jsontext.Value { return &t.Attached }, strictjson.RawView()),
			strictjson.Field("status", "", func(t *thread) *status { return &t.Status }, strictjson.Nested(statuses)),
		}
	},
}

type threadRead struct{ Thread thread }

var threadReads = &strictjson.Object[threadRead]{
	Name: "thread/read", Open: true, MaxBytes: maxMessage,
	Members: func() []strictjson.Member[threadRead] {
		return []strictjson.Member[threadRead]{
			strictjson.Field("thread", "", func(r *threadRead) *thread { return &r.Thread }, strictjson.Nested(threads)),
		}
	},
}

// Errors that say which look failed.
var (
	errNotLoaded = errors.New("the server does not hold the thread")
	errAnother   = errors.New("the thread is of another directory, or of nobody")
)

// read asks for a thread that must be loaded.
func (s *server) read(id string) (thread, error) {
	result, err := s.call("thread/read", object("threadId", id))
	if errors.As(err, &refusal{}) {
		return thread{}, errNotLoaded
	}
	if err != nil {
		return thread{}, err
	}
	r, err := threadReads.Decode(result)
	switch {
	case err != nil:
		return thread{}, err
	case r.Thread.ID != id:
		return thread{}, errAnother
	case r.Thread.Status.Type != "idle" && r.Thread.Status.Type != "active":
		return thread{}, errNotLoaded
	case hookkit.Truth(r.Thread.Ephemeral):
		return thread{}, errAnother
	}
	return r.Thread, nil
}

// in says whether the thread works in a directory.
func (t thread) in(cwd string) bool {
	one, errOne := filepath.EvalSymlinks(t.Cwd)
	two, errTwo := filepath.EvalSymlinks(cwd)
	return errOne == nil && errTwo == nil && one == two
}

// turnsLooked is how many of the last turns are searched for a message.
const turnsLooked = "10"

// holds says whether a message of that id waits in the thread's queue or was taken up by one of its last
// turns. The id is one of ours and nobody's text contains it before we sent it.
func (s *server) holds(threadID, clientID string) (bool, error) {
	mark, err := jsontext.AppendQuote(nil, clientID)
	if err != nil {
		return false, err
	}
	queue, err := s.call("thread/queue/list", object("threadId", threadID))
	if err != nil {
		return false, err
	}
	if bytes.Contains(queue, mark) {
		return true, nil
	}
	id, _ := jsontext.AppendQuote(nil, threadID)
	turns, err := s.call("thread/turns/list", `{"threadId":`+string(id)+`,"limit":`+turnsLooked+`}`)
	if errors.As(err, &refusal{}) {
		return false, nil // nothing was ever said in it
	}
	return bytes.Contains(turns, mark), err
}

// submission is the answer to thread/queue/add.
type submission struct{ Queued submitted }

type submitted struct{ ID string }

var submissions = &strictjson.Object[submission]{
	Name: "thread/queue/add", Open: true, MaxBytes: maxMessage,
	Members: func() []strictjson.Member[submission] {
		return []strictjson.Member[submission]{
			strictjson.Field("queuedSubmission", "", func(s *submission) *submitted { return &s.Queued }, strictjson.Nested(&strictjson.Object[submitted]{
				Name: "queuedSubmission", Open: true, MaxBytes: maxMessage,
				Members: func() []strictjson.Member[submitted] {
					return []strictjson.Member[submitted]{
						strictjson.Field("id", "", func(s *submitted) *string { return &s.ID }, strictjson.Line(maxWord)),
					}
				},
			})),
		}
	},
}

// add puts a text into the thread's queue and gives what withdraws it.
func (s *server) add(threadID, clientID, text string) (string, error) {
	head := object("threadId", threadID, "clientUserMessageId", clientID)
	quoted, _ := jsontext.AppendQuote(nil, text)
	result, err := s.call("thread/queue/add", head[:len(head)-1]+`,"input":[{"type":"text","text":`+string(quoted)+`,"text_elements":[]}]}`)
	if err != nil {
		return "", err
	}
	added, err := submissions.Decode(result)
	return added.Queued.ID, err
}

// withdrawal is the answer to thread/queue/delete.
type withdrawal struct{ Deleted bool }

var withdrawals = &strictjson.Object[withdrawal]{
	Name: "thread/queue/delete", Open: true, MaxBytes: maxMessage,
	Members: func() []strictjson.Member[withdrawal] {
		return []strictjson.Member[withdrawal]{
			strictjson.Field("deleted", "", func(w *withdrawal) *bool { return &w.Deleted }, strictjson.Bool()),
		}
	},
}

// withdraw takes a message back, and says whether it was still there: a turn may have taken it up.
func (s *server) withdraw(threadID, submissionID string) (deleted bool, err error) {
	result, err := s.call("thread/queue/delete", object("threadId", threadID, "queuedSubmissionId", submissionID))
	if err != nil {
		return false, err
	}
	w, err := withdrawals.Decode(result)
	return w.Deleted, err
}
