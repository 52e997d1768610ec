// Package boundaries checks who may import whom. It loads the real import graph, as the go command sees
// it on each platform that acc runs on, and holds it against one table of rules; it also checks the
// module files and keeps the package list of every binary under review.
//
// Start reading at rules.go, which is the table. check.go applies it and gives the chain of imports that
// breaks a rule together with what to do instead; graph.go loads the graph; files.go looks at go.work and
// go.mod; lists.go writes the lists in testdata. The tests are the product: after adding a dependency
// on purpose, run
//
//	go test ./tools/boundaries -update
//
// and commit the changed list, so that a reviewer sees what came along.
//
// What a graph cannot tell (a process started through os.StartProcess, a missing comment) is the
// linter's: see .golangci.yml, which states the import rules a second time.
package boundaries
