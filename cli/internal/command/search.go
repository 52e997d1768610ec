package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/search"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
	flags "github.com/urfave/cli/v2"
)

func searchCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "search", Group: groupRoom,
			Summary:   "find messages by their words, best first",
			Arguments: []argv.Argument{{Name: "TEXT", Repeated: true, Usage: "words that must all be there; \"a phrase\" counts as one"}},
			Options: withHeader([]argv.Option{
				{Name: "from", Value: "NAME", Usage: "only messages of this participant"},
				{Name: "type", Value: "TYPE", Usage: "only messages of this type", Choices: texts(
					protocol.Note, protocol.Question, protocol.Request, protocol.Answer, protocol.Decision, protocol.Handoff)},
				{Name: "since", Value: "TIME", Usage: "2026-12-31, a full RFC 3339 time, or an age such as 90m or 7d"},
				{Name: "until", Value: "TIME", Usage: "before that time"},
				{Name: "limit", Value: "N", Default: "20", Usage: "messages"},
			}...),
			Notes: []string{
				"Looks at subject, body, author and type. Letter case does not matter. Reading changes no receipt.",
				"Keeps a copy of what it searched beside the room's store, readable by you alone.",
			},
		},
		Patience: 10 * time.Minute, // the first search of a long history reads all of it
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			opts, err := parseSearch(given, time.Now())
			if err != nil {
				return Answer{}, err
			}
			return opts.run(ctx, inv)
		},
	}
}

type searchOptions struct{ query search.Query }

func parseSearch(given *flags.Context, now time.Time) (searchOptions, error) {
	size, err := limit(given, protocol.InboxPageMax)
	if err != nil {
		return searchOptions{}, err
	}
	q := search.Query{
		Words: search.Words(given.Args().Slice()...), From: given.String("from"), MessageKind: protocol.MessageKind(given.String("type")), Limit: size,
	}
	if q.Limit == 0 {
		q.Limit = protocol.InboxPageDefault
	}
	if q.Since, err = moment(given, "since", now); err != nil {
		return searchOptions{}, err
	}
	if q.Until, err = moment(given, "until", now); err != nil {
		return searchOptions{}, err
	}
	if len(q.Words) == 0 && q.From == "" && q.MessageKind == "" && q.Since.IsZero() && q.Until.IsZero() {
		return searchOptions{}, invalid("acc search needs TEXT, --from, --type, --since or --until").WithHint("acc search --help")
	}
	return searchOptions{q}, nil
}

func (o searchOptions) run(ctx context.Context, inv *Invocation) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	if err := onRecord(ctx, r, o.query.From); err != nil {
		return Answer{}, err
	}
	corpus, err := corpusOf(ctx, inv, r)
	if err != nil {
		return Answer{}, err
	}
	hits, total := corpus.Find(o.query)
	data := view.FoundData{Total: total}
	for _, hit := range hits {
		whole, err := bounded(ctx, func(ctx context.Context) (core.HistoryMessage, error) { return r.Core.Message(ctx, hit.MessageID) })
		if protocol.ReasonOf(err) == protocol.ReasonNotFound {
			data.Total-- // pruned since it was taken in
			continue
		}
		if err != nil {
			return Answer{}, err
		}
		data.Items = append(data.Items, view.Found{Message: whole.Message, Score: hit.Score, Excerpt: excerpt(whole.Message.Body, o.query.Words)})
	}
	a := answer(view.Search, data, func(u *ui.UI) { sayFound(u, data) })
	a.WorkspaceID = r.Workspace.ID
	return a, nil
}

// onRecord refuses the name of a participant that the room never knew: nothing found would tell nobody of the slip.
func onRecord(ctx context.Context, r *room.Room, name string) error {
	if name == "" {
		return nil
	}
	known := false
	err := r.Store.View(ctx, func(reader core.Reader) (err error) {
		_, known, err = reader.Get(protocol.KindParticipant, name)
		return err
	})
	if err != nil || known {
		return err
	}
	return protocol.DataError(protocol.ReasonNotFound, fmt.Sprintf("no participant %q in this room", name)).WithHint("acc status --all lists everyone")
}

