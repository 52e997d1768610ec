package hookrunner

import (
	"bytes"
	"errors"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// errNotAlone says that another hook writes the same file in this moment.
var errNotAlone = errors.New("another hook is writing it")

// overwrite writes over a small file of the conversation in place, with what edit makes of its content: hooks write
// one nearly every time, and to make a file and to replace a name takes a file system several times as long. It is
// for hints only: who is killed in between, or finds somebody else writing, leaves something that is none.
func (f ownerFiles) overwrite(ending string, most int64, edit func(was []byte) ([]byte, error)) error {
	file, err := f.openOver(ending)
	if vfs.Missing(err) {
		return err
	}
	if err != nil {
		return f.replace(ending, edit) // a link, somebody else's, or no file
	}
	defer func() { _ = file.Close() }()
	if alone, err := file.TryLock(); !alone || err != nil {
		return errors.Join(err, errNotAlone)
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size > most || info.Links > 1 {
		return f.replace(ending, edit) // blanks do not hide what no reader takes, and the other name is not ours to change
	}
	was := make([]byte, info.Size)
	n, _ := file.ReadAt(was, 0)
	data, err := edit(was[:n])
	if err != nil {
		return err
	}
	_, err = file.WriteAt(filled(data, n), 0)
	return err
}

// replace makes the file anew in the place of what cannot be written over.
func (f ownerFiles) replace(ending string, edit func(was []byte) ([]byte, error)) error {
	data, err := edit(nil)
	if err != nil {
		return err
	}
	return f.tree.Write(f.stem+ending, data)
}

// openOver opens the file of that ending, or makes it.
func (f ownerFiles) openOver(ending string) (vfs.File, error) {
	dir, err := f.fs.Open(f.base, f.dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	name := f.name(ending)
	file, err := dir.Open(name, vfs.OpenOrCreate)
	if vfs.Missing(err) && dir.Mkdir(bindingsDir) == nil {
		file, err = dir.Open(name, vfs.OpenOrCreate)
	}
	return file, err
}

// filled puts blanks behind data, so that nothing of the was bytes that it is written over remains. It grows by
// blocks, so that most files keep their size.
func filled(data []byte, was int) []byte {
	const block = 512
	size := max(was, (len(data)+block-1)/block*block)
	return append(data, bytes.Repeat([]byte(" "), size-len(data))...)
}
