// Package strictjson decodes, validates, encodes and documents JSON objects from one table.
//
// An Object names the members of a Go struct in the order in which they are written. From that one
// table come Decode, Append, Validate, JSONSchema and Rows (the field table of the documentation), so
// that none of them can disagree with another. A Member binds a name to a struct field through an
// accessor; its Type says which JSON values the field may hold.
//
// Decoding is strict: unknown, duplicate, missing and wrongly cased members, null where it is not
// allowed, trailing data, invalid UTF-8, lone surrogates, deep nesting and oversized input are each
// refused with the JSON path. It works on tokens and never uses reflection, because a hook process
// pays for cold pages and type analysis at every start. Start reading at object.go.
package strictjson
