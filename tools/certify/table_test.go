package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/certification"
	"github.com/acc-control-plane/acc/cli/registry"
)

// TestRecords prints what is on record of each client, and holds adapters to it: a capability that counts
// was seen to work, one that failed does not count, and a check that was skipped backs nothing.
func TestRecords(t *testing.T) {
	root, err := checkout(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := printTable(&table, root); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + table.String())
	all, err := records(root)
	if err != nil {
		t.Fatal(err)
	}
	adapters, err := registry.Hooks()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		t.Run(r.client.name, func(t *testing.T) {
			i := slices.IndexFunc(adapters, func(a *adapter.Adapter) bool { return a.ID() == r.client.adapterID })
			if i < 0 {
				t.Fatal("this build has no such adapter")
			}
			r.holds(t, adapters[i], filepath.Join(root, "adapters", r.client.dir, "hook"))
		})
	}
}

// holds compares an adapter and its manifest with the checks on record.
func (r recorded) holds(t *testing.T, a *adapter.Adapter, dir string) {
	t.Helper()
	if r.run.ID == "" {
		t.Fatal("nothing is on record")
	}
	rows, err := a.Evidence()
	if err != nil {
		t.Fatal(err)
	}
	for _, capability := range certification.Capabilities {
		name := string(capability)
		at := slices.IndexFunc(rows, func(e certification.Evidence) bool {
			return e.Capability == capability && e.ProvenanceID == r.run.ID
		})
		switch state := r.state(name); {
		case state == skipped && at >= 0:
			t.Errorf("%s was skipped and has a row", name)
		case state != skipped && at < 0:
			t.Errorf("%s was %s and has no row", name, state)
		case at >= 0 && (rows[at].ObservedState == certification.Pass) != (state == passed):
			t.Errorf("%s was %s and its row says %s", name, state, rows[at].ObservedState)
		}
		if counts := a.Effective(capability, r.run.Version).On; counts && r.state(name) != passed {
			t.Errorf("%s counts, and was %s", name, r.state(name))
		}
	}
	for _, name := range allChecks() {
		if !slices.ContainsFunc(r.checks.Checks, func(c check) bool { return c.Check == name }) {
			t.Errorf("nothing says what came of %s", name)
		}
		_, err := os.Stat(filepath.Join(dir, "fixtures", r.run.Version+"-"+r.run.Platform, name+".json"))
		if tried := r.state(name) != skipped; tried != (err == nil) {
			t.Errorf("%s was %s, and its fixture: %v", name, r.state(name), err)
		}
	}
	for _, name := range otherChecks {
		if r.state(name) == failed {
			t.Errorf("%s failed", name)
		}
	}
}

// TestNothingPrivateIsOnRecord: what was seen names no directory of the machine and holds no credential.
func TestNothingPrivateIsOnRecord(t *testing.T) {
	root, err := checkout(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range clients {
		files, err := filepath.Glob(filepath.Join(root, "adapters", c.dir, "hook", "fixtures", "*", "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no fixtures, %v", c.name, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, private := range []string{"acc-certify-", "/root/", "MESSAGING_TOKEN"} {
				if strings.Contains(string(data), private) {
					t.Errorf("%s holds %q", file, private)
				}
			}
			for _, owner := range generation.FindAllString(string(data), -1) {
				if owner != "--generation GENERATION" {
					t.Errorf("%s holds a credential", file)
				}
			}
		}
	}
}
