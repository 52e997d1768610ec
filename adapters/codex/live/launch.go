package live

import "strings"

// embedding are the options with which the client runs a thread in a process of its own: what it names in
// its own list of reasons. --no-daemon and -c were tried; the others stand in that list.
var embedding = []struct{ long, short string }{
	{"--no-daemon", ""}, {"--config", "-c"}, {"--enable", ""}, {"--disable", ""}, {"--search", ""}, {"--profile", "-p"}, {"--oss", ""},
	{"--strict-config", ""}, {"--dangerously-bypass-hook-trust", ""},
}

// valued says whether the value of one of the client's options may be the next argument.
func valued(option string) bool {
	switch option {
	case "-c", "--config", "--enable", "--disable", "-p", "--profile", "-m", "--model", "-s", "--sandbox", "-a", "--ask-for-approval",
		"-C", "--cd", "-i", "--image", "--add-dir", "--local-provider", "--remote":
		return true
	}
	return false
}

// envExecServer moves the execution of tools elsewhere, and the thread out of the background server.
const envExecServer = "CODEX_EXEC_SERVER_URL"

// launchOption names what in the arguments of the client's process keeps its thread to itself: an option by its
// long name, or the command exec. "" is unknown. Nothing that a person wrote is in it.
func launchOption(args []string) string {
	for i := 1; i < len(args); i++ { // the first is the executable
		arg := args[i]
		if arg == "--" {
			return ""
		}
		for _, o := range embedding {
			if name, _, _ := strings.Cut(arg, "="); name == o.long || o.short != "" && strings.HasPrefix(arg, o.short) && !strings.HasPrefix(arg, "--") {
				return o.long
			}
		}
		switch {
		case valued(arg):
			i++
		case arg == "exec" || arg == "e":
			return "exec"
		case !strings.HasPrefix(arg, "-"):
			return "" // a prompt, or another command
		}
	}
	return ""
}
