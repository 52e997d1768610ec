package datahome

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// bin is where an installation puts the executables, below the data home. Clients keep the path of
// acc-hook in their configuration, so it never changes.
var bin = filepath.Join("acc", "runtime", "bin")

// generations is where a managed runtime keeps what the executables in bin lead to.
var generations = filepath.Join("acc", "runtime", "generations")

// Bin is the directory of the installed executables.
func (h Home) Bin() string { return filepath.Join(h.Root, bin) }

// Installed gives env as an executable of acc should read it: where ACC_DATA_HOME is not set, it names
// the data home in which this executable is installed, if it is installed in one. A hook is started with
// whatever environment its client has, and must find the data home that wired it all the same.
func Installed(env Env) Env { return installed(env, os.Executable) }

func installed(env Env, executable func() (string, error)) Env {
	return func(name string) string {
		value := env(name)
		if value != "" || name != Variable {
			return value
		}
		self, err := executable()
		if err != nil {
			return ""
		}
		return homeOf(self)
	}
}

// homeOf gives the data home whose installed executable lies at path; "": none. It is a launch path, or the file of
// a generation to which one has led.
func homeOf(path string) string {
	dir := filepath.Dir(filepath.Clean(path))
	if root := above(dir, bin); root != "" {
		return root
	}
	if !equal(filepath.Base(dir), "bin") {
		return ""
	}
	return above(filepath.Dir(filepath.Dir(dir)), generations)
}

// above gives the data home in which dir lies at tail; "": it does not.
func above(dir, tail string) string {
	end := dir[max(0, len(dir)-len(tail)):]
	if !equal(end, tail) {
		return ""
	}
	root := strings.TrimSuffix(dir[:len(dir)-len(tail)], string(filepath.Separator))
	if !filepath.IsAbs(root) || root == filepath.VolumeName(root) || filepath.Join(root, end) != dir {
		return "" // "xacc/runtime/bin", or something at the top of the file system
	}
	return root
}

// equal compares paths as the platform does.
func equal(a, b string) bool { return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b) }
