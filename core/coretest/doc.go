// Package coretest holds what tests of core and of its stores share: an in-memory model of the store, a
// clock, ids and a process table that a test sets by hand, and two suites. TestStore is the contract of
// core.Store as executable cases; TestCore runs the rules of core on top of any store. A store's own test
// calls both:
//
//	coretest.TestStore(t, func(t *testing.T) core.Store { return open(t, t.TempDir()) })
//	coretest.TestCore(t, func(t *testing.T) core.Store { return open(t, t.TempDir()) })
//
// Only tests import it.
package coretest
