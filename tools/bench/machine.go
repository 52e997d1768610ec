package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// machine is a user's machine: a data home, and a project whose room has a past.
type machine struct {
	programs
	home, project string
	ids           *protocol.Generator

	// conversation is the client's session that hooks speak for; peer sits in the same room and holds a
	// guarded claim on src/held.go; sender sends.
	conversation string
	client       core.Owner
	peer, sender core.Owner
}

// Who takes part.
const (
	clientName, peerName, senderName = "client", "peer", "sender"
	heldFile, freeFile               = "src/held.go", "src/free.go"
)

// newMachine makes a machine below dir whose room has seen so many messages.
func newMachine(ctx context.Context, p programs, dir string, history int) (*machine, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	m := &machine{programs: p, home: filepath.Join(dir, "data"), project: filepath.Join(dir, "project"), ids: protocol.NewGenerator()}
	if err := os.MkdirAll(filepath.Join(m.project, "src"), 0o755); err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(ctx, "git", "-c", "init.defaultBranch=main", "init", "-q", m.project).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git init: %w: %s", err, out)
	}
	r, err := m.room(ctx)
	if err != nil {
		return nil, err
	}
	for name, owner := range map[string]*core.Owner{peerName: &m.peer, senderName: &m.sender} {
		if *owner, err = m.enter(ctx, r, name); err != nil {
			return nil, err
		}
	}
	if _, err := r.Core.Claim(ctx, m.peer, core.ClaimRequest{
		Resource: "file:" + heldFile, Mode: protocol.Exclusive, Enforcement: protocol.Guarded, Lease: 4 * time.Hour, Reason: "measuring",
	}); err != nil {
		return nil, err
	}
	if err := m.past(ctx, r, history); err != nil {
		return nil, err
	}
	return m, m.open(ctx)
}

// room enters the project's room as any program of acc does.
func (m *machine) room(ctx context.Context) (*room.Room, error) {
	return room.Enter(ctx, room.Request{Dir: m.project, Rebuild: true, Env: func(name string) string {
		if name == "ACC_DATA_HOME" {
			return m.home
		}
		return ""
	}})
}

func (m *machine) enter(ctx context.Context, r *room.Room, name string) (core.Owner, error) {
	o := r.Core.NewOwner()
	_, err := r.Core.OpenSession(ctx, core.OpenSession{
		SessionID: o.SessionID, Generation: o.Generation, ParticipantID: name, ParticipantOf: protocol.Agent, Harness: "bench",
		PID: os.Getpid(), Enforcement: protocol.Advisory, Lifecycle: protocol.Manual, Cadence: protocol.MaxCadence,
	})
	return o, err
}

