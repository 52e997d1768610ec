package fsstore

import "github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"

// Holder says who holds the writer lock at this moment, in the words that the holder left in the lock file;
// held is false if nobody does. It is for diagnosis: by the time the caller reads it, it may be past. To find
// out, the lock is tried and given up at once.
func (s *Store) Holder() (owner string, held bool, err error) {
	dir, err := s.openDir()
	if dir == nil || err != nil {
		return "", false, err
	}
	defer dir.Close()
	f, err := dir.Open(lockFile, vfs.Write)
	if vfs.Missing(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, ioError("cannot open "+lockFile, err)
	}
	defer f.Close()
	free, err := f.TryLock()
	if err != nil {
		return "", false, ioError("cannot try "+lockFile, err)
	}
	if free {
		return "", false, nil
	}
	return lockOwner(dir), true, nil
}
