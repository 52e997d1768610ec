package main

import "testing"

// TestGuardTakesNamesAsTheyAre: a claim on a directory covers a file whatever its name holds, and one odd name
// among the targets of an edit leaves none of them unchecked.
func TestGuardTakesNamesAsTheyAre(t *testing.T) {
	m := newMachine(t)
	ada, bob := m.conversation("ada"), m.conversation("bob")
	o := owner(t, ada.start("startup").context(t))
	bob.start("startup")
	m.claim(o, "file:src/**", "all of it")
	for _, file := range []string{"src/we*ird.txt", "src/**", "src/100%.go", "src/a%20b", "src/[id]/page.tsx", "src/ü b.txt", "./src//x", "src"} {
		if r := bob.edit(file); r.member(t, "permissionDecision") != "deny" {
			t.Errorf("%s: %q", file, r.stdout)
		}
	}
	for _, file := range []string{"other/we*ird.txt", "src2/**", "sr*"} {
		if r := bob.edit(file); r.stdout != "" && r.member(t, "permissionDecision") == "deny" {
			t.Errorf("%s: %q", file, r.stdout)
		}
	}
}
