package fsstore

import (
	"context"
	"errors"
	"io"
	"path"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/index"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// checkpointFiles is how many state files are made durable before the checkpoint is raised to them, so that
// what a deadline cuts short was not done in vain.
const checkpointFiles = 4096

// Checkpoint makes the state files durable and says so, which bounds what must be replayed after a power
// cut. It is for commands and the worker: it may flush a lot. Readers and writers go on meanwhile; the
// writer lock is taken only at the end of each part. Without a head of this boot there is nothing to do yet.
func (s *Store) Checkpoint(ctx context.Context) error {
	for {
		c, err := s.checkpointPart(ctx, checkpointFiles)
		if err != nil || !c.more {
			return err
		}
	}
}

// checkpointPart raises the checkpoint over about as many state files as it is told, at least one frame.
func (s *Store) checkpointPart(ctx context.Context, files int) (*checkpointing, error) {
	c := &checkpointing{store: s, files: files}
	if err := s.usable(); err != nil {
		return c, err
	}
	dir, err := s.openDir()
	if dir == nil || err != nil {
		return c, err
	}
	defer dir.Close()
	id, found, err := s.settled(dir, false)
	if !found || err != nil {
		return c, err
	}
	c.dir, c.journal = dir, journal{dir, id.tag()}
	if todo, err := c.choose(headFile); !todo || err != nil {
		return c, err
	}
	err = s.write(ctx, func(w *writing) error {
		if w.from != w.last {
			w.publish(ctx)
		}
		s.diagnose(w.catchUp(ctx, w.manifest, w.last.Generation, catchUpMost))
		return nil
	})
	if err != nil {
		return c, err
	}
	if todo, err := c.choose(appliedFile); !todo || err != nil { // what was published meanwhile belongs to it, too
		return c, err
	}
	if err := c.flush(ctx); err != nil {
		return c, err
	}
	return c, s.write(ctx, c.raise)
}

// checkpointing is one checkpoint on its way. Its steps are numbered in docs/storage.md.
type checkpointing struct {
	store        *Store
	dir          vfs.Dir
	journal      journal
	from, target place
	manifest     *manifest  // of the indexes; nil: there is none
	state        vfs.FileID // of the directory that is flushed
	files        int        // to make durable, about
	done         int        // ... that were
	more         bool       // the state is published further than the target
}

// choose reads the target from a mark, before anything is flushed: what is published later is not covered.
func (c *checkpointing) choose(name string) (todo bool, err error) {
	c.store.step(StepCheckpointTarget)
	target, err := readMark(c.dir, name)
	if err != nil || !c.store.ours(target) {
		return false, err
	}
	checkpoint, err := readMark(c.dir, checkpointFile)
	if err != nil {
		return false, err
	}
	st, err := c.dir.Stat(stateDir)
	if vfs.Missing(err) {
		return false, nil
	}
	if err != nil {
		return false, readError(stateDir, err)
	}
	if c.manifest, err = readManifest(c.dir, manifestFile, c.journal.tag); err != nil {
		return false, err
	}
	c.from, c.target, c.state = checkpoint.placeOf(), target.place, st.ID
	return c.target.Generation > c.from.Generation, nil
}

// flush writes the files of every record that changed once more, because a failed flush may have left pages
// that only look clean, and makes them and their directories durable.
func (c *checkpointing) flush(ctx context.Context) error {
	keys := map[recordKey]bool{}
	published := c.target
	err := c.journal.walk(c.from, published, func(e *entry) bool {
		for _, p := range e.Puts {
			keys[recordKey{protocol.Kind(p.Kind), p.ID}] = true
		}
		for _, r := range e.Removes {
			keys[recordKey{protocol.Kind(r.Kind), r.ID}] = true
		}
		c.target = e.place
		return len(keys) < c.files
	})
	if err != nil {
		return err
	}
	c.done, c.more = len(keys), c.target != published
	dirs := map[string]bool{"": true, stateDir: true}
	for key := range keys {
		if err := ctx.Err(); err != nil {
			return tooLate(err)
		}
		c.store.step(StepCheckpointFile)
		if err := rewrite(c.dir, key.file(), false); err != nil {
			return writeError(key.file(), err)
		}
		dirs[key.dir()], dirs[path.Dir(key.dir())] = true, true
	}
	if err := c.eachNewPage(func(file string) error { return rewrite(c.dir, file, false) }); err != nil {
		return err
	}
	c.store.step(StepCheckpointSync)
	err = c.dir.SyncAll()
	if !errors.Is(err, vfs.ErrUnsupported) {
		if err != nil {
			return writeError(stateDir, err)
		}
		return nil
	}
	return c.flushEach(keys, dirs)
}

// flushEach is for platforms that cannot flush everything at once.
func (c *checkpointing) flushEach(keys map[recordKey]bool, dirs map[string]bool) error {
	for key := range keys {
		if err := rewrite(c.dir, key.file(), true); err != nil {
			return writeError(key.file(), err)
		}
	}
	if err := c.eachNewPage(func(file string) error { return rewrite(c.dir, file, true) }); err != nil {
		return err
	}
	for _, dir := range []string{pagesDir, indexDir, path.Dir(indexDir)} {
		dirs[dir] = true
	}
	for dir := range dirs {
		if err := c.dir.SyncDir(dir); err != nil && !vfs.Missing(err) {
			return writeError(dir, err)
		}
	}
	return nil
}

// eachNewPage names the pages of the indexes that no checkpoint has flushed yet.
func (c *checkpointing) eachNewPage(yield func(file string) error) error {
	if c.manifest == nil {
		return nil
	}
	before, err := readManifest(c.dir, durableFile, c.journal.tag)
	if err != nil {
		return err
	}
	if before == nil {
		before = &manifest{}
	}
	now, old := &indexes{manifest: c.manifest, trees: map[core.Index]*index.Tree{}}, &indexes{manifest: before, trees: map[core.Index]*index.Tree{}}
	for _, name := range core.Indexes {
		err := now.tree(c.dir, name).Added(old.tree(c.dir, name), func(page string) error { return yield(pageFile(page)) })
		var damaged *index.PageError
		var gone *indexFault
		if errors.As(err, &damaged) || errors.As(err, &gone) { // whoever reads them finds that, too
			c.manifest = nil
			return nil
		}
		if err != nil {
			return writeError(pagesDir, err)
		}
	}
	return nil
}

// rewrite writes the bytes of a file over themselves. A file that is gone was removed or is not published.
func rewrite(dir vfs.Dir, name string, flush bool) error {
	f, err := dir.Open(name, vfs.Write)
	if vfs.Missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	content := make([]byte, st.Size)
	if _, err := f.ReadAt(content, 0); err != nil && err != io.EOF {
		return err
	}
	if _, err := f.WriteAt(content, 0); err != nil {
		return err
	}
	if flush {
		return f.Sync()
	}
	return nil
}

// raise records the checkpoint, under the lock, unless it is higher by now or the state was made again.
func (c *checkpointing) raise(w *writing) error {
	st, err := w.dir.Stat(stateDir)
	if err != nil {
		return readError(stateDir, err)
	}
	if st.ID != c.state || w.checkpoint.placeOf() != c.from || w.checkpoint.generationOf() >= c.target.Generation {
		return nil
	}
	if err := c.raiseManifest(w); err != nil {
		return err
	}
	raw, err := (&mark{place: c.target}).encode()
	if err == nil {
		w.store.step(StepCheckpointRaise)
		err = replaceDurably(w.dir, checkpointFile, raw)
	}
	if err != nil {
		return writeError(checkpointFile, err)
	}
	w.checkpoint = &mark{place: c.target}
	return nil
}

// raiseManifest records, before the checkpoint that counts on it, from which indexes the frames after the checkpoint
// can be rolled forward: their pages are flushed now.
func (c *checkpointing) raiseManifest(w *writing) error {
	if c.manifest == nil {
		return nil
	}
	raw, err := c.manifest.encode(w.journal.tag)
	if err == nil {
		w.store.step(StepCheckpointIndexes)
		err = replaceDurably(w.dir, durableFile, raw)
	}
	if err != nil {
		return writeError(durableFile, err)
	}
	return nil
}

// walk reads the frames after from up to to, a segment at a time, and keeps none of them. It ends when yield
// says false.
func (j journal) walk(from, to place, yield func(*entry) bool) error {
	if from.Generation >= to.Generation {
		return nil
	}
	found, err := j.begin(from)
	if err != nil {
		return err
	}
	for {
		end := to.End
		if found.segment != to.Segment {
			st, err := j.dir.Stat(segmentFile(found.segment))
			if err != nil {
				return readError(segmentFile(found.segment), err)
			}
			end = st.Size
		}
		ended := false
		if err := j.each(&found, end, func(e *entry) bool { ended = !yield(e); return !ended }); err != nil {
			return err
		}
		if ended || found.last.Generation >= to.Generation {
			return nil
		}
		if more, err := j.advance(&found); err != nil {
			return err
		} else if !more {
			return missingFrames(found, to.Generation)
		}
	}
}
