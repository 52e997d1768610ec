package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// results is everything that was measured.
type results struct {
	rounds, busy, history int
	cases                 []pairResult
	floors                []measured
	crowds                []crowded
	filed                 float64 // per second: what lies below a send
	sends, flushes        float64 // per second, in one process
	search, replay        time.Duration
	sizes                 map[string]int64
	emptyCalls            counted
}

// pairResult is a case in a young and an old room.
type pairResult struct {
	young, old measured
	counted    counted
}

// markers in docs/performance.md; what stands between them is written by -write.
const (
	beginMark = "<!-- measured: go run ./tools/bench -write -->\n"
	endMark   = "<!-- end of what was measured -->\n"
)

func (r results) markdown() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s, %d processors, %s, %s. Median of %d runs each; beside %d busy processes as many again.\n\n",
		runtime.GOOS+" "+runtime.GOARCH, runtime.NumCPU(), runtime.Version(), time.Now().Format("2006-01-02"), r.rounds, r.busy)
	if len(r.cases) > 0 {
		r.writeCases(&b)
	}
	if len(r.floors) > 0 {
		r.writeFloors(&b)
	}
	if len(r.crowds) > 0 {
		r.writeCrowds(&b)
	}
	r.writeRest(&b)
	return b.String()
}

func (r results) writeCases(b *bytes.Buffer) {
	fmt.Fprintf(b, "| in a room of 100 messages | median | starts of an empty program | target | p95 | p99 | most memory | system calls (empty: %d) |\n|---|---|---|---|---|---|---|---|\n", r.emptyCalls.calls)
	for _, p := range r.cases {
		y := p.young
		fmt.Fprintf(b, "| %s | %s | %.2f | %s | %s | %s | %.1f MiB | %s |\n", y.name, ms(y.quiet.median()), ratio(y.quiet.median(), y.costs.empty),
			verdict(y), ms(y.quiet.quantile(0.95)), ms(y.quiet.quantile(0.99)), float64(y.quiet.resident())/1024, calls(p.counted))
	}
	c := r.cases[0].young.costs
	fmt.Fprintf(b, "\nRaw costs in the same minutes: an empty Go program %s, one append and flush of %d bytes %s, one `git rev-parse` %s.\n\n",
		ms(c.empty), frameBytes, ms(c.flush), ms(c.git))

	fmt.Fprintf(b, "| in a room of %d messages | median | beside the room of 100, each in starts | beside %d busy processes: median | p95 | p99 | max |\n|---|---|---|---|---|---|---|\n", r.history, r.busy)
	for _, p := range r.cases {
		o := p.old
		fmt.Fprintf(b, "| %s | %s | %.2f, target 1.2 | %s | %s | %s | %s |\n", o.name, ms(o.quiet.median()), p.history(),
			ms(o.loaded.median()), ms(o.loaded.quantile(0.95)), ms(o.loaded.quantile(0.99)), ms(o.loaded.quantile(1)))
	}
	fmt.Fprintln(b)
}

// history is the price of a long history: the medians in the two rooms, each in starts of an empty program
// measured in turn with it.
func (p pairResult) history() float64 {
	return ratio(p.old.quiet.median(), p.old.costs.empty) / ratio(p.young.quiet.median(), p.young.costs.empty)
}

func (r results) writeFloors(b *bytes.Buffer) {
	fmt.Fprintf(b, "| what lies below: nothing of acc runs | median | starts of an empty program | target of the case |\n|---|---|---|---|\n")
	for _, f := range r.floors {
		fmt.Fprintf(b, "| %s | %s | %.2f | %s |\n", f.name, ms(f.quiet.median()), ratio(f.quiet.median(), f.costs.empty), verdict(f))
	}
	fmt.Fprintln(b)
}

func (r results) writeCrowds(b *bytes.Buffer) {
	fmt.Fprintf(b, "| at once | processes | median | p95 | p99, target 500 ms | max | hooks that gave up | messages sent, recorded |\n|---|---|---|---|---|---|---|---|\n")
	for _, c := range r.crowds {
		fmt.Fprintf(b, "| %s, in %.1f s | %d | %s | %s | %s | %s | %d | %d, %d |\n", c.name, c.took.Seconds(), len(c.runs), ms(c.runs.median()),
			ms(c.runs.quantile(0.95)), ms(c.runs.quantile(0.99)), ms(c.runs.quantile(1)), c.skipped, c.sent, c.recorded)
	}
	fmt.Fprintln(b)
}

func (r results) writeRest(b *bytes.Buffer) {
	fmt.Fprintf(b, "| | | target |\n|---|---|---|\n")
	if r.flushes > 0 {
		fmt.Fprintf(b, "| sends of one process, beside raw flushes | %.0f/s, %.0f/s: %.2f | 0.50 |\n", r.sends, r.flushes, r.sends/r.flushes)
	}
	if r.filed > 0 {
		fmt.Fprintf(b, "| below it: the flush and %d new files for each | %.0f/s: %.2f | |\n", filesOfSend, r.filed, r.filed/r.flushes)
	}
	if r.search > 0 {
		fmt.Fprintf(b, "| search over 15,000 messages | %s | 50 ms |\n", ms(r.search))
	}
	if r.replay > 0 {
		fmt.Fprintf(b, "| replay of 8 MiB of journal | %s | 300 ms |\n", ms(r.replay))
	}
	for _, size := range []struct {
		name string
		most float64
	}{{"acc-hook", 8}, {"acc", 20}} {
		fmt.Fprintf(b, "| `%s`, stripped | %.1f MiB | %.0f MiB |\n", size.name, float64(r.sizes[size.name])/(1<<20), size.most)
	}
}

func verdict(m measured) string {
	if (m.most == bound{}) {
		return ""
	}
	word := "met"
	if m.quiet.median() > m.most.of(m.costs) {
		word = "not met"
	}
	return fmt.Sprintf("%s = %s, %s", m.most, ms(m.most.of(m.costs)), word)
}

func calls(c counted) string {
	if !c.known {
		return "unknown, no strace"
	}
	return fmt.Sprint(c.calls)
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(b, 1)) }

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond)) }

// write puts the tables between the marks of a document.
func write(path, tables string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(data), beginMark)
	_, after, ended := strings.Cut(rest, endMark)
	if !found || !ended {
		return fmt.Errorf("%s does not have the lines %q and %q", path, strings.TrimSpace(beginMark), strings.TrimSpace(endMark))
	}
	return os.WriteFile(path, []byte(before+beginMark+"\n"+tables+"\n"+endMark+after), 0o644)
}
