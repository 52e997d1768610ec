package datahome

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestInstalled(t *testing.T) {
	top := t.TempDir()
	data, other := filepath.Join(top, "my data"), filepath.Join(top, "other")
	at := func(parts ...string) string { return filepath.Join(append([]string{top}, parts...)...) }
	for _, c := range []struct {
		name, executable string
		env              map[string]string
		want             string
	}{
		{"installed", at("my data", "acc", "runtime", "bin", "acc-hook"), nil, data},
		{"the variable wins", at("my data", "acc", "runtime", "bin", "acc-hook"), map[string]string{Variable: other}, other},
		{"built by hand", at("bin", "acc-hook"), nil, ""},
		{"another runtime", at("xacc", "runtime", "bin", "acc-hook"), nil, ""},
		{"a generation", at("my data", "acc", "runtime", "generations", "1.2.3-0123", "bin", "acc-hook"), nil, data},
		{"beside a generation's programs", at("my data", "acc", "runtime", "generations", "1.2.3-0123", "lib", "acc-hook"), nil, ""},
		{"no generation", at("my data", "acc", "runtime", "generations", "bin", "acc-hook"), nil, ""},
		{"something else in a runtime", at("acc", "runtime", "x", "bin", "acc-hook"), nil, ""},
		{"below it", at("acc", "runtime", "bin", "x", "acc-hook"), nil, ""},
		{"at the top", filepath.Join(filepath.VolumeName(top)+string(filepath.Separator), "acc", "runtime", "bin", "acc-hook"), nil, ""},
		{"relative", filepath.Join("x", "acc", "runtime", "bin", "acc-hook"), nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := installed(func(name string) string { return c.env[name] }, func() (string, error) { return c.executable, nil })
			if got := env(Variable); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if env("HOME") != "" {
				t.Error("another variable was made up")
			}
		})
	}
	env := installed(func(string) string { return "" }, func() (string, error) { return "", errors.New("unknown") })
	if env(Variable) != "" {
		t.Error("a home was made of nothing")
	}
	if home := (Home{Root: data}); homeOf(filepath.Join(home.Bin(), "acc-hook")) != data {
		t.Error("Bin is not where Installed looks")
	}
}
