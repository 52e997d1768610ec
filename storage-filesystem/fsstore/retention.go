package fsstore

import (
	"context"
	"fmt"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// retention is retention.json: the floor below which events may be gone.
type retention struct{ TrimmedThrough string }

var retentionFormat = &strictjson.Object[retention]{
	Name: "retention", Doc: "What was trimmed.", MaxBytes: maxMark,
	Members: func() []strictjson.Member[retention] {
		return []strictjson.Member[retention]{
			strictjson.Field("trimmedThrough", "highest sequence whose event may be gone", func(r *retention) *string { return &r.TrimmedThrough },
				strictjson.String[string](&strictjson.Rule{Label: "sequence", Check: checkSequence})),
		}
	},
}

func checkSequence(s string) string {
	if _, err := protocol.ParseSequence(s); err != nil {
		return "must be a sequence of 16 digits"
	}
	return ""
}

// readFloor gives the trim floor; one that cannot be read is none.
func readFloor(dir vfs.Dir) (uint64, error) {
	raw, err := dir.ReadFile(retentionFile, maxMark)
	if vfs.Missing(err) {
		return 0, nil
	}
	if err != nil {
		return 0, readError(retentionFile, err)
	}
	r, err := retentionFormat.Decode(raw)
	if err != nil {
		return 0, nil
	}
	return protocol.ParseSequence(r.TrimmedThrough)
}

// TrimReport says what a trim did.
type TrimReport struct {
	TrimmedThrough uint64 // the floor from now on: events up to it are not readable
	Segments       int    // removed now
	Bytes          int64  // of them
	Kept           int    // segments that hold only trimmed events and wait for a checkpoint
	From           uint64 // first sequence of the oldest segment that is left: its frames hold everything they wrote
}

// Trim gives up the events up to a sequence. The floor is raised, durably and for good, before anything is
// removed; a floor that is higher already stays. Whole segments below it are removed once the checkpoint
// vouches for the state without them and the indexes know them; events in a segment that is needed for later ones are only hidden.
func (s *Store) Trim(ctx context.Context, through uint64) (TrimReport, error) {
	var report TrimReport
	err := s.write(ctx, func(w *writing) (err error) {
		report, err = w.trim(ctx, through)
		return err
	})
	return report, err
}

func (w *writing) trim(ctx context.Context, through uint64) (TrimReport, error) {
	floor, err := readFloor(w.dir)
	if err != nil {
		return TrimReport{}, err
	}
	if through > w.last.Sequence {
		return TrimReport{}, protocol.UsageError("", fmt.Sprintf("the newest event is %d: nothing up to %d can be trimmed", w.last.Sequence, through))
	}
	if through > floor {
		if err := w.raiseFloor(through); err != nil {
			return TrimReport{}, err
		}
		floor = through
	}
	report := TrimReport{TrimmedThrough: floor}
	if err := w.knowEverything(ctx); err != nil { // what is removed is no longer there to be laid over them
		return report, err
	}
	return report, w.removeSegments(&report)
}

// knowEverything brings the indexes up to the last frame, whatever it takes.
func (w *writing) knowEverything(ctx context.Context) error {
	err := w.catchUp(ctx, w.manifest, w.last.Generation, w.last.Generation)
	if protocol.ReasonOf(err) == protocol.ReasonIndexUnavailable && w.store.opts.Rebuild {
		return w.rebuildIndexes(ctx)
	}
	return err
}

func (w *writing) raiseFloor(floor uint64) error {
	raw, err := retentionFormat.AppendIndent(nil, &retention{protocol.FormatSequence(floor)})
	if err == nil {
		w.store.step(StepTrimFloor)
		err = replaceDurably(w.dir, retentionFile, raw)
	}
	if err != nil {
		return writeError(retentionFile, err)
	}
	return nil
}

// removeSegments removes, oldest first, the segments whose events are all below the floor and that lie
// before those in which the checkpoint and its manifest stand: whoever starts from there finds its place.
func (w *writing) removeSegments(report *TrimReport) error {
	all, err := w.journal.segments()
	if err != nil {
		return err
	}
	if len(all) > 0 {
		report.From = all[0]
	}
	durable, err := readManifest(w.dir, durableFile, w.journal.tag)
	if err != nil {
		return err
	}
	needed := min(w.checkpoint.placeOf().Segment, w.manifest.placeOf().Segment, durable.placeOf().Segment)
	for i := 0; i+1 < len(all) && all[i+1]-1 <= report.TrimmedThrough; i++ {
		if all[i] >= needed {
			report.Kept++
			continue
		}
		name := segmentFile(all[i])
		st, err := w.dir.Stat(name)
		if err != nil {
			return readError(name, err)
		}
		w.store.step(StepTrimSegment)
		if err := w.dir.Remove(name); err != nil {
			return writeError(name, err)
		}
		if err := w.dir.SyncDir(journalDir); err != nil { // one at a time: a power cut never leaves a hole
			return writeError(journalDir, err)
		}
		report.Segments++
		report.Bytes += st.Size
		report.From = all[i+1]
	}
	return nil
}

// GenerationThrough gives the last generation whose events, and those of all generations before it, are at
// or below a sequence; 0 if the journal no longer says.
func (s *Store) GenerationThrough(ctx context.Context, sequence uint64) (generation uint64, err error) {
	err = s.View(ctx, func(r core.Reader) error {
		snap, ok := r.(*snapshot)
		if !ok {
			return nil // nothing was ever committed
		}
		generation, err = snap.generationThrough(sequence)
		return snap.note(err)
	})
	return generation, err
}

func (s *snapshot) generationThrough(sequence uint64) (uint64, error) {
	if sequence >= s.at.Sequence {
		return s.at.Generation, nil
	}
	if s.at.Segment == 0 {
		return 0, nil
	}
	first, err := s.segmentOf(sequence + 1)
	if err != nil || sequence+1 < first {
		return 0, err
	}
	end, err := s.endOf(first)
	if err != nil {
		return 0, err
	}
	found, err := s.journal.locate(first, end, sequence+1)
	if err != nil {
		return 0, err
	}
	through := found.last.Generation
	err = s.journal.each(&found, end, func(e *entry) bool {
		if e.Sequence > sequence {
			return false
		}
		through = e.place.Generation
		return true
	})
	return through, err
}
