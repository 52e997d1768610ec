package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func finding(osv, module, function string) string {
	return `{"finding":{"osv":"` + osv + `","fixed_version":"v1.1.0","trace":[{"module":"` + module + `","version":"v1.0.0","package":"p","function":"` + function + `"}]}}` + "\n"
}

func TestJudge(t *testing.T) {
	const config = `{"config":{"scan_level":"symbol"}}` + "\n"
	tests := []struct {
		name, text string
		want       verdict
		fails      bool
	}{
		{"nothing", "", verdict{}, true},
		{"no JSON", "govulncheck: loading packages", verdict{}, true},
		{"clean", config, verdict{}, false},
		{"required and not called", config + finding("GO-1", "example.com/x", ""), verdict{}, false},
		{"called twice", config + finding("GO-1", "example.com/x", "F") + finding("GO-1", "example.com/x", "G"),
			verdict{modules: []string{"GO-1 in example.com/x v1.0.0, fixed in v1.1.0"}}, false},
		{"the toolchain's", config + finding("GO-2", "stdlib", "F"), verdict{toolchain: []string{"GO-2 in stdlib v1.0.0, fixed in v1.1.0"}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := judge(strings.NewReader(tt.text))
			if (err != nil) != tt.fails {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want.modules, got.modules); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.want.toolchain, got.toolchain); diff != "" {
				t.Error(diff)
			}
		})
	}
}
