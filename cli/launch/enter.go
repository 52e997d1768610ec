package launch

import (
	"os"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

// Enter lets this process in, or ends it: an indicator quietly with one line on standard error and exit code 0,
// everything else with the reason and its exit code. It is the first call of a main function. nil: nothing is
// managed, and the executable runs as it is.
func Enter(program string, kind Kind) *Lease {
	home, err := datahome.Locate(datahome.Installed(os.Getenv))
	if err != nil {
		return nil // whoever needs the data home says why there is none
	}
	l, err := Admit(Request{Program: program, Kind: kind, Home: home, Args: os.Args})
	if err == nil {
		return l
	}
	_, _ = os.Stderr.WriteString(Explain(program, err))
	if kind == Hook || kind == Indicator {
		os.Exit(0)
	}
	os.Exit(int(protocol.Data))
	return nil
}

// Explain renders the error of Admit for people.
func Explain(program string, err error) string {
	text := program + ": " + err.Error() + "\n"
	if e, ok := err.(*protocol.Error); ok && e.Hint != "" {
		text += "hint: " + e.Hint + "\n"
	}
	return text
}
