package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/cli/internal/runtime/unmanaged"
)

// checkRuntime looks at the executables that the clients call, and calls the one that matters.
func (e *examination) checkRuntime(ctx context.Context) {
	if e.checkManaged(ctx) {
		return
	}
	again := "acc install"
	wired := slices.ContainsFunc(e.Clients, func(c Client) bool { return c.Installed })
	shown := slices.ContainsFunc(e.Clients, func(c Client) bool { return c.Indicator == adapter.IndicatorOn })
	present := 0
	for _, x := range unmanaged.Inspect(e.Home) {
		switch {
		case x.Problem != "":
			e.fail(subjectRuntime, x.Path+": "+x.Problem, again)
		case x.Present:
			present++
		case wired && x.Name == "acc-hook":
			e.fail(subjectRuntime, x.Path+" is missing, and clients are wired to it", again)
		case shown && x.Name == "acc-indicator":
			e.fail(subjectRuntime, x.Path+" is missing, and a status line runs it", again)
		case wired && x.Name == "acc":
			e.fail(subjectRuntime, x.Path+" is missing, and models are told to call it", again)
		}
	}
	if present == 0 {
		if !wired {
			e.ok(subjectRuntime, "nothing is installed in "+e.Home.Bin())
		}
		return
	}
	took, err := unmanaged.Answer(ctx, e.Home)
	if err != nil {
		if wired {
			e.fail(subjectRuntime, "the installed acc-hook does not answer: "+err.Error(), again)
		}
		return
	}
	e.ok(subjectRuntime, fmt.Sprintf("an unmanaged copy in %s; its acc-hook answers in %d ms", e.Home.Bin(), took.Milliseconds()))
}

// quoted writes a path for a POSIX shell.
func quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }
