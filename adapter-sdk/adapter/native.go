package adapter

import (
	"slices"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/release"
	"github.com/acc-control-plane/acc/protocol"
)

// Transport is the public name of a way to reach a running session. A receipt and an outcome show it.
type Transport string

// The transports that may be shown. The set is closed: whatever else an adapter calls its transport is
// shown as TransportOther, so that no endpoint can leak through a name.
const (
	TransportClaudeInbox        Transport = "claude-inbox"
	TransportCodexAppServer     Transport = "codex-app-server"
	TransportAntigravityRelay   Transport = "antigravity-relay"
	TransportAntigravityDesktop Transport = "antigravity-desktop"
	TransportOther              Transport = "live-adapter"
)

var transports = [...]Transport{
	TransportClaudeInbox, TransportCodexAppServer, TransportAntigravityRelay, TransportAntigravityDesktop, TransportOther,
}

// Public gives t if it may be shown, and TransportOther for anything else.
func (t Transport) Public() Transport {
	if slices.Contains(transports[:], t) {
		return t
	}
	return TransportOther
}

// OfferKind says what crosses to the client.
type OfferKind string

// The offer kinds.
const (
	// OfferMessage hands the framed body over: an accepted offer makes the receipt offered.
	OfferMessage OfferKind = "message"
	// OfferWake only asks the session to look. No body crosses, so the receipt stays queued until a hook
	// has carried it.
	OfferWake OfferKind = "wake"
)

// Contract is what an adapter declares of its live transport, in advance and for every session.
type Contract struct {
	Transport Transport
	Protocol  string // name and version of the wire protocol; a handshake must report the same
	Kind      OfferKind
	Modes     []protocol.DeliveryMode // the most that an endpoint offers; LivePush is among them
	// Minimum is the oldest client version that was seen to work, as x.y.z. It holds on every platform.
	Minimum  string
	KnownBad []VersionRange
	// OfferTime bounds one offer; at most MaxOfferTime.
	OfferTime time.Duration
	// AppearsLate: an endpoint may come to be during a turn, so hooks look for it at the end of one too.
	AppearsLate bool
	// PersonUnseen: no event of the adapter is of OriginHuman, because the client does not show who began a turn. What
	// is bounded until a person comes is bounded for each day then.
	PersonUnseen bool
	// Experimental: it was made from descriptions and never seen to work with the client. It is told whoever may
	// switch it on.
	Experimental bool
}

// VersionRange is a run of client versions, both ends included; To may be empty: only From.
type VersionRange struct{ From, To string }

// Bounds of what an adapter's live code may take.
const (
	BindTime     = 750 * time.Millisecond // for a handshake and for a refresh
	MaxOfferTime = 5 * time.Second
)

// NativeReason says why a session has no live endpoint, or lost it. The vocabulary is closed, so that
// it can be recorded and shown: never a path and never a client's own words.
type NativeReason string

// The native reasons. NativeOK is the zero value.
const (
	NativeOK                  NativeReason = ""
	NativeUnsupported         NativeReason = "native_delivery_unsupported" // on this platform or by this client
	NativeVersionUnknown      NativeReason = "version_unavailable"
	NativeBelowMinimum        NativeReason = "below_minimum_version"
	NativeKnownBad            NativeReason = "known_bad_version"
	NativeProtocolMismatch    NativeReason = "protocol_mismatch"
	NativeEndpointUnavailable NativeReason = "native_endpoint_unavailable" // nothing there, or not what it must be
	NativeSessionUnavailable  NativeReason = "native_session_unavailable"  // the client serves another conversation, or none
	NativeHandshakeFailed     NativeReason = "handshake_failed"
	NativeHandshakeTimeout    NativeReason = "handshake_timeout"
	NativeGenerationStale     NativeReason = "session_generation_stale" // the endpoint was another generation's
	NativeProcessUnknown      NativeReason = "client_process_unknown"
	NativeSessionEmbedded     NativeReason = "client_session_embedded" // started in a way that serves nobody else
	NativePermissionDenied    NativeReason = "transport_permission_denied"
)

var nativeReasons = [...]NativeReason{
	NativeUnsupported, NativeVersionUnknown, NativeBelowMinimum, NativeKnownBad, NativeProtocolMismatch, NativeEndpointUnavailable,
	NativeSessionUnavailable, NativeHandshakeFailed, NativeHandshakeTimeout, NativeGenerationStale, NativeProcessUnknown,
	NativeSessionEmbedded, NativePermissionDenied,
}

// Closed gives r if it is of the vocabulary, and NativeHandshakeFailed for anything else.
func (r NativeReason) Closed() NativeReason {
	if r == NativeOK || slices.Contains(nativeReasons[:], r) {
		return r
	}
	return NativeHandshakeFailed
}

// Judge says whether a client version is within the contract: NativeOK, NativeVersionUnknown,
// NativeBelowMinimum or NativeKnownBad. There is no upper end: a version that is newer than everything
// that was tried is judged by its handshake. A prerelease counts as its release.
func (c Contract) Judge(version string) NativeReason {
	v, ok := release.Parse(version)
	if !ok {
		return NativeVersionUnknown
	}
	least, _ := release.Parse(c.Minimum)
	if v.Compare(least) < 0 {
		return NativeBelowMinimum
	}
	for _, bad := range c.KnownBad {
		from, _ := release.Parse(bad.From)
		to := from
		if bad.To != "" {
			to, _ = release.Parse(bad.To)
		}
		if v.Compare(from) >= 0 && v.Compare(to) <= 0 {
			return NativeKnownBad
		}
	}
	return NativeOK
}

// check refuses a contract that no client can mean.
func (c Contract) check(id string) error {
	bad := func(what string) error {
		return protocol.UsageError("", "adapter "+id+" declares a live transport "+what)
	}
	if c.Transport == "" || !plain(string(c.Transport)) || c.Protocol == "" || !plain(c.Protocol) {
		return bad("without a name or a protocol")
	}
	if c.Kind != OfferMessage && c.Kind != OfferWake {
		return bad("of no known kind")
	}
	if !slices.Contains(c.Modes, protocol.LivePush) || slices.Contains(c.Modes, protocol.NextTurn) {
		return bad("whose modes do not include livePush, or do include nextTurn")
	}
	if _, ok := release.Parse(c.Minimum); !ok {
		return bad("without a minimum version x.y.z")
	}
	for _, r := range c.KnownBad {
		from, ok := release.Parse(r.From)
		to, okTo := release.Parse(r.To)
		if !ok || r.To != "" && (!okTo || to.Compare(from) < 0) {
			return bad("with a range of bad versions that is none")
		}
	}
	if c.OfferTime <= 0 || c.OfferTime > MaxOfferTime {
		return bad("without a possible time for an offer")
	}
	return nil
}
