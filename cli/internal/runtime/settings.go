package runtime

import (
	"errors"
	"time"
)

// Settings are what the record that decides says, for who updates: read without looking at any generation.
type Settings struct {
	Phase     Phase
	Active    Generation
	Pending   *Generation // nil: none
	Auto      bool        // later releases are looked for
	Pin       string      // exact version that updates stay on; "": the newest
	CheckedAt time.Time   // when a later release was last looked for; zero: never
	Notice    string      // what a person should know; "": nothing
	Home      string      // of the user whose clients are wired
	Targets   []string    // ids of the adapters that are wired
}

// Settings gives them. Where nothing is managed it is an error with ReasonUnmanaged.
func (m *Manager) Settings() (Settings, error) {
	c, err := m.control()
	if err != nil {
		return Settings{}, err
	}
	return Settings{c.Phase, c.Active, c.Pending, c.Auto, c.Pin, c.CheckedAt, c.Notice, c.Home, c.Targets}, nil
}

// CheckDue says whether a later release was not looked for since a day.
func (s Settings) CheckDue(now time.Time) bool { return sinceAtLeast(now, s.CheckedAt, checkEvery) }

// Traced gives the same manager, which tells of each step before it is taken. Tests stop and kill processes there.
func (m *Manager) Traced(step func(name string)) *Manager {
	traced := *m
	traced.step = step
	return &traced
}

// Verify says nothing if a generation is what its name, its manifest and a pointer to it say: before anything of it
// is started by who only has the pointer. Otherwise it is an error with ReasonGenerationDamaged.
func (m *Manager) Verify(g Generation) error {
	c, err := m.installed(g.Name)
	if err == nil && c.BuildID != g.BuildID {
		err = damaged(m.at.Generation(g.Name), errors.New("it is another build than the record names"))
	}
	return err
}
