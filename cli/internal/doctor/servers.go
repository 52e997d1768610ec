package doctor

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
)

// checkServers looks for registrations of the MCP server. One that nobody asked for is not missed.
func (e *examination) checkServers(ctx context.Context) {
	servers := e.diagnose(ctx, e.MCP)
	var registered bool
	for _, c := range servers {
		if !c.Installed && c.Err == nil {
			continue
		}
		e.Servers = append(e.Servers, c)
		registered = true
		e.checkServer(&c)
	}
	if !registered && len(e.MCP) > 0 {
		e.ok(subjectServers, "the MCP server is registered in no client; acc install --adapter mcp does it")
	}
}

func (e *examination) checkServer(c *Client) {
	again := "acc install --adapter mcp --client " + strings.TrimPrefix(c.AdapterID, "mcp-")
	switch {
	case c.Err != nil:
		e.warn(c.AdapterID, "cannot be examined: "+c.Err.Error(), hint(c.Err, again))
		return
	case !c.Present:
		e.warn(c.AdapterID, c.DisplayName+" is gone, and the registration that acc wrote for it is still there", "acc uninstall --adapter mcp --client "+strings.TrimPrefix(c.AdapterID, "mcp-"))
		return
	}
	written := !slices.ContainsFunc(c.Hooks, func(w adapter.Wiring) bool { return w.State == adapter.Unwritten || w.State == adapter.Refused })
	if written && len(c.Missing) == 0 {
		e.ok(c.AdapterID, "the MCP server is registered in "+c.Root+"; whether the client starts it was not observed here")
	}
	for _, p := range c.Problems {
		// The installer knows itself by an id that no option takes.
		e.fail(c.AdapterID, p.Text, cmp.Or(strings.ReplaceAll(p.Remedy, "acc install --adapter "+c.AdapterID, again), again))
	}
	if !written && len(c.Problems) == 0 {
		e.fail(c.AdapterID, "the registration that acc wrote is gone from "+c.Root, again)
	}
}

// diagnose asks every installer at the same time.
func (e *examination) diagnose(ctx context.Context, installers []adapter.Installer) []Client {
	clients := make([]Client, len(installers))
	var group sync.WaitGroup
	for n, i := range installers {
		c := &clients[n]
		c.AdapterID, c.DisplayName = i.ID(), i.DisplayName()
		group.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, clientLimit)
			defer cancel()
			c.Diagnosis, c.Err = i.Doctor(ctx, e.Machine)
		})
	}
	group.Wait()
	return clients
}
