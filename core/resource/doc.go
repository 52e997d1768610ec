// Package resource gives names of resources one spelling and says when two of them overlap.
//
// A resource is a URI: `scheme:rest`. Only `file:` names are rewritten, because only they have many
// spellings of one thing; they are relative to the checkout unless they begin with a slash. A name that
// ends in "/**" stands for everything below and for the directory itself; no other pattern exists.
// Nothing here looks at a file system: links and letter case are settled by whoever has one, before
// the name comes here. Start at Normalise and Overlap.
package resource
