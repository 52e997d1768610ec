package update

import (
	"strings"
	"testing"

	"aead.dev/minisign"

	"github.com/acc-control-plane/acc/protocol"
)

func TestWhereReleasesComeFrom(t *testing.T) {
	public, _, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	key := public.String()
	for _, c := range []struct {
		what                string
		name, registry, key string
		env                 map[string]string
		want, problem       string
	}{
		{"stamped", "acc", "https://a.example/npm/", key, nil, "https://a.example/npm/acc-", ""},
		{"scoped", "@x/acc", "https://a.example", key, nil, "https://a.example/@x%2facc-", ""},
		{"npm's own setting", "acc", "https://a.example", key, map[string]string{"npm_config_registry": "http://b.example"}, "http://b.example/acc-", ""},
		{"ours comes first", "acc", "https://a.example", key, map[string]string{"npm_config_registry": "http://b.example", "ACC_REGISTRY": "https://c.example"}, "https://c.example/acc-", ""},
		{"only the environment knows one", "acc", "", key, map[string]string{"ACC_REGISTRY": "https://c.example"}, "https://c.example/acc-", ""},
		{"built from source", "", "", "", nil, "", "knows no name"},
		{"no registry", "acc", "", key, nil, "", "knows no registry"},
		{"no key", "acc", "https://a.example", "", nil, "", "knows no public key"},
		{"no key, whatever the environment says", "acc", "", "", map[string]string{"ACC_REGISTRY": "https://c.example"}, "", "knows no public key"},
		{"a key that is none", "acc", "https://a.example", "x", nil, "", "no public key of minisign"},
		{"a file", "acc", "file:///tmp", key, nil, "", "no plain http"},
		{"a password", "acc", "https://a:b@c.example", key, nil, "", "no plain http"},
		{"a query", "acc", "https://c.example/?a=b", key, nil, "", "no plain http"},
	} {
		s, err := stampedSource(c.name, c.registry, c.key, func(name string) string { return c.env[name] })
		switch {
		case c.problem != "":
			if err == nil || !strings.Contains(err.Error(), c.problem) || strings.Contains(err.Error(), "a:b") {
				t.Errorf("%s: %v, want %q", c.what, err, c.problem)
			}
		case err != nil:
			t.Errorf("%s: %v", c.what, err)
		case s.document() != c.want+s.Platform.Name:
			t.Errorf("%s: %s, want %s", c.what, s.document(), c.want)
		}
	}
	if _, err := OwnSource(func(string) string { return "" }); protocol.ReasonOf(err) != ReasonUpdatesDisabled {
		t.Errorf("a test is a build from source: %v", err)
	}
}
