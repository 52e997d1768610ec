package protocol

// EventPayload is the typed payload of an event; the concrete types are below. A payload never holds
// a generation, only its GenerationRef, and readers tolerate members they do not know.
type EventPayload interface {
	EventType() EventType
}
