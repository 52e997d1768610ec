package installkit_test

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
)

// TestAnyWayThroughIsTakenBack installs versions of acc that want different things one after the other
// over files in many layouts; uninstalling at the end leaves the home as it was.
func TestAnyWayThroughIsTakenBack(t *testing.T) {
	settings := []string{"(none)", "", "{}", "{ }\n", userSettings, "{\"hooks\":{\"Stop\":[]}}", "{\"hooks\": {\"Start\": [ ]}, \"plugins\": {}}\n",
		"{\r\n\t\"registry\": {\"acc\": 3}, // old\r\n}\r\n", "\xef\xbb\xbf// c\n{\n    \"hooks\": {\n    }\n}\n"}
	config := []string{"(none)", "", "x = 1", userConfig, "sandbox.roots = []\n", "[sandbox]\n", "sandbox = { roots = [\"/x\"] }\r\n", "[[hooks]]\nevent = \"Stop\"\n"}
	rapid.Check(t, func(rt *rapid.T) {
		files := map[string]string{"other": "x"}
		if text := rapid.SampledFrom(settings).Draw(rt, "settings"); text != "(none)" {
			files["settings.json"] = text
		}
		if text := rapid.SampledFrom(config).Draw(rt, "config"); text != "(none)" {
			files["config.toml"] = text
		}
		b := newBench(t, files)
		before := b.tree()
		for i := range rapid.IntRange(1, 4).Draw(rt, "versions") {
			b.vendor.without = rapid.SliceOfDistinct(rapid.SampledFrom([]string{"Start", "Stop", "acc", "roots", "# <<< acc"}), rapid.ID).Draw(rt, "without")
			if slices.Contains(b.vendor.without, "roots") && !slices.Contains(b.vendor.without, "# <<< acc") {
				// The blank line between the two would stay: a table in front of a block does not know of it.
				b.vendor.without = append(b.vendor.without, "# <<< acc")
			}
			b.vendor.extra = rapid.SampledFrom([]string{"", `,"x":1`}).Draw(rt, "extra")
			b.m.Version = "0.1." + strconv.Itoa(i)
			b.install()
			if again := b.plan(); len(again.Changes) > 0 {
				rt.Fatalf("installing again would change %+v", again.Changes)
			}
		}
		installed := b.tree()
		b.uninstall(adapter.RemovalOptions{})
		after := b.tree()
		for name, want := range before {
			if after[name] != want {
				rt.Fatalf("%s was\n%q\ninstalled\n%q\nnow\n%q", name, want, installed[name], after[name])
			}
		}
		for name := range after {
			if _, ok := before[name]; !ok {
				rt.Fatalf("%s was left: %q", name, after[name])
			}
		}
	})
}
