// Package tools holds the checks and builders of contributors. No product package imports anything here.
//
// boundaries checks the import graph and the module files, doctest runs the commands in the documents,
// modproxy serves unpublished siblings to go mod tidy, worktree knows the layout of the repository, and
// lint pins the linter in a module of its own. Start reading at .ci/run, which runs them all.
package tools
