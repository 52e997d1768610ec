package core_test

import (
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/core/decision"
	"github.com/acc-control-plane/acc/protocol"
)

// TestTheLargestItemFitsAPage: a page always holds at least one item, whatever its author did.
func TestTheLargestItemFitsAPage(t *testing.T) {
	id := strings.Repeat("x", protocol.MaxIDLength)
	at := coretest.Start
	item := core.InboxItem{
		Message: core.Summary{
			MessageID: id, ThreadID: id, FromParticipantID: id, FromSessionID: id, MessageKind: protocol.Decision, Obligation: protocol.ObligationAcknowledge,
			Subject: strings.Repeat("\"", protocol.SubjectPreview) + "…", SentAt: at, InReplyTo: id, BodyBytes: protocol.MaxBody, ArtifactCount: protocol.MaxListItems,
			Decision: &decision.Status{State: decision.Superseded, Conflicted: true, HeadCount: 256, CurrentMessageID: id, GroupID: id, Partial: true},
		},
		Receipt: protocol.Receipt{
			MessageID: id, RecipientParticipantID: id, State: protocol.Acknowledged, UpdatedAt: at,
			Offer: &protocol.Offer{Transport: strings.Repeat("x", protocol.MaxTransport), At: at, RepeatedAt: at},
		},
	}
	encoded, err := core.InboxItemObject().Append(nil, &item)
	if err != nil {
		t.Fatal(err)
	}
	if most := protocol.InboxPageBytes / 2; len(encoded) > most {
		t.Errorf("an item of %d bytes, at most %d leave room for everything else", len(encoded), most)
	}
}

// TestNewNeedsEverything takes one field of a whole configuration away at a time.
func TestNewNeedsEverything(t *testing.T) {
	whole := func() core.Config {
		return core.Config{
			Store: coretest.NewMemory(coretest.WorkspaceID), Clock: coretest.NewClock(), IDs: &coretest.IDs{}, Processes: &coretest.Processes{},
			Workspace: protocol.Workspace{WorkspaceID: coretest.WorkspaceID, DisplayName: "tests", Source: protocol.SourceDirectory, Roots: []string{"/tests"}},
		}
	}
	if _, err := core.New(whole()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		without func(*core.Config)
		code    protocol.Code
	}{
		"store":        {func(c *core.Config) { c.Store = nil }, protocol.Usage},
		"clock":        {func(c *core.Config) { c.Clock = nil }, protocol.Usage},
		"ids":          {func(c *core.Config) { c.IDs = nil }, protocol.Usage},
		"processes":    {func(c *core.Config) { c.Processes = nil }, protocol.Usage},
		"workspace id": {func(c *core.Config) { c.Workspace.WorkspaceID = "" }, protocol.Data},
		"display name": {func(c *core.Config) { c.Workspace.DisplayName = "" }, protocol.Data},
		"source":       {func(c *core.Config) { c.Workspace.Source = "rumour" }, protocol.Data},
	} {
		cfg := whole()
		c.without(&cfg)
		if _, err := core.New(cfg); protocol.CodeOf(err) != c.code {
			t.Errorf("without %s: %v", name, err)
		}
	}
}
