package fsstore_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/storetest"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

func message(id, from string, kind protocol.MessageKind) *protocol.Message {
	m := &protocol.Message{
		MessageID: id, ThreadID: id, ClientMessageID: "key-" + id, WorkspaceID: coretest.WorkspaceID, FromParticipantID: from, FromSessionID: "session-" + from,
		ToParticipantIDs: []string{"bob"}, MessageKind: kind, Obligation: protocol.ObligationNone, Subject: "about " + id, Body: "body", SentAt: coretest.Start,
	}
	if kind == protocol.Request {
		m.Obligation = protocol.ObligationReply
	}
	return m
}

func receiptOf(m *protocol.Message, to string) *protocol.Receipt {
	r := &protocol.Receipt{
		MessageID: m.MessageID, WorkspaceID: coretest.WorkspaceID, RecipientParticipantID: to, State: protocol.Queued, UpdatedAt: coretest.Start, Obligation: m.Obligation,
	}
	if m.Obligation != protocol.ObligationNone {
		r.Author = m.FromParticipantID
	}
	return r
}

func session(id, participantID string, state protocol.SessionState) *protocol.Session {
	return &protocol.Session{
		SessionID: id, ParticipantID: participantID, WorkspaceID: coretest.WorkspaceID, Generation: "gen-" + id, Harness: "tool", State: state,
		Enforcement: protocol.Guarded, Lifecycle: protocol.Managed, HeartbeatCadence: time.Minute, StartedAt: coretest.Start, HeartbeatAt: coretest.Start,
	}
}

func claim(id, resource string) *protocol.Claim {
	return &protocol.Claim{
		ClaimID: id, WorkspaceID: coretest.WorkspaceID, OwnerSessionID: "session-1", Resource: resource, Mode: protocol.Shared, Enforcement: protocol.Guarded,
		Reason: "tests", AcquiredAt: coretest.Start, ExpiresAt: coretest.Start.Add(time.Hour), Generation: "gen-" + id,
	}
}

// put looks at records and writes them.
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

// churn is a random life of a room.
type churn struct {
	r        *rand.Rand
	n        int
	receipts []*protocol.Receipt
	claims   []string
	sessions []string
}

// step is one transaction of it.
func (c *churn) step(tx core.Tx) error {
	c.n++
	id := fmt.Sprintf("%06d", c.n)
	switch c.r.IntN(7) {
	case 0, 1, 2:
		m := message("message-"+id, fmt.Sprint("author-", c.r.IntN(3)), []protocol.MessageKind{protocol.Note, protocol.Request}[c.r.IntN(2)])
		records := []protocol.Record{m}
		for _, to := range []string{"bob", "cyd", "dot"}[:1+c.r.IntN(3)] {
			receipt := receiptOf(m, to)
			c.receipts = append(c.receipts, receipt)
			records = append(records, receipt)
		}
		return put(tx, records...)
	case 3:
		for range min(3, len(c.receipts)) {
			i := c.r.IntN(len(c.receipts))
			next := *c.receipts[i]
			next.State = []protocol.ReceiptState{protocol.Offered, protocol.Retrieved, protocol.Acknowledged}[c.r.IntN(3)]
			c.receipts[i] = &next
			if err := put(tx, &next); err != nil {
				return err
			}
		}
		return put(tx, participant("p-"+id, "name"))
	case 4:
		c.claims = append(c.claims, "claim-"+id)
		return put(tx, claim("claim-"+id, "file:"+strings.Repeat("dir/", c.r.IntN(90))+"f"+id))
	case 5:
		if len(c.claims) == 0 {
			return nil
		}
		i := c.r.IntN(len(c.claims))
		gone := c.claims[i]
		if _, _, err := tx.Get(protocol.KindClaim, gone); err != nil {
			return err
		}
		if err := tx.Remove(protocol.KindClaim, gone); err != nil {
			return err
		}
		if c.r.IntN(3) == 0 { // it comes back in the same transaction, somewhere else
			return tx.Put(claim(gone, "file:elsewhere/"+id))
		}
		c.claims = append(c.claims[:i:i], c.claims[i+1:]...)
		return nil
	}
	c.sessions = append(c.sessions, "session-"+id)
	closed := c.sessions[c.r.IntN(len(c.sessions))]
	if err := put(tx, session("session-"+id, fmt.Sprint("p", c.r.IntN(4)), protocol.SessionOpen)); err != nil {
		return err
	}
	return put(tx, session(closed, "p1", protocol.SessionClosed))
}

