package protocol

import "github.com/acc-control-plane/acc/protocol/strictjson"

// Definition documents one JSON shape. It comes from the same table that decodes, validates and
// encodes it.
type Definition struct {
	Name       string
	Doc        string
	Rows       []strictjson.Row
	Rules      []string // across members, in words
	JSONSchema []byte   // draft 2020-12
}

// Definitions documents every record, the event and the ephemeral shapes.
func Definitions() []Definition {
	return []Definition{
		define(&workspaceObject), define(&participantObject), define(&sessionObject), define(&intentObject), define(&claimObject),
		define(&messageObject), define(&receiptObject), define(&eventObject), define(&bindingObject), define(&beatObject),
	}
}

// PayloadDefinitions documents the payload of every event type, in the order of EventTypes.
func PayloadDefinitions() []Definition {
	return []Definition{
		define(&workspaceMaterialisedObject), define(&sessionOpenedObject), define(&sessionClosedObject),
		define(&intentPublishedObject), define(&intentClearedObject),
		define(&claimAcquiredObject), define(&claimReleasedObject), define(&claimRenewedObject), define(&claimForceReleasedObject),
		define(&messageRecordedObject), define(&messageOfferedObject), define(&messageRetrievedObject),
		define(&messageAcknowledgedObject), define(&offerSucceededObject), define(&offerFailedObject),
	}
}

func define[T any](o *strictjson.Object[T]) Definition {
	return Definition{Name: o.Name, Doc: o.Doc, Rows: o.Rows(), Rules: o.AllRules(), JSONSchema: o.JSONSchema()}
}
