// Package protocol is the vocabulary of acc: identifiers, closed record schemas, semantic validation,
// receipt transitions, event types, limits, error and exit codes.
//
// It knows nothing of stores, clients or commands. Everything that two modules must agree on about
// the shape of a fact lives here, once; how a fact is used lives in core, how it is kept lives in the
// store. Start reading at records.go (the shapes), then schema.go (the one definition that drives
// decoding, encoding, validation, JSON Schema and the tables in the documentation).
package protocol
