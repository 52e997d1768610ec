package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// recorded is what is on record of a client's newest run.
type recorded struct {
	client client
	run    madeBy
	checks checks
}

// records reads what the adapters of the work tree below root have on record.
func records(root string) ([]recorded, error) {
	var all []recorded
	for _, c := range clients {
		dir := filepath.Join(root, "adapters", c.dir, "hook")
		var runs provenance
		if err := load(filepath.Join(dir, provenanceFile), &runs); err != nil {
			return nil, err
		}
		r := recorded{client: c}
		if len(runs.Runs) > 0 {
			r.run = slices.MaxFunc(runs.Runs, func(a, b madeBy) int { return strings.Compare(a.ObservedAt, b.ObservedAt) })
			file := filepath.Join(dir, "fixtures", r.run.Version+"-"+r.run.Platform, checksFile)
			if err := load(file, &r.checks); err != nil {
				return nil, err
			}
			if r.checks.ProvenanceID != r.run.ID {
				return nil, fmt.Errorf("%s is of another run than %s", file, r.run.ID)
			}
		}
		all = append(all, r)
	}
	return all, nil
}

// state is what came of a check in all ways that were tried: it failed if it failed in one.
func (r recorded) state(name string) state {
	sum := skipped
	for _, c := range r.checks.Checks {
		switch {
		case c.Check != name:
		case c.State == failed:
			return failed
		case c.State == passed:
			sum = passed
		}
	}
	return sum
}

// printTable prints a row for each check and a column for each client.
func printTable(w io.Writer, root string) error {
	all, err := records(root)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(first string, cell func(recorded) string) {
		cells := []string{first}
		for _, r := range all {
			cells = append(cells, cell(r))
		}
		_, _ = fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	line("", func(r recorded) string { return r.client.name })
	line("on record", func(r recorded) string { return strings.TrimSpace(r.run.Version + " " + r.run.Platform) })
	line("seen", func(r recorded) string { date, _, _ := strings.Cut(r.run.ObservedAt, "T"); return date })
	line("this machine", func(r recorded) string {
		if r.client.here() == "" {
			return "absent"
		}
		return "present"
	})
	for _, name := range allChecks() {
		line(name, func(r recorded) string { return string(r.state(name)) })
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, "\nNothing was run now; a client is driven by: go run ./tools/certify -client NAME -write")
	return err
}
