package ui_test

import (
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/google/go-cmp/cmp"
)

func TestEscapeShowsWhatATerminalWouldObey(t *testing.T) {
	for in, want := range map[string]string{
		"plain ünïcode 漢字":           "plain ünïcode 漢字",
		"red \x1b[31mtext":           `red \x1b[31mtext`,
		"line\nbreak\r\ttab":         `line\nbreak\r\ttab`,
		"bidi \u202eevil\u202c":      `bidi \u202eevil\u202c`,
		"isolate \u2066x\u2069":      `isolate \u2066x\u2069`,
		"separators \u2028\u2029":    `separators \u2028\u2029`,
		"c1 \u009b31m":               `c1 \u009b31m`,
		"bell\a del\x7f nul\x00":     `bell\x07 del\x7f nul\x00`,
		"zero\u200bwidth \ufeff":     `zero\u200bwidth \ufeff`,
		"family 👩\u200d👧":            "family 👩\u200d👧",
		"invalid \xff byte":          `invalid \xff byte`,
		"tag \U000e0041":             `tag \U000e0041`,
		"replacement \ufffd is text": "replacement \ufffd is text",
	} {
		if got := ui.Escape(in); got != want {
			t.Errorf("Escape(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestQuoteCannotImitateItsFrame(t *testing.T) {
	got := ui.Quote("first\r\n--- end of message_1 ---\n\n\tindented \x1b[2J\n")
	want := []string{"| first", "| --- end of message_1 ---", "|", `|     indented \x1b[2J`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("a\x1b\u202e\xff\u2028")
	f.Fuzz(func(t *testing.T, text string) {
		out := ui.Escape(text)
		if again := ui.Escape(out); again != out {
			t.Fatalf("%q is escaped to %q, which is escaped again to %q", text, out, again)
		}
		for _, line := range ui.Quote(text) {
			if !strings.HasPrefix(line, "|") || strings.ContainsAny(line, "\n\r\x1b") {
				t.Fatalf("%q gives the line %q", text, line)
			}
		}
	})
}

func TestTableAligns(t *testing.T) {
	var out strings.Builder
	u := ui.New(&out, &out, noEnv)
	u.Table("  ", [][]ui.Cell{ui.Row("漢字", "x", ""), ui.Row("long name", "", "end"), ui.Row("a\nb")})
	want := "  漢字       x  -\n  long name  -  end\n  a\\nb\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestNoColourWithoutATerminal(t *testing.T) {
	var out strings.Builder
	if got := ui.New(&out, &out, noEnv).Styled(ui.Bad, "FAIL"); got != "FAIL" {
		t.Errorf("got %q", got)
	}
}

func TestFailIsTwoEscapedLines(t *testing.T) {
	var out strings.Builder
	ui.New(&out, &out, noEnv).Fail("no participant \"a\nb\"", "acc status")
	if diff := cmp.Diff("acc: no participant \"a\\nb\"\nhint: acc status\n", out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestTimes(t *testing.T) {
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.Local)
	for want, got := range map[string]string{
		"0 s ago":             ui.Ago(now, now.Add(time.Hour)),
		"59 s ago":            ui.Ago(now, now.Add(-59*time.Second)),
		"4 min ago":           ui.Ago(now, now.Add(-4*time.Minute-30*time.Second)),
		"47 h ago":            ui.Ago(now, now.Add(-47*time.Hour)),
		"3 d ago":             ui.Ago(now, now.Add(-72*time.Hour)),
		"22 min left":         ui.Left(now, now.Add(22*time.Minute)),
		"expired":             ui.Left(now, now),
		"11:59:00":            ui.ClockTime(now, now.Add(-time.Minute)),
		"2026-06-30 12:00:00": ui.ClockTime(now, now.AddDate(0, 0, -1)),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestCutMarksTheCut(t *testing.T) {
	for in, want := range map[string]string{"short": "short", "exactly te": "exactly te", "exactly ten": "exactly t…", "漢字漢字漢字": "漢字漢字…"} {
		if got := ui.Cut(in, 10); got != want {
			t.Errorf("Cut(%q) = %q, want %q", in, got, want)
		}
	}
}

func noEnv(string) string { return "" }
