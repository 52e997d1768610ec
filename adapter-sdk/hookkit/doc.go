// Package hookkit holds what the hook packages of adapters share: reading a payload within bounds,
// telling who began a turn, and writing the few JSON shapes in which clients take an answer.
//
// Payloads are read from tables (protocol/strictjson, Open, because clients add members) and without
// reflection: a hook process lives for milliseconds. Start reading at payload.go.
package hookkit
