package doctor

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
)

// clientLimit is the time that one client may take: it is asked for its version and for its hooks.
const clientLimit = time.Minute

// Client is what was found of one client.
type Client struct {
	AdapterID, DisplayName string
	adapter.Diagnosis
	Err error // the diagnosis failed
	// Policy says which messages may wake a running session; Decided, whether somebody chose that; Live,
	// whether this build could.
	Policy        protocol.LivePolicy
	Decided, Live bool
	// LastSign is the newest sign of life of one of its sessions in the room that was examined; zero: none.
	LastSign time.Time
	Evidence []Evidence // of what others rely on
}

// checkClients examines all clients at the same time and reports them one after another.
func (e *examination) checkClients(ctx context.Context) {
	e.Clients = e.diagnose(ctx, e.Installers)
	decided, err := livefiles.NewPolicies(e.Home).Decided()
	if err != nil {
		e.fail(subjectClients, "the choices about waking sessions cannot be read, so none is woken: "+err.Error(), hint(err, "rm "+quoted(filepath.Join(e.Home.Acc(), "delivery.json"))+", then acc delivery"))
	}
	var absent []string
	for n := range e.Clients {
		c := &e.Clients[n]
		c.LastSign, c.Policy, c.Live = e.newest[c.AdapterID], protocol.LiveOff, e.live(c.AdapterID) != nil
		if policy, found := decided[c.AdapterID]; found {
			c.Policy, c.Decided = policy, true
		}
		if c.Err == nil && !c.Present && !c.Installed {
			absent = append(absent, c.DisplayName)
			continue
		}
		e.checkClient(c)
	}
	if len(absent) > 0 {
		e.ok(subjectClients, "not on this machine: "+strings.Join(absent, ", "))
	}
}

func (e *examination) checkClient(c *Client) {
	id, again := c.AdapterID, "acc install --adapter "+c.AdapterID
	if c.Err != nil {
		e.fail(id, "cannot be examined: "+c.Err.Error(), hint(c.Err, again))
		return
	}
	found := strings.TrimSpace(c.DisplayName + " " + c.Version)
	if c.Version == "" {
		found += ", version unknown"
	}
	switch {
	case !c.Present:
		e.warn(id, c.DisplayName+" is gone, and what acc wrote for it is still there", "acc uninstall --adapter "+id)
		return
	case !c.Installed:
		e.warn(id, found+" is here, and this data home did not install acc into it", again)
		return
	}
	e.ok(id, found+", configured in "+c.Root)
	e.checkHooks(c)
	e.checkEvidence(c)
	e.checkProblems(c)
	if len(c.Modified)+len(c.Missing) == 0 {
		e.ok(id, fmt.Sprintf("%d files are as acc wrote them", len(c.Intact)))
	}
	if c.Wired != "" && c.Wired != e.Machine.Version {
		e.warn(id, "wired by acc "+c.Wired+", and this is acc "+e.Machine.Version, again)
	}
	e.checkPolicy(c)
	e.checkIndicator(c)
}

// checkProblems tells what the installer itself found. What it knows no remedy for may do no harm.
func (e *examination) checkProblems(c *Client) {
	for _, p := range c.Problems {
		if p.Remedy == "" {
			e.warn(c.AdapterID, p.Text, "look in "+c.DisplayName+" itself whether it runs the hooks of acc")
			continue
		}
		e.fail(c.AdapterID, p.Text, p.Remedy)
	}
}

// checkHooks says how far each hook is known to be wired. What stands in a file is not yet a hook that
// runs: only the client's own word or a hook that fired shows that.
func (e *examination) checkHooks(c *Client) {
	events := map[adapter.WiringState][]string{}
	note := ""
	for _, h := range c.Hooks {
		fired := slices.ContainsFunc(e.Hooks, func(f Hook) bool { return f.AdapterID == c.AdapterID && f.Event == h.Event })
		if h.State == adapter.Written && fired {
			continue // that it ran says more than that it is written
		}
		events[h.State] = append(events[h.State], h.Event)
		if h.State == adapter.Refused || h.State == adapter.Unwritten {
			note = cmp.Or(note, h.Note)
		}
	}
	step := "acc install --adapter " + c.AdapterID
	if len(c.Steps) > 0 {
		step = c.Steps[0]
	}
	names := func(s adapter.WiringState) string { return strings.Join(events[s], ", ") }
	if len(events[adapter.Listed]) > 0 {
		e.ok(c.AdapterID, c.DisplayName+" itself lists the hooks at "+names(adapter.Listed))
	}
	if len(events[adapter.Written]) > 0 {
		e.ok(c.AdapterID, "hooks are written for "+names(adapter.Written)+"; whether the client runs them was not observed here")
	}
	if len(events[adapter.Refused]) > 0 {
		e.fail(c.AdapterID, c.DisplayName+" will not run the hooks at "+names(adapter.Refused)+reason(note), step)
	}
	if len(events[adapter.Unwritten]) > 0 {
		e.fail(c.AdapterID, "no hook is written for "+names(adapter.Unwritten), "acc install --adapter "+c.AdapterID)
	}
	if c.LastSign.IsZero() {
		e.ok(c.AdapterID, "no session of it was seen in this room, so none of its hooks fired here")
		return
	}
	e.add(Finding{Level: OK, Subject: c.AdapterID, Text: "a session of it last gave a sign of life here", At: c.LastSign})
}

func reason(note string) string {
	if note == "" {
		return ""
	}
	return ": " + note
}

// checkIndicator says what the status line shows. Nobody needs it, so nothing there is a fault.
func (e *examination) checkIndicator(c *Client) {
	switch c.Indicator {
	case adapter.IndicatorOn:
		e.ok(c.AdapterID, "its status line shows acc")
	case adapter.IndicatorOff:
		e.ok(c.AdapterID, "its status line does not show acc; acc install --adapter "+c.AdapterID+" --indicator on changes that")
	case adapter.IndicatorOther:
		e.ok(c.AdapterID, "its status line shows something else than acc, which acc leaves alone")
	}
}

// checkPolicy says which messages may wake a session.
func (e *examination) checkPolicy(c *Client) {
	if !c.Live {
		return
	}
	text := "messages that may wake a session: " + map[protocol.LivePolicy]string{
		protocol.LiveOff: "none", protocol.LiveActionable: "those that need an answer or an action", protocol.LiveAll: "all",
	}[c.Policy]
	if !c.Decided {
		text += ", because nobody decided"
	}
	e.ok(c.AdapterID, text)
}