// corpusOf brings the cached messages of a room up to date.
func corpusOf(ctx context.Context, inv *Invocation, r *room.Room) (*search.Corpus, error) {
	path := filepath.Join(r.Dir, "search", "messages")
	corpus := search.Load(path)
	before := corpus.Cursor
	taking := taking{corpus: corpus, room: r, progress: inv.UI.Progress("reading messages")}
	defer taking.progress.Done()
	gap, err := taking.events(ctx)
	if err == nil && gap {
		err = taking.history(ctx)
	}
	if err != nil {
		return nil, err
	}
	if corpus.Cursor == before {
		return corpus, nil
	}
	return corpus, corpus.Save(r.Home.Root, path)
}

// taking takes messages into a corpus.
type taking struct {
	corpus   *search.Corpus
	room     *room.Room
	progress *ui.Progress
}

// events takes in what the journal tells since the corpus was kept. gap says that the journal does not
// reach back so far.
func (t taking) events(ctx context.Context) (gap bool, err error) {
	for {
		page, err := bounded(ctx, func(ctx context.Context) (core.SyncResult, error) {
			return t.room.Core.Sync(ctx, core.SyncQuery{Cursor: protocol.FormatSequence(t.corpus.Cursor), Limit: protocol.EventsPageMax})
		})
		if err != nil {
			return false, err
		}
		gap = gap || page.TrimmedThrough > t.corpus.Cursor
		for _, e := range page.Events {
			if e.Type != protocol.MessageRecorded {
				continue
			}
			payload, err := protocol.DecodePayload(e)
			if err != nil {
				return false, err
			}
			recorded, _ := payload.(protocol.MessageRecordedPayload)
			if err := t.message(ctx, recorded.MessageID); err != nil {
				return false, err
			}
		}
		if t.corpus.Cursor, err = protocol.ParseSequence(page.Cursor); err != nil || !page.More {
			return gap, err
		}
	}
}

// history takes in everything that is on record, newest first.
func (t taking) history(ctx context.Context) error {
	query := core.HistoryQuery{Limit: protocol.InboxPageMax}
	for {
		page, err := bounded(ctx, func(ctx context.Context) (core.HistoryPage, error) { return t.room.Core.History(ctx, query) })
		if err != nil {
			return err
		}
		for _, m := range page.Items {
			if err := t.message(ctx, m.MessageID); err != nil {
				return err
			}
		}
		if query.Cursor = page.NextCursor; query.Cursor == "" {
			return nil
		}
	}
}

func (t taking) message(ctx context.Context, id string) error {
	whole, err := bounded(ctx, func(ctx context.Context) (core.HistoryMessage, error) { return t.room.Core.Message(ctx, id) })
	var e *protocol.Error
	if errors.As(err, &e) && e.Reason == protocol.ReasonNotFound {
		return nil // pruned
	}
	if err != nil {
		return err
	}
	t.corpus.Add(whole.Message)
	t.progress.Step(t.corpus.Len())
	return nil
}

// excerptColumns is how much of the line with the first word is shown.
const excerptColumns = 80

// excerpt gives the line of a body in which one of the words stands, or its first line.
func excerpt(body string, words []string) string {
	lines := strings.Split(body, "\n")
	for _, line := range lines {
		for _, word := range words {
			if at := strings.Index(strings.ToLower(line), strings.ToLower(word)); at >= 0 {
				return ui.Cut(strings.TrimSpace(line), excerptColumns)
			}
		}
	}
	return ui.Cut(strings.TrimSpace(lines[0]), excerptColumns)
}

func sayFound(u *ui.UI, data view.FoundData) {
	now := time.Now()
	for _, found := range data.Items {
		m := found.Message
		u.Table("", [][]ui.Cell{ui.Row(m.MessageID, m.FromParticipantID, what(m.MessageKind, m.Obligation), ui.Ago(now, m.SentAt), ui.Cut(ui.Escape(m.Subject), 60))})
		u.Print("  %s", ui.Quote(found.Excerpt)[0])
	}
	if hidden := data.Total - len(data.Items); hidden > 0 {
		u.Print("%d more: --limit %d", hidden, min(data.Total, protocol.InboxPageMax))
	}
}
