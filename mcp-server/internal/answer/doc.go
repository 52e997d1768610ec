// Package answer writes what tools and resources give back: one closed JSON object each, and a few lines
// of text that say the same.
//
// Both reach a model, so what peers wrote is made safe in both as hooks make it safe: every string of an
// object goes through projection.Line, bodies are carried in the frame of a turn, and nothing else is
// left. safe.go is the one place where that happens. Start at Writer.
package answer
