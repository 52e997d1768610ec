// Package runtime manages the generations of acc that are installed in a data home: which one runs, which one
// comes next, and when one that nobody uses is removed. Who starts asks package launch, which reads what this
// package writes; nothing here runs in a hook.
//
// Open gives a Manager. Everything it knows is in files and kernel locks below <data home>/acc/runtime (see
// package layout), so any number of processes may have one.
//
//	Stage      takes a verified directory in as a generation and holds it
//	Publish    makes a staged generation the pending one
//	Install    makes a staged generation the first one
//	Activate   makes the pending generation the active one, or says why it cannot yet
//	Reclaim    removes generations that nobody names or uses
//	Downgrade  makes an older generation the pending one, because somebody asked for it
//	UpgradeStores, AdmitMigration   change stores of the earlier contract while nobody else is at work
//	Status     tells all of it, for people and for doctor
//	Due        says whether a worker has something to do
//	LockWorker keeps other workers out
//	SetAuto, SetPin, SetCheckedAt, SetNotice   keep what somebody chose or what was seen
//
// An update is one pass of these: download and verify (package update), Stage, Publish, then, by a worker of the
// pending generation, Activate with its own Integrations, UpgradeStores and Reclaim.
//
// Start reading at manager.go for the records and at activate.go for what they are for.
package runtime
