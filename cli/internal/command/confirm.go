package command

import (
	"bufio"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// Thinking bounds how long a person is waited for.
const Thinking = 10 * time.Minute

// confirm asks a person. Where nobody can be asked, the command needs --yes.
func (inv *Invocation) confirm(question string) (bool, error) {
	if !inv.canAsk() {
		return false, invalid("nobody can be asked here").WithHint("add --yes")
	}
	inv.UI.Ask(question + " [y/N] ")
	line, err := bufio.NewReader(inv.Stdin).ReadString('\n')
	if err != nil {
		return false, nil // closed without an answer is no
	}
	reply := strings.ToLower(strings.TrimSpace(line))
	return reply == "y" || reply == "yes", nil
}

// canAsk says whether a person sits at the other end.
func (inv *Invocation) canAsk() bool {
	f, isFile := inv.Stdin.(*os.File)
	return !inv.JSON && isFile && term.IsTerminal(int(f.Fd()))
}