// agree compares every index under every key that occurs with a look at every record.
func agree(t *testing.T, s *fsstore.Store, r *rand.Rand, what string) {
	t.Helper()
	err := s.View(context.Background(), func(reader core.Reader) error {
		keys := map[string]core.IndexKey{}
		for _, name := range core.Indexes {
			keys[string(name)] = core.IndexKey{Index: name}
			keys[string(name)+"?"] = core.IndexKey{Index: name, Key: []string{"nobody"}}
		}
		for kind, index := range map[protocol.Kind]core.Index{protocol.KindMessage: core.MessagesInOrder, protocol.KindClaim: core.LiveClaims, protocol.KindSession: core.OpenSessions} {
			all, err := fsstore.Scan(reader, core.Query{Index: index})
			if err != nil {
				return err
			}
			for _, e := range all {
				stored, _, err := reader.Get(kind, e.ID)
				if err != nil {
					return err
				}
				for _, k := range core.Keys(stored.Record) {
					keys[fmt.Sprint(k)] = k
				}
			}
		}
		for _, to := range []string{"bob", "cyd", "dot", "author-0", "author-1"} {
			for _, name := range []core.Index{core.PendingReceipts, core.QueuedReceipts, core.OwedReceipts, core.ObligationsByAuthor, core.LiveOffers} {
				keys[string(name)+to] = core.IndexKey{Index: name, Key: []string{to}}
			}
		}
		for _, k := range keys {
			q := core.Query{Index: k.Index, Key: k.Key, Reverse: r.IntN(2) == 0, Limit: r.IntN(3) * 2}
			if r.IntN(2) == 0 {
				q.After = &core.Entry{Position: uint64(r.IntN(200)), ID: "m"}
			}
			want, err := fsstore.Scan(reader, q)
			if err != nil {
				return err
			}
			got, err := reader.Find(q)
			if err != nil {
				return err
			}
			if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
				t.Fatalf("%s: %+v (-records +index):\n%s", what, q, diff)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func TestIndexesAgree(t *testing.T) {
	simulated(t)
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 2))
			life := &churn{r: r}
			d := vfstest.NewDisk()
			for i := range 220 {
				s := onDisk(d.Process())
				if _, err := s.Update(context.Background(), life.step); err != nil {
					t.Fatal(err)
				}
				if i%9 == 0 || i < 5 {
					agree(t, s, r, fmt.Sprint("after commit ", i))
				}
				if i%50 == 0 {
					storetest.Check(t, s)
				}
			}
			storetest.Check(t, onDisk(d.Process()))
		})
	}
}

// rebuilding is a store of a process that may make the indexes again.
func rebuilding(d *vfstest.Disk) *fsstore.Store {
	s, err := sweeper{options: rebuilder}.store(d.Process())
	if err != nil {
		panic(err)
	}
	return s
}

func lived(t *testing.T, commits int) *vfstest.Disk { return livedOn(t, onDisk, commits) }

