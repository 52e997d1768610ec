// Package doctest runs every command that the documents show and compares what it prints with what they
// say it prints.
//
// A fenced block marked sh is a list of commands that must succeed. A block marked console is a
// terminal: a line that starts with a prompt is a command, the lines below it are its output. The prompt
// is "$ ", or a word and "$ " where a document needs several terminals at a time: each word is a shell
// with its own variables and its own current directory. A command that is meant to fail ends with a
// comment that says with which code: "# exit 5".
//
// In output, "…" stands for anything on that line, and a line that is only "…" for any number of lines.
// An id is shortened as a person would do it: message_01A… is some message id the first time, and the same
// id wherever the document says it again, in commands too. A bare word of capitals and digits before the
// sign (7Q2…) is a value that is not an id of acc, such as a generation. A time of day stands for any.
//
// A comment on the line before a block changes what is done with it:
//
//	<!-- doctest: ci -->            not run here: .ci/run must contain each command as it stands
//	<!-- doctest: checkout -->      run in the root of this work tree
//	<!-- doctest: skip REASON -->   not run at all
//
// A block of Go below the line <!-- from FILE --> must stand in that file of the work tree as it is shown.
//
// Each document gets a home, a data home and shells of its own, and in ACC_CHECKOUT the root of
// this work tree. Start reading at run.go.
package doctest
