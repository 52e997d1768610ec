package command

import (
	"strconv"
	"strings"
	"time"

	flags "github.com/urfave/cli/v2"
)

// moment reads a time: a day (its beginning, local), a full RFC 3339 time, or an age. Not given is the
// zero time.
func moment(given *flags.Context, name string, now time.Time) (time.Time, error) {
	text := given.String(name)
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return t, nil
	}
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= 100_000 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, invalid("--%s is a day such as 2026-12-31, a full RFC 3339 time, or an age such as 90m or 7d, not %q", name, text)
}
