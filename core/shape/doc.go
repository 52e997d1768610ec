// Package shape holds the closed JSON tables of what core tells, for everybody who answers with it: commands
// and the MCP server print one thing in one form.
//
// types.go has the types and vocabularies that tables are made of, the other files the tables that are the
// same for every reader. A table that one reader alone has stays with that reader. Hooks print none of it
// and do not link this package. Nothing here can hold a generation.
package shape
