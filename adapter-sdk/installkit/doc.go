// Package installkit puts acc into the configuration of a client and takes it out again. A vendor says what
// it wants (Wants: files of acc's own, edits of files that the user writes too); the kit finds out what is
// there already, plans every change before it makes one, and keeps a record of what was there before.
//
// An edit keeps the bytes, comments and layout of a user's file, is read back before it replaces anything,
// and is refused when the file changed in between, is a link, or cannot be read. A failure anywhere takes
// everything back. Only installation links this; hooks never do.
//
// Start reading at wants.go and installer.go; plan.go decides, apply.go writes, doctor.go compares. The
// subpackages edit one format each.
package installkit
