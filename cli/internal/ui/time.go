package ui

import (
	"fmt"
	"time"
)

// People read local times, near ones as a span from now; what programs read is RFC 3339 in UTC. Nothing but
// this file writes a time for people.

// Span gives a duration in the unit a person would say: "12 s", "4 min", "3 h", "2 d". A negative one
// (a clock that jumped) is "0 s".
func Span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(0, d/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d d", d/(24*time.Hour))
}

// Ago says how long before now t was.
func Ago(now, t time.Time) string { return Span(now.Sub(t)) + " ago" }

// Left says how long after now t is. What has passed is "expired".
func Left(now, t time.Time) string {
	if !t.After(now) {
		return "expired"
	}
	return Span(t.Sub(now)) + " left"
}

// ClockTime gives the local time of day, with the date when it is not today's.
func ClockTime(now, t time.Time) string {
	now, t = now.Local(), t.Local()
	if now.Year() == t.Year() && now.YearDay() == t.YearDay() {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04:05")
}
