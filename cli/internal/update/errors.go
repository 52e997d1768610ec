package update

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/acc-control-plane/acc/protocol"
)

// Why there is no update, beside the reasons of packages release and runtime.
const (
	// ReasonUpdatesDisabled: this build does not know where its releases are, or whose signature to trust.
	ReasonUpdatesDisabled protocol.Reason = "updates_disabled"
	// ReasonNetworkDisabled: ACC_NO_UPDATE_CHECK=1 forbids to look.
	ReasonNetworkDisabled protocol.Reason = "network_disabled"
	// ReasonRegistryUnreachable: the registry did not answer, or not in time.
	ReasonRegistryUnreachable protocol.Reason = "registry_unreachable"
	// ReasonRegistryAnswer: the registry answered something that is no package document.
	ReasonRegistryAnswer protocol.Reason = "registry_answer_invalid"
	// ReasonReleaseUnknown: the registry has no such package or version.
	ReasonReleaseUnknown protocol.Reason = "release_unknown"
	// ReasonIntegrity: what was downloaded is not what the registry announced.
	ReasonIntegrity protocol.Reason = "release_integrity_failed"
	// ReasonOtherRelease: the signed manifest is that of another release than the one that was asked for.
	ReasonOtherRelease protocol.Reason = "release_other"
	// ReasonUpdateProtocol: the release needs a newer updater than this one.
	ReasonUpdateProtocol protocol.Reason = "update_protocol_newer"
	// ReasonUnhealthy: the release was tried and did not work here.
	ReasonUnhealthy protocol.Reason = "release_unhealthy"
)

// unreachable is the error of a call that got no answer. It names what was asked for, never what the answer said.
func unreachable(what string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return protocol.TimeoutError(ReasonRegistryUnreachable, what+" was not given in time").WithHint("acc update, when the network is there").Because(err)
	}
	return protocol.DataError(ReasonRegistryUnreachable, fmt.Sprintf("%s cannot be had: %v", what, err)).WithHint("acc update, when the network is there").Because(err)
}

func answered(what string, err error) error {
	return protocol.DataError(ReasonRegistryAnswer, fmt.Sprintf("%s is refused: %v", what, err)).Because(err)
}
