package livefiles

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/acc-control-plane/acc/protocol"
)

// SessionAttempt is the last attempt of one session, of its newest generation that made one.
type SessionAttempt struct {
	SessionID string
	Attempt
}

// Attempts gives the attempts of all sessions of the room, for diagnosis. Files that cannot be read are
// left out and counted in unreadable.
func (l *Ledger) Attempts() (all []SessionAttempt, unreadable int, err error) {
	entries, err := os.ReadDir(filepath.Join(l.dir, "attempt"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, protocol.DataError("", "cannot list the attempts to bind: "+err.Error()).Because(err)
	}
	newest := map[string]int{}
	for _, e := range entries {
		name, isRecord := strings.CutSuffix(e.Name(), ".json")
		dot := strings.LastIndexByte(name, '.')
		if !isRecord || dot < 0 {
			continue
		}
		a, found := l.LastAttempt(name[:dot], name[dot+1:])
		if !found {
			unreadable++
			continue
		}
		i, known := newest[name[:dot]]
		switch {
		case !known:
			newest[name[:dot]] = len(all)
			all = append(all, SessionAttempt{name[:dot], a})
		case a.At.After(all[i].At):
			all[i].Attempt = a
		}
	}
	return all, unreadable, nil
}
