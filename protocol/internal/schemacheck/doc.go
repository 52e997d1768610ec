// Package schemacheck is for tests: a JSON tree that keeps order, so that a test can change one member
// of a document, and a validator for exactly the JSON Schema keywords that strictjson writes. It is
// small on purpose: a full validator would become a dependency of every module that requires protocol.
// A keyword that it does not know is an error, never ignored.
package schemacheck
