// Package index is an ordered set of tuples kept in small immutable pages that are named by their content.
//
// A tree is changed in memory and saved by writing the pages that differ; the root names everything below
// it, so a reader that holds a root sees one state for as long as the pages exist, whatever writers do. A
// page that is lost or damaged cannot be mistaken for another one.
//
// A leaf has at most 32 tuples, a branch at most 16 children, a page at most 64 KiB. The tree can be given
// a least height: finding something then costs the same number of pages whether it holds a hundred tuples
// or a hundred thousand. Where pages lie is the caller's business. Start reading at tree.go.
package index
