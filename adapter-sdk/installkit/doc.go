// Package installkit writes what acc needs into a client's configuration and takes it out again, to the
// byte, without taking anything with it that somebody else put there.
//
// A vendor implements Client: where is it, and what does acc want there (Wants)? New seals that as an
// adapter.Installer, whose plans name every file before one is touched, whose Apply is all or nothing,
// and whose Doctor tells what is wired. What was found is recorded in <data home>/acc/installs.json, so
// that removal concerns only what this data home installed and keeps what was changed since.
//
// Below: jsonedit, tomledit and block edit texts and know no files; userfile touches files and knows no
// texts. Nothing here starts a process: a client's own command is run through Machine.Run. The tests
// that every installer must pass are adaptertest/installtest. Start reading at wants.go, then
// installer.go; example_test.go shows how a command uses it.
package installkit
