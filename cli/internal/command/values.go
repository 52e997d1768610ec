package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/protocol"
	flags "github.com/urfave/cli/v2"
)

// span reads a positive duration: a whole number of unit, or a Go duration such as 90s or 2h. Not
// given is otherwise.
func span(given *flags.Context, name string, unit, otherwise time.Duration) (time.Duration, error) {
	text := given.String(name)
	if text == "" {
		return otherwise, nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 && n <= int64(1<<62/unit) {
		return time.Duration(n) * unit, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d, nil
	}
	return 0, invalid("--%s is a positive number or a duration such as 90s or 2h, not %q", name, text)
}

// limit reads the size of a page; 0 means not given.
func limit(given *flags.Context, most int) (int, error) {
	text := given.String("limit")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, invalid("--limit is a number from 1 to %d, not %q", most, text)
	}
	return n, nil
}

// bodyText gives the text of --body or the content of --body-file, of which exactly one must be given.
// "-" is stdin.
func bodyText(inv *Invocation, given *flags.Context) (string, error) {
	body, file := given.String("body"), given.String("body-file")
	switch {
	case body == "" && file == "":
		return "", invalid("a body is needed").WithHint("--body TEXT, or --body-file PATH, or --body-file - for stdin")
	case body != "" && file != "":
		return "", invalid("--body and --body-file exclude each other")
	case body != "":
		return body, nil
	case file == "-":
		return readBody(inv.Stdin, "stdin")
	}
	cwd, err := inv.Cwd()
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(cwd, file)
	}
	f, err := os.Open(file)
	if err != nil {
		return "", protocol.DataError(protocol.ReasonNotFound, "cannot read the body: "+err.Error()).Because(err)
	}
	defer f.Close()
	return readBody(f, file)
}

// readBody reads one byte more than a body may have, so that core refuses what is too long.
func readBody(r io.Reader, name string) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, protocol.MaxBody+1))
	if err != nil {
		return "", protocol.DataError("", fmt.Sprintf("cannot read the body from %s: %v", name, err)).Because(err)
	}
	if len(data) > protocol.MaxBody {
		return "", protocol.DataError("", fmt.Sprintf("the body in %s is longer than %d bytes", name, protocol.MaxBody)).
			WithHint("send what matters and name the file")
	}
	if len(data) == 0 {
		return "", invalid("the body in %s is empty", name)
	}
	return string(data), nil
}

func invalid(format string, args ...any) *protocol.Error {
	return protocol.UsageError(argv.ReasonInvalidArguments, fmt.Sprintf(format, args...))
}
