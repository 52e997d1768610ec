// Command vulncheck fails if something that is shipped calls code with a known vulnerability that a change
// of this repository can avoid: another version of a module. A vulnerability in the standard library is
// printed and is no failure: it depends on the toolchain that builds, and every release should be built with
// the latest.
//
//	bash tools/vuln/govulncheck -format json ./cmd/... | go run ./tools/vulncheck
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

func main() {
	v, err := judge(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "vulncheck:", err)
		os.Exit(1)
	}
	for _, line := range v.toolchain {
		fmt.Println("toolchain:", line)
	}
	for _, line := range v.modules {
		fmt.Println("CALLED:", line)
	}
	fmt.Printf("%d vulnerabilities are called in modules, %d in the standard library of the toolchain\n", len(v.modules), len(v.toolchain))
	if len(v.modules) > 0 {
		os.Exit(1)
	}
}

// verdict has a sentence for each vulnerability that is called.
type verdict struct{ modules, toolchain []string }

// message is what govulncheck prints, as far as it is of use here.
type message struct {
	Config  *struct{} `json:"config"`
	Finding *struct {
		OSV   string `json:"osv"`
		Fixed string `json:"fixed_version"`
		Trace []struct {
			Module, Version, Package, Function string
		} `json:"trace"`
	} `json:"finding"`
}

// judge reads the stream of messages. One that holds no configuration comes from a run that failed.
func judge(r io.Reader) (verdict, error) {
	var v verdict
	started := false
	for d := json.NewDecoder(r); ; {
		var m message
		err := d.Decode(&m)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return v, fmt.Errorf("this is not what govulncheck prints: %w", err)
		}
		started = started || m.Config != nil
		f := m.Finding
		if f == nil || len(f.Trace) == 0 || f.Trace[0].Function == "" {
			continue // required or imported, and not called
		}
		at, fixed := f.Trace[0], f.Fixed
		if fixed == "" {
			fixed = "no version yet"
		}
		line := fmt.Sprintf("%s in %s %s, fixed in %s", f.OSV, at.Module, at.Version, fixed)
		if at.Module == "stdlib" {
			v.toolchain = append(v.toolchain, line)
		} else {
			v.modules = append(v.modules, line)
		}
	}
	if !started {
		return v, errors.New("govulncheck printed nothing")
	}
	for _, list := range []*[]string{&v.modules, &v.toolchain} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return v, nil
}
