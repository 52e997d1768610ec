package installer

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

// User says for whom something is installed.
type User struct {
	Home string // the home directory, absolute
	// Env gives the environment that clients of this user would have.
	Env func(name string) string
	// other says that Home was chosen on the command line: the environment is somebody else's.
	other bool
}

// homeVariable is the variable that names the home directory.
func homeVariable() string {
	if runtime.GOOS == "windows" {
		return "USERPROFILE"
	}
	return "HOME"
}

// CurrentUser is the user of the environment.
func CurrentUser(env func(string) string) (User, error) {
	home := env(homeVariable())
	if !filepath.IsAbs(home) {
		return User{}, protocol.UsageError("", homeVariable()+" names no home directory").WithHint("add --home DIR")
	}
	return User{Home: filepath.Clean(home), Env: env}, nil
}

// UserAt is the user whose home directory that is: of the environment, if it is that one's.
func UserAt(home string, env func(string) string) User {
	if current, err := CurrentUser(env); err == nil && current.Home == filepath.Clean(home) {
		return current
	}
	return OtherUser(home, env)
}

// OtherUser is a user with another home directory. Of the environment that acc itself runs in only
// acc's own variables and the search path count; whatever moves a client's configuration or the data home
// with XDG variables belongs to somebody else.
func OtherUser(home string, env func(string) string) User {
	home = filepath.Clean(home)
	return User{Home: home, other: true, Env: func(name string) string {
		switch {
		case name == homeVariable():
			return home
		case name == "LOCALAPPDATA" && runtime.GOOS == "windows":
			return filepath.Join(home, "AppData", "Local")
		case strings.HasPrefix(name, "ACC_"), kept(name):
			return env(name)
		}
		return ""
	}}
}

// kept says whether a variable describes the machine and not a user.
func kept(name string) bool {
	switch strings.ToUpper(name) {
	case "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TMPDIR", "TEMP", "TMP", "TZ", "SYSTEMROOT", "PATHEXT", "COMSPEC":
		return true
	}
	return false
}

// Machine describes the computer for an installation of one version of acc.
func (u User) Machine(home datahome.Home, version string) adapter.Machine {
	return adapter.Machine{
		GOOS: runtime.GOOS, Home: u.Home, Data: home.Acc(), Bin: home.Bin(), Version: version,
		Now: time.Now, Env: u.Env, LookPath: lookPath, Run: runner{u}.run,
	}
}

func lookPath(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	if path, err = filepath.Abs(path); err != nil {
		return ""
	}
	return path
}
