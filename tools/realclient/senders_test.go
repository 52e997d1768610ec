//go:build unix

package realclient

import (
	"encoding/json"
	"strings"
	"testing"
)

// sent reads the one outcome of whatever command recorded a message.
func (c *standIn) sent(out string) delivery {
	c.Helper()
	var all struct {
		Data struct {
			Delivery []delivery `json:"delivery"`
			Sent     struct {
				Delivery []delivery `json:"delivery"`
			} `json:"sent"`
		} `json:"data"`
	}
	c.must(json.Unmarshal([]byte(out), &all))
	outcomes := append(all.Data.Delivery, all.Data.Sent.Delivery...)
	if len(outcomes) != 1 {
		c.Fatalf("not one outcome in %s", out)
	}
	outcomes[0].Recipient = ""
	return outcomes[0]
}

// look is a turn that a wake began.
func (c *standIn) look() string {
	c.Helper()
	told := c.hook("UserPromptSubmit", map[string]any{"prompt": "[acc wake] Message x"})
	c.hook("Stop", nil)
	return told
}

// TestInboxEverySender: every command that records a message for somebody wakes him in the same way.
func TestInboxEverySender(t *testing.T) {
	c, _ := inbox(t, "{}", lines)
	header := ownerPair.FindStringSubmatch(c.hook("SessionStart", map[string]any{"source": "compact"}))
	if header == nil {
		t.Fatal("the reader's model is told no header")
	}
	out := c.acc("message", "--json", "--to", "asker", "--type", "question", "--subject", "q", "--body", "b", "--session", header[1], "--generation", header[2])
	var question struct {
		Data struct {
			Message struct {
				ID string `json:"messageId"`
			} `json:"message"`
		} `json:"data"`
	}
	c.must(json.Unmarshal([]byte(out), &question))
	for n, command := range [][]string{
		{"message", "--to", "reader", "--type", "question", "--subject", "s", "--body", "b"},
		{"request", "--to", "reader", "--title", "s"},
		{"reply", "--message", question.Data.Message.ID, "--body", "b"},
		{"finish", "--goal", "s", "--to", "reader"}, // it ends the asker's session
	} {
		if got := c.sent(c.acc(append(append(command, "--json"), c.owner...)...)); got != woken {
			t.Errorf("acc %s: %+v", command[0], got)
		}
		if heard := c.heard(); len(heard) != n+1 || !strings.Contains(heard[n], "[acc wake] Message message_") {
			t.Fatalf("after acc %s: %q", command[0], heard)
		}
		c.look()
	}
}

// TestInboxLoopGuard: after thirty wakes without a person the sender is told why the next waits, it arrives with the
// next turn all the same, and a person's turn begins the count anew.
func TestInboxLoopGuard(t *testing.T) {
	c, _ := inbox(t, "{}", lines)
	const most = 30
	for n := range most {
		if _, got := c.ask("again"); got.Outcome != "woken" {
			t.Fatalf("wake %d: %+v", n, got)
		}
		c.look()
	}
	id, got := c.ask("once more")
	if got.Recipient = ""; got != outcome("queued", "durable", "loop_guard") || len(c.heard()) != most {
		t.Errorf("after %d wakes: %+v", len(c.heard()), got)
	}
	said := c.acc(append([]string{"message", "--to", "reader", "--type", "question", "--subject", "s", "--body", "and more"}, c.owner...)...)
	if !strings.Contains(said, "too many wakes between the two without a person; waits for its next turn") {
		t.Errorf("the sender is told %s", said)
	}
	if told := c.look(); !strings.Contains(told, "once more") || !strings.Contains(told, "and more") || c.receipt(id).State != "offered" {
		t.Errorf("the next turn shows %s", told)
	}
	c.hook("UserPromptSubmit", map[string]any{"prompt": "a person is back"})
	c.hook("Stop", nil)
	if _, got := c.ask("and now"); got.Outcome != "woken" {
		t.Errorf("after a person's turn: %+v", got)
	}
}