func livedOn(t *testing.T, open func(vfs.FS) *fsstore.Store, commits int) *vfstest.Disk {
	t.Helper()
	life := &churn{r: rand.New(rand.NewPCG(9, 9))}
	d := vfstest.NewDisk()
	for range commits {
		if _, err := open(d.Process()).Update(context.Background(), life.step); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// TestIndexDamage: what cannot be trusted is said to be unavailable by a process that may not mend it, never
// answered wrongly, and never fails a commit. A process that may mend it does so and answers.
func TestIndexDamage(t *testing.T) {
	simulated(t)
	const commits = 150
	whole := lived(t, commits)
	manifest := diskDir + "/indexes/v1/cache.json"
	for name, damage := range map[string]func(d *vfstest.Disk){
		"no manifest":        func(d *vfstest.Disk) { d.RemoveAll(manifest) },
		"nothing at all":     func(d *vfstest.Disk) { d.RemoveAll(diskDir + "/indexes") },
		"no pages":           func(d *vfstest.Disk) { d.RemoveAll(diskDir + "/indexes/v1/pages") },
		"manifest torn":      func(d *vfstest.Disk) { m := readFile(t, d, manifest); d.WriteFile(manifest, m[:len(m)/2]) },
		"manifest all zeros": func(d *vfstest.Disk) { d.WriteFile(manifest, make([]byte, len(readFile(t, d, manifest)))) },
		"manifest too old": func(d *vfstest.Disk) {
			old := readFile(t, lived(t, commits-fsstore.MaxLag-fsstore.Lag), manifest)
			d.WriteFile(manifest, old)
		},
		"manifest of another store": func(d *vfstest.Disk) {
			m := strings.Replace(string(readFile(t, d, manifest)), `"store": "`, `"store": "0`, 1)
			d.WriteFile(manifest, []byte(m))
		},
		"roots exchanged": func(d *vfstest.Disk) {
			m := string(readFile(t, d, manifest))
			pages := regexp.MustCompile(`"page": "[0-9a-f]{64}"`).FindAllString(m, 2)
			d.WriteFile(manifest, []byte(strings.NewReplacer(pages[0], pages[1], pages[1], pages[0]).Replace(m)))
		},
		"every page damaged": func(d *vfstest.Disk) {
			for _, name := range d.Names(diskDir + "/indexes/v1/pages") {
				file := diskDir + "/indexes/v1/pages/" + name
				content := readFile(t, d, file)
				content[len(content)/2] ^= 1
				d.WriteFile(file, content)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := whole.Clone()
			damage(d)
			report, err := onDisk(d.Process()).Fsck(t.Context())
			if err != nil || len(report.Findings) == 0 || !report.Findings[0].Derived {
				t.Errorf("fsck: %+v, %v", report.Findings, err)
			}
			err = onDisk(d.Process()).View(t.Context(), func(r core.Reader) error {
				_, err := r.Find(core.Query{Index: core.MessagesInOrder})
				return err
			})
			if reason(err) != protocol.ReasonIndexUnavailable {
				t.Errorf("a process that may not mend got %v", err)
			}
			if _, err := onDisk(d.Process()).Update(t.Context(), func(tx core.Tx) error { return put(tx, participant("new", "new")) }); err != nil {
				t.Errorf("a commit failed: %v", err)
			}
			viewed, updated := d.Clone(), d.Clone()
			agree(t, rebuilding(viewed), rand.New(rand.NewPCG(1, 1)), "after a view made the indexes again")
			storetest.Check(t, onDisk(viewed.Process()))
			_, err = rebuilding(updated).Update(t.Context(), func(tx core.Tx) error {
				found, err := tx.Find(core.Query{Index: core.Participants, Limit: 1, Reverse: true})
				if len(found) != 1 || found[0].ID != "new" {
					t.Errorf("a transaction found %v", found)
				}
				return err
			})
			if err != nil {
				t.Errorf("a transaction that makes the indexes again: %v", err)
			}
			agree(t, onDisk(updated.Process()), rand.New(rand.NewPCG(1, 1)), "after a transaction made them again")
		})
	}
}

// TestIndexesDoNotHideADamagedJournal: where the frames after the indexes are damaged, nobody makes new indexes
// from the records and goes on; file and offset are named and nothing changes.
func TestIndexesDoNotHideADamagedJournal(t *testing.T) {
	d := livedOn(t, lazy, 10)
	journal := readFile(t, d, journalFile)
	journal[len(journal)/3] ^= 1
	d.WriteFile(journalFile, journal)
	find := func(r core.Reader) error {
		_, err := r.Find(core.Query{Index: core.MessagesInOrder})
		return err
	}
	err := rebuilding(d).View(t.Context(), find)
	refused(t, d, journal, len(journal)/3, err)
	_, err = rebuilding(d).Update(t.Context(), func(tx core.Tx) error { return find(tx) })
	refused(t, d, journal, len(journal)/3, err)
	if d.Names(diskDir+"/indexes/v1/pages") != nil {
		t.Error("indexes were made over a damaged journal")
	}
}

// TestIndexLag: up to the bound the frames that the indexes do not know are laid over them.
func TestIndexLag(t *testing.T) {
	simulated(t)
	d := lived(t, 40)
	s := onDisk(failingPages(d))
	life := &churn{r: rand.New(rand.NewPCG(5, 5)), n: 1000}
	unavailable := 0
	for range fsstore.MaxLag + 20 {
		if _, err := s.Update(context.Background(), life.step); err != nil {
			t.Fatal(err)
		}
		err := s.View(context.Background(), func(r core.Reader) error {
			want, err := fsstore.Scan(r, core.Query{Index: core.MessagesInOrder})
			if err != nil {
				return err
			}
			got, err := r.Find(core.Query{Index: core.MessagesInOrder})
			if err == nil && cmp.Diff(want, got) != "" {
				t.Fatal("the index differs from the records")
			}
			return err
		})
		if reason(err) == protocol.ReasonIndexUnavailable {
			unavailable++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if unavailable == 0 || unavailable > 25 {
		t.Errorf("the index was unavailable %d times", unavailable)
	}
}

// failingPages gives a process that can write no page.
func failingPages(d *vfstest.Disk) vfs.FS {
	return vfstest.Wrap(d.Process(), func(op vfstest.Op) (e vfstest.Effect) {
		if (op.Name == "Rename" || op.Name == "Exchange") && strings.HasPrefix(op.Path, "indexes/") {
			e.Err = fmt.Errorf("no page today")
		}
		return e
	})
}
