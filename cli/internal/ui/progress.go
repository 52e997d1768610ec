package ui

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	progressAfter = time.Second            // how long a person is left without a word
	progressEvery = 250 * time.Millisecond // how often the line changes
)

// Progress tells a person at a terminal that something goes on, from its second second on. Elsewhere it is
// silent. Whatever else is printed takes the line away for good.
type Progress struct {
	steps atomic.Int64
	stop  func()
}

// Progress begins something that may take long, and ends what went on before.
func (u *UI) Progress(what string) *Progress {
	u.Quiet()
	p := &Progress{stop: func() {}}
	if u.silent || !isTerminal(u.err) {
		return p
	}
	over, ended := make(chan struct{}), make(chan struct{})
	p.stop = sync.OnceFunc(func() {
		close(over)
		<-ended
	})
	u.progress = p
	go func() {
		defer close(ended)
		p.show(u, what, over)
	}()
	return p
}

// show paints the line until it is over, and takes it away.
func (p *Progress) show(u *UI, what string, over <-chan struct{}) {
	begun := time.Now()
	wait := time.NewTimer(progressAfter)
	defer wait.Stop()
	for shown := false; ; shown = true {
		select {
		case <-over:
			if shown {
				fmt.Fprint(u.err, "\r\x1b[K")
			}
			return
		case <-wait.C:
		}
		text := Span(time.Since(begun))
		if n := p.steps.Load(); n > 0 {
			text = fmt.Sprint(n)
		}
		fmt.Fprintf(u.err, "\r%s: %s\x1b[K", what, text)
		wait.Reset(progressEvery)
	}
}

// Step says how many are done.
func (p *Progress) Step(n int) { p.steps.Store(int64(n)) }

// Done takes the line away.
func (p *Progress) Done() { p.stop() }

// Quiet ends what goes on, because something is about to be printed or all is done.
func (u *UI) Quiet() {
	if u.progress != nil {
		u.progress.Done()
		u.progress = nil
	}
}

// Silent keeps every progress line away: stderr says nothing beside a JSON object.
func (u *UI) Silent() { u.silent = true }
