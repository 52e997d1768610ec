// Package tools holds the checks and builders of contributors. No product package imports anything here.
//
// README.md lists them with the command for each. Start reading at .ci/run, which runs them all.
package tools
