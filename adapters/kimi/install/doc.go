// Package install writes acc into Kimi Code: hooks between two marker lines at the end of config.toml,
// and the skill.
//
// One invalid key disables every hook of the user in this client, so its own doctor is asked before and
// after, and a configuration that it refuses is put back. Facts are those of Kimi Code 2.1.0. Start
// reading at install.go.
package install
