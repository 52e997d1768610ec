package ui

import (
	"fmt"
	"time"
)

// progressAfter is how long a person is left without a word.
const progressAfter = time.Second

// Progress tells a person at a terminal that something goes on. Elsewhere it is silent.
type Progress struct {
	ui    *UI
	what  string
	next  time.Time
	shown bool
}

// Progress begins something that may take long.
func (u *UI) Progress(what string) *Progress {
	return &Progress{ui: u, what: what, next: time.Now().Add(progressAfter)}
}

// Step says how many are done.
func (p *Progress) Step(n int) {
	now := time.Now()
	if now.Before(p.next) || !isTerminal(p.ui.err) {
		return
	}
	p.shown, p.next = true, now.Add(progressAfter/4)
	fmt.Fprintf(p.ui.err, "\r%s: %d", p.what, n)
}

// Done takes the line away.
func (p *Progress) Done() {
	if p.shown {
		fmt.Fprint(p.ui.err, "\r\x1b[K")
		p.shown = false
	}
}
