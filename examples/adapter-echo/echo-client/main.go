// Command echo-client stands in for an AI coding client: it plays the steps of a script, one a line of
// its standard input, and runs the hooks of its settings around them. Its model repeats what it reads.
//
//	prompt TEXT          a turn begins; the model reads TEXT and what hooks add
//	write FILE TEXT      the model writes a file, unless a hook refuses
//	shell COMMAND        the model runs a command, unless a hook refuses
//	stop                 the turn ends
//	listen SECONDS       wait for one message at the inbox; it begins a turn
//
// A session begins with the program and ends with its input. Settings lie in $ECHO_HOME or ~/.echo.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// version is what the client says of itself, here and in every hook call.
const version = "1.0.0"

func main() {
	show := flag.Bool("version", false, "print the version and stop")
	id := flag.String("session", fmt.Sprintf("echo-%d", os.Getpid()), "the id of the conversation")
	flag.Parse()
	if *show {
		fmt.Println("echo-client", version)
		return
	}
	if err := play(*id); err != nil {
		fmt.Fprintln(os.Stderr, "echo-client:", err)
		os.Exit(1)
	}
}

func play(id string) error {
	home, err := configuration()
	if err != nil {
		return err
	}
	settings, err := readSettings(filepath.Join(home, "settings.json"))
	if err != nil {
		return err
	}
	s := &session{id: id, settings: settings}
	if s.directory, err = os.Getwd(); err != nil {
		return err
	}
	if s.inbox, err = openInbox(home, id); err != nil {
		return err
	}
	defer s.inbox.close()
	s.start()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if err := s.step(lines.Text()); err != nil {
			return err
		}
	}
	s.end()
	return nil
}

func configuration() (string, error) {
	if dir := os.Getenv("ECHO_HOME"); dir != "" {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".echo"), err
}