// past gives the room messages that came to their end, in transactions of many: it is the reading of a
// long history that is measured, not its making. A tenth as many sessions opened and closed.
func (m *machine) past(ctx context.Context, r *room.Room, messages int) error {
	const batch = 250
	began := time.Now().Add(-24 * time.Hour).UTC().Truncate(time.Millisecond)
	for n := 0; n < messages; n += batch {
		_, err := r.Store.Update(ctx, func(tx core.Tx) error {
			for i := range min(batch, messages-n) {
				if err := m.pastMessage(tx, r, began.Add(time.Duration(n+i)*time.Millisecond*100), n+i); err != nil {
					return err
				}
				if i%10 != 0 {
					continue
				}
				if err := m.pastSession(tx, r, began); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return errors.Join(r.Store.Checkpoint(ctx), r.Store.RebuildIndexes(ctx))
}

func (m *machine) pastMessage(tx core.Tx, r *room.Room, at time.Time, n int) error {
	id := m.ids.NewID(protocol.MessageIDPrefix)
	message := &protocol.Message{
		MessageID: id, ThreadID: id, ClientMessageID: "past-" + strconv.Itoa(n), WorkspaceID: r.Workspace.ID,
		FromParticipantID: senderName, FromSessionID: m.sender.SessionID, ToParticipantIDs: []string{clientName},
		MessageKind: protocol.Request, Obligation: protocol.ObligationReply,
		Subject: "the build of " + strconv.Itoa(n), Body: "It stopped at the linker again. Please look at step " + strconv.Itoa(n%17) + " before the next one starts.", SentAt: at,
	}
	receipt := &protocol.Receipt{
		MessageID: id, WorkspaceID: r.Workspace.ID, RecipientParticipantID: clientName, State: protocol.Acknowledged,
		Obligation: message.Obligation, Author: senderName, UpdatedAt: at,
	}
	if err := put(tx, message, receipt); err != nil {
		return err
	}
	tx.Append(core.Draft{EventID: m.ids.NewID(protocol.EventIDPrefix), ActorSessionID: m.sender.SessionID, OccurredAt: at, Payload: protocol.MessageRecordedPayload{
		MessageID: id, ThreadID: id, RecipientParticipantIDs: []string{clientName},
	}})
	return nil
}

func (m *machine) pastSession(tx core.Tx, r *room.Room, at time.Time) error {
	o := r.Core.NewOwner()
	return put(tx, &protocol.Session{
		SessionID: o.SessionID, ParticipantID: senderName, WorkspaceID: r.Workspace.ID, Generation: o.Generation, Harness: "bench", State: protocol.SessionClosed,
		Enforcement: protocol.Advisory, Lifecycle: protocol.Manual, HeartbeatCadence: time.Minute, StartedAt: at, HeartbeatAt: at,
	})
}

func put(tx core.Tx, records ...protocol.Record) error {
	for _, r := range records {
		if _, _, err := tx.Get(r.Kind(), r.Key()); err != nil {
			return err
		}
		if err := tx.Put(r); err != nil {
			return err
		}
	}
	return nil
}

// open lets the client's session start by its own hooks and reads the pair that they gave it out of the
// header, as a model does.
func (m *machine) open(ctx context.Context) error {
	m.conversation = "bench-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	t := m.hookTask(m.payload("SessionStart", `"source":"startup"`))
	cmd := exec.CommandContext(ctx, t.program, t.args...)
	cmd.Env, cmd.Dir, cmd.Stdin = t.env, t.dir, strings.NewReader(t.stdin)
	header, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("SessionStart: %w", err)
	}
	pair := regexp.MustCompile(`--session (\S+) --generation (\S+)`).FindSubmatch(header)
	if pair == nil {
		return fmt.Errorf("SessionStart gave no header: %q", header)
	}
	m.client = core.Owner{SessionID: string(pair[1]), Generation: string(pair[2])}
	_, err = m.start(ctx, m.hookTask(m.prompt()))
	return err
}

// send sends the client so many messages that wait for it.
func (m *machine) send(ctx context.Context, n int) error {
	r, err := m.room(ctx)
	if err != nil {
		return err
	}
	for i := range n {
		if _, err := r.Core.Send(ctx, m.sender, core.SendRequest{
			To: []string{clientName}, MessageKind: protocol.Note, Subject: "number " + strconv.Itoa(i), Body: "Please look at it when you can.",
		}); err != nil {
			return err
		}
	}
	return nil
}

// settle acknowledges whatever waits for a participant.
func (m *machine) settle(ctx context.Context, o core.Owner) error {
	r, err := m.room(ctx)
	if err != nil {
		return err
	}
	for {
		page, err := r.Core.Inbox(ctx, o, core.InboxQuery{})
		if err != nil || len(page.Items) == 0 {
			return err
		}
		for _, s := range page.Items {
			if _, err := r.Core.Ack(ctx, o, s.Message.MessageID); err != nil {
				return err
			}
		}
	}
}

// environment is what a client gives its hooks and commands.
func (m *machine) environment() []string {
	return []string{
		"ACC_DATA_HOME=" + m.home, "ACC_PARTICIPANT=" + clientName, "CLAUDE_PID=" + strconv.Itoa(os.Getpid()),
		"AI_AGENT=claude-code_2-1-332_harness", "PATH=/nowhere", "TZ=UTC", "ACC_NO_UPDATE_CHECK=1",
	}
}

func (m *machine) hookTask(payload string) task {
	return task{program: m.hook, args: []string{"claude_code"}, env: m.environment(), dir: m.project, stdin: payload}
}

// accTask is a command that somebody types in the project.
func (m *machine) accTask(args ...string) task {
	return task{program: m.acc, args: args, env: m.environment(), dir: m.project}
}

// payload is what the client sends its hook; more are members of the event.
func (m *machine) payload(event string, more ...string) string {
	text := `{"session_id":` + quote(m.conversation) + `,"transcript_path":"/x.jsonl","cwd":` + quote(m.project) + `,"hook_event_name":` + quote(event)
	for _, member := range more {
		text += "," + member
	}
	return text + "}"
}

func (m *machine) prompt() string { return m.payload("UserPromptSubmit", `"prompt":"go on"`) }

func (m *machine) edit(file string) string {
	return m.payload("PreToolUse", `"tool_name":"Edit"`, `"tool_input":{"file_path":`+quote(filepath.Join(m.project, file))+`,"old_string":"a","new_string":"b"}`)
}

func quote(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always can
	}
	return string(data)
}
