package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// crowded is what came of many processes at once.
type crowded struct {
	name           string
	runs           runs
	sent, recorded int // messages; what was sent and is recorded twice or not at all is an error
	skipped        int // hooks that let their client go on because the store was busy for too long
	took           time.Duration
}

// senders lets so many processes at a time each send so many messages, one process a message.
func (b *bench) senders(ctx context.Context, processes, messages int) (crowded, error) {
	got := crowded{name: fmt.Sprintf("%d processes, each sending %d messages", processes, messages)}
	m := b.young
	err := b.together(ctx, &got, processes, func(i int, o core.Owner, note func(task) error) error {
		for n := range messages {
			if err := note(m.sendAs(o, fmt.Sprintf("crowd-%d-%d", i, n))); err != nil {
				return err
			}
		}
		return nil
	})
	got.sent = processes * messages
	return got, errors.Join(err, got.lost())
}

// sessions lets so many sessions work: a turn with a few tools, hooks around each, a message after each.
func (b *bench) sessions(ctx context.Context, sessions, messages int) (crowded, error) {
	got := crowded{name: fmt.Sprintf("%d sessions with hooks at each tool call, each sending %d messages", sessions, messages)}
	m := b.young
	err := b.together(ctx, &got, sessions, func(i int, o core.Owner, note func(task) error) error {
		client := *m
		client.conversation = "crowd-" + strconv.Itoa(i) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)
		steps := []string{client.payload("SessionStart", `"source":"startup"`), client.prompt()}
		for _, s := range steps {
			if err := note(client.hookAs(i, s)); err != nil {
				return err
			}
		}
		for n := range messages {
			for _, payload := range []string{client.edit("src/file-" + strconv.Itoa(i) + ".go"), client.afterTool()} {
				if err := note(client.hookAs(i, payload)); err != nil {
					return err
				}
			}
			if err := note(m.sendAs(o, fmt.Sprintf("session-%d-%d", i, n))); err != nil {
				return err
			}
		}
		return note(client.hookAs(i, client.payload("SessionEnd", `"reason":"exit"`)))
	})
	got.sent = sessions * messages
	return got, errors.Join(err, got.lost())
}

// together runs work once for each of n participants at the same time and counts the messages recorded.
func (b *bench) together(ctx context.Context, got *crowded, n int, work func(i int, o core.Owner, note func(task) error) error) error {
	before, err := b.young.recorded(ctx)
	if err != nil {
		return err
	}
	r, err := b.young.room(ctx)
	if err != nil {
		return err
	}
	owners := make([]core.Owner, n)
	for i := range owners {
		if owners[i], err = b.young.enter(ctx, r, "worker"+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failures []error
	began := time.Now()
	for i, o := range owners {
		wg.Go(func() {
			err := work(i, o, func(t task) error {
				one, err := b.start(ctx, t)
				mu.Lock()
				defer mu.Unlock()
				got.runs = append(got.runs, one)
				if one.complaint != "" {
					got.skipped++
				}
				return err
			})
			mu.Lock()
			defer mu.Unlock()
			failures = append(failures, err)
		})
	}
	wg.Wait()
	got.took = time.Since(began)
	for _, o := range owners {
		_, err := r.Core.CloseSession(ctx, o, "measured")
		failures = append(failures, err)
	}
	after, err := b.young.recorded(ctx)
	got.recorded = after - before
	return errors.Join(append(failures, err)...)
}

func (c crowded) lost() error {
	if c.sent != c.recorded {
		return fmt.Errorf("%s: %d messages sent, %d recorded", c.name, c.sent, c.recorded)
	}
	return nil
}

// recorded counts the messages of the room by their events.
func (m *machine) recorded(ctx context.Context) (int, error) {
	r, err := m.room(ctx)
	if err != nil {
		return 0, err
	}
	var count int
	err = r.Store.View(ctx, func(snapshot core.Reader) error {
		count = 0
		for after := uint64(0); ; {
			events, err := snapshot.Events(after, 500)
			if err != nil || len(events) == 0 {
				return err
			}
			for _, e := range events {
				if e.Type == protocol.MessageRecorded {
					count++
				}
				after = e.Sequence
			}
		}
	})
	return count, err
}

// sendAs is a message of one of the crowd, with a key that would betray a message recorded twice.
func (m *machine) sendAs(o core.Owner, key string) task {
	return m.accTask("message", "--session", o.SessionID, "--generation", o.Generation, "--to", peerName,
		"--subject", "measuring", "--body", "One of many.", "--client-message-id", key)
}

// hookAs is a hook of one of the crowd's clients.
func (m *machine) hookAs(i int, payload string) task {
	t := m.hookTask(payload)
	t.env = append(t.env, "ACC_PARTICIPANT=client"+strconv.Itoa(i))
	return t
}
