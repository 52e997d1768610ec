// Command bench measures what acc costs, through the executables as a client starts them.
//
//	go run ./tools/bench                  all of it; takes some minutes
//	go run ./tools/bench -quick           small rooms and few runs, to see that it works
//	go run ./tools/bench -only 'guard'    the cases whose name matches
//	go run ./tools/bench -write           also puts the tables into docs/performance.md
//
// Time on its own says little about a program on a shared machine, so each figure stands beside raw costs
// measured in the same minutes, in turn with the case: starting an empty Go program, appending and flushing
// as many bytes as a message takes in the journal, and one git rev-parse. A verdict is of the ratio.
//
// build.go makes the executables, machine.go a data home with rooms of any history, process.go starts and
// measures, hooks.go and commands.go are the cases, crowd.go has many processes at once, inprocess.go
// what runs inside one, count.go what is counted instead of timed, report.go the tables.
package main
