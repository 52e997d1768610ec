package protocol_test

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/acc-control-plane/acc/protocol"
)

func TestPortableID(t *testing.T) {
	for id, valid := range map[string]bool{
		"a": true, "0": true, "A.b_c-d": true, strings.Repeat("a", 200): true, "a-": true, "a_": true,
		"console": true, "com": true, "com0": true, "com10": true, "lpt": true, "xcon": true, "a.con": true,
		"": false, strings.Repeat("a", 201): false, "-a": false, ".a": false, "_a": false, "a.": false, "a b": false, "a/b": false,
		"a\\b": false, "ä": false, "a\x00": false, "a\n": false, "..": false, "a:b": false,
		"con": false, "CON": false, "Prn": false, "aux": false, "nul": false, "com1": false, "COM9": false, "lpt1": false, "lpt9": false,
		"con.txt": false, "nul.a.b": false, "com1.x": false,
	} {
		if problem := protocol.PortableIDProblem(id); (problem == "") != valid {
			t.Errorf("%q: %q, want valid %v", id, problem, valid)
		}
	}
	if err := protocol.CheckPortableID("session id", "con"); protocol.CodeOf(err) != protocol.Data || !strings.HasPrefix(err.Error(), "invalid session id") {
		t.Errorf("got %v", err)
	}
	if err := protocol.CheckPortableID("session id", "a"); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestResource(t *testing.T) {
	for uri, valid := range map[string]bool{
		"file:a": true, "file:src/**": true, "https://example.test/a?b=ü": true, "a+b.c-d0:x": true, "file::": true,
		"file:": false, ":a": false, "a": false, "": false, "File:a": false, "1a:b": false, "-a:b": false, "a_b:c": false,
		"file:a b": false, "file:a\tb": false, "file:a\u00a0b": false, "file:a\u2028b": false, "file:a\x7f": false, "file:\x00": false,
	} {
		if problem := protocol.ResourceProblem(uri); (problem == "") != valid {
			t.Errorf("%q: %q, want valid %v", uri, problem, valid)
		}
	}
}

func TestSequence(t *testing.T) {
	for n, text := range map[uint64]string{0: "0000000000000000", 7: "0000000000000007", protocol.MaxSequence: "9999999999999999"} {
		if got := protocol.FormatSequence(n); got != text {
			t.Errorf("%d: got %s, want %s", n, got, text)
		}
		if got, err := protocol.ParseSequence(text); err != nil || got != n {
			t.Errorf("%s: got %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "7", "000000000000007", "00000000000000007", "+000000000000007", "-000000000000007", "000000000000000a", "0000000_00000007", " 00000000000007 "} {
		if _, err := protocol.ParseSequence(text); protocol.CodeOf(err) != protocol.Data {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// The values were computed by sha256sum, xxd and base64, not by this package.
func TestDerivedIDs(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"workspace", protocol.WorkspaceIDFromPath("/home/u/acc/.git"), "workspace_f761135454dcddf1863e64f9425d5005"},
		{"participant", protocol.HookParticipantID("claude-code", "11111111-2222-3333-4444-555555555555"), "claude-code-Zm_2zK"},
		{"receipt", protocol.ReceiptID("message_1", "bob"), "receipt_eohe3_p6TvFpN0l1URVAGufbm6ilSxWympXFsEcKCCM"},
		{"room", protocol.RoomRef("claude-code", "11111111-2222-3333-4444-555555555555"), "acc://bed0aa1d4fb61d075cb81dce055039b6db2681ac9a6c1134932b675f917de3fa"},
		{"generation", protocol.GenerationRef("AAAAAAAAAAAAAAAAAAAAAA"), "8a5bdb4cc1516412"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, c.got, c.want)
		}
	}
}

func TestReceiptIDsOfDifferentPairsDiffer(t *testing.T) {
	if protocol.ReceiptID("a", "b-c") == protocol.ReceiptID("a-b", "c") || protocol.ReceiptID(`a","b`, "c") == protocol.ReceiptID("a", `b","c`) {
		t.Error("two pairs share a receipt")
	}
}

func TestCleanParticipantName(t *testing.T) {
	for _, c := range []struct {
		name, want string
		ok         bool
	}{
		{"ada", "ada", true},
		{"  Ada Lovelace \n", "Ada-Lovelace", true},
		{"a/b\\c  d", "a-b-c-d", true},
		{"zoë", "zo-", true},
		{"a--b", "a--b", true},
		{strings.Repeat("x", 80), strings.Repeat("x", 60), true},
		{"", "", false},
		{" / ", "-", false},
		{"con", "con", false},
		{"a.", "a.", false},
		{"../../etc", "..-..-etc", false},
	} {
		got, ok := protocol.CleanParticipantName(c.name)
		if got != c.want || ok != c.ok {
			t.Errorf("%q: got %q %v, want %q %v", c.name, got, ok, c.want, c.ok)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		id, ok := protocol.CleanParticipantName(rapid.String().Draw(t, "name"))
		if ok != (protocol.PortableIDProblem(id) == "") || len(id) > protocol.MaxParticipantCut {
			t.Fatalf("%q %v", id, ok)
		}
	})
}

func TestSameGeneration(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{{"abc", "abc", true}, {"abc", "abd", false}, {"abc", "ab", false}, {"", "", false}, {"", "a", false}} {
		if protocol.SameGeneration(c.a, c.b) != c.same {
			t.Errorf("%q and %q: want %v", c.a, c.b, c.same)
		}
	}
}

func TestGeneratorIsMonotonicAndUniqueAcrossGoroutines(t *testing.T) {
	g := protocol.NewGenerator()
	const goroutines, each = 8, 500
	lists := make([][]string, goroutines)
	var wg sync.WaitGroup
	for i := range lists {
		wg.Go(func() {
			for range each {
				lists[i] = append(lists[i], g.NewID(protocol.MessageIDPrefix))
			}
		})
	}
	wg.Wait()
	form := regexp.MustCompile(`^message_[0-9A-HJKMNP-TV-Z]{26}$`)
	seen := map[string]bool{}
	for _, list := range lists {
		if !slices.IsSorted(list) {
			t.Error("ids minted one after the other do not sort")
		}
		for _, id := range list {
			if seen[id] || !form.MatchString(id) || protocol.PortableIDProblem(id) != "" {
				t.Fatalf("bad or repeated id %s", id)
			}
			seen[id] = true
		}
	}
}

func TestGenerations(t *testing.T) {
	g := protocol.NewGenerator()
	form := regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{21}$`)
	seen := map[string]bool{}
	for range 2000 { // about 1 in 32 raw values starts with - or _
		v := g.NewGeneration()
		if seen[v] || !form.MatchString(v) || protocol.PortableIDProblem(v) != "" {
			t.Fatalf("bad or repeated generation")
		}
		seen[v] = true
	}
}
