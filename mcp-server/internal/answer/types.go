package answer

import (
	"time"

	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// nested is an object within an object.
func nested[T any](o *strictjson.Object[T]) strictjson.Type[T] { return strictjson.Nested(o) }

// Millis cuts a time to the whole milliseconds that JSON carries.
func Millis(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
