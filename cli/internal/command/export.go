package command

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
	flags "github.com/urfave/cli/v2"
)

// The formats of export.
const (
	formatJSONL    = "jsonl"
	formatMarkdown = "markdown"
)

func exportCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "export", Group: groupRoom,
			Summary: "write every message of the room, or of one thread, oldest first",
			Options: withHeader([]argv.Option{
				{Name: "format", Value: "FORMAT", Default: formatJSONL, Choices: []string{formatJSONL, formatMarkdown}, Usage: "for programs or for people"},
				{Name: "thread", Value: "ID", Usage: "only the conversation of this message"},
				{Name: "output", Value: "PATH", Default: "stdout", Usage: "a new file, readable by you alone"},
			}...),
			Notes: []string{"Bodies are included, keys and endpoints never. With --json give --output: stdout then holds the answer."},
		},
		Patience: MaxWait,
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			opts, err := parseExport(inv, given)
			if err != nil {
				return Answer{}, err
			}
			return opts.run(ctx, inv)
		},
	}
}

type exportOptions struct{ format, thread, output string }

func parseExport(inv *Invocation, given *flags.Context) (exportOptions, error) {
	o := exportOptions{given.String("format"), given.String("thread"), given.String("output")}
	if o.format == "" {
		o.format = formatJSONL
	}
	if o.output == "" {
		if inv.JSON {
			return o, invalid("acc export --json needs --output PATH").WithHint("acc export alone writes lines of JSON to stdout")
		}
		return o, nil
	}
	cwd, err := inv.Cwd()
	if err != nil {
		return o, err
	}
	if !filepath.IsAbs(o.output) {
		o.output = filepath.Join(cwd, o.output)
	}
	return o, nil
}

func (o exportOptions) run(ctx context.Context, inv *Invocation) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	ids, err := o.messages(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	if o.output == "" {
		return Answer{}, o.write(ctx, inv, r, ids, inv.UI)
	}
	f, err := os.OpenFile(o.output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return Answer{}, protocol.ConflictError(protocol.ReasonOutputExists, o.output+" is already there").WithHint("name another file")
	}
	if err != nil {
		return Answer{}, protocol.DataError("", "cannot write the export: "+err.Error()).Because(err)
	}
	if err := errors.Join(o.write(ctx, inv, r, ids, f), f.Close()); err != nil {
		return Answer{}, err
	}
	data := view.ExportedData{Path: o.output, Format: o.format, Messages: len(ids)}
	a := answer(view.Exported, data, func(u *ui.UI) { u.Print("wrote %d messages to %s", data.Messages, ui.Escape(data.Path)) })
	a.WorkspaceID = r.Workspace.ID
	return a, nil
}

// messages gives the ids to export, oldest first.
func (o exportOptions) messages(ctx context.Context, r *room.Room) ([]string, error) {
	query := core.HistoryQuery{Limit: protocol.InboxPageMax}
	if o.thread != "" {
		some, err := bounded(ctx, func(ctx context.Context) (core.HistoryMessage, error) { return r.Core.Message(ctx, o.thread) })
		if err != nil {
			return nil, err
		}
		query.ThreadID = some.Message.ThreadID
	}
	var ids []string
	for {
		page, err := bounded(ctx, func(ctx context.Context) (core.HistoryPage, error) { return r.Core.History(ctx, query) })
		if err != nil {
			return nil, err
		}
		for _, m := range page.Items {
			ids = append(ids, m.MessageID)
		}
		if query.Cursor = page.NextCursor; query.Cursor == "" {
			slices.Reverse(ids)
			return ids, nil
		}
	}
}

func (o exportOptions) write(ctx context.Context, inv *Invocation, r *room.Room, ids []string, to io.Writer) error {
	progress := inv.UI.Progress("writing messages")
	defer progress.Done()
	out := bufio.NewWriter(to)
	for i, id := range ids {
		whole, err := bounded(ctx, func(ctx context.Context) (core.HistoryMessage, error) { return r.Core.Message(ctx, id) })
		if err != nil {
			return err
		}
		var text []byte
		if o.format == formatMarkdown {
			text = view.AppendMarkdown(nil, whole)
		} else if text, err = view.AppendLine(nil, whole); err != nil {
			return protocol.DataError("", "message "+id+" cannot be written: "+err.Error()).Because(err)
		}
		if _, err := out.Write(text); err != nil {
			return protocol.DataError("", "cannot write the export: "+err.Error()).Because(err)
		}
		progress.Step(i + 1)
	}
	if err := out.Flush(); err != nil {
		return protocol.DataError("", "cannot write the export: "+err.Error()).Because(err)
	}
	return nil
}
