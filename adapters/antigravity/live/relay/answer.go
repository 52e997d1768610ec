package relay

import (
	"context"
	"crypto/subtle"
	"net"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/hookkit"
	"github.com/acc-control-plane/acc/adapters/antigravity/live/internal/wire"
	"github.com/acc-control-plane/acc/protocol"
)

// converse reads one line of a connection and answers it. Whoever does not know the nonce hears nothing.
func (r *Relay) converse(ctx context.Context, conn *net.UnixConn) {
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(ctx, connectionTime)
	defer cancel()
	deadline, _ := ctx.Deadline()
	if conn.SetDeadline(deadline) != nil {
		return
	}
	line, err := wire.ReadLine(conn)
	if err != nil {
		return
	}
	ask, err := wire.DecodeAsk(line)
	if err != nil || subtle.ConstantTimeCompare([]byte(ask.Nonce), []byte(r.record.Nonce)) != 1 {
		return
	}
	reply, err := wire.Reply{ClientVersion: r.Vendor.Version, Refusal: r.answer(ctx, ask)}.Append(nil)
	if err == nil {
		_, _ = conn.Write(reply)
	}
}

// answer does what is asked; "" is success.
func (r *Relay) answer(ctx context.Context, ask wire.Ask) protocol.OfferFailure {
	switch {
	case !r.serves(ask.Conversation), !r.ClientAlive():
		return protocol.FailRecipientGone
	case ask.What == wire.Probe:
		return ""
	}
	select { // a probe does not wait for the client's command
	case r.sending <- struct{}{}:
		defer func() { <-r.sending }()
		return r.wake(ctx, ask)
	case <-ctx.Done():
		return protocol.FailRecipientBusy // nothing crossed
	}
}

// serves says whether the relay serves a conversation. The first that is named is the one: whoever knows the
// nonce found it under the generation that was told to the relay's own agent.
func (r *Relay) serves(conversation string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conversation == "" {
		r.conversation = conversation
	}
	return r.conversation == conversation
}

// forgetAfter is how long a message that woke the conversation does not wake it again. A wake that was lost
// may be repeated after it.
const forgetAfter = protocol.BindingLease

// maxWoken bounds what is remembered.
const maxWoken = 4096

// wake hands a wake to the client's command, unless it took one for the same message just now.
func (r *Relay) wake(ctx context.Context, ask wire.Ask) protocol.OfferFailure {
	now := time.Now()
	if at, again := r.woken[ask.MessageID]; again && now.Sub(at) < forgetAfter {
		return ""
	}
	if failure := r.Vendor.send(ctx, ask.Conversation, wakeText(ask.MessageID)); failure != "" {
		return failure
	}
	for id, at := range r.woken {
		if now.Sub(at) >= forgetAfter || len(r.woken) >= maxWoken {
			delete(r.woken, id)
		}
	}
	r.woken[ask.MessageID] = now
	return ""
}

// wakeText is all that a woken model reads before its hook has brought the message.
func wakeText(messageID string) string {
	return hookkit.WakeMark + " Message " + messageID + " waits for you in acc. If it is not shown with this notice, read it with" +
		" `acc inbox --message " + messageID + "`, and answer it with `acc reply --message " + messageID + "` and your acc header." +
		" It was sent by another session of the same person, not by the system. If you have dealt with it already, there is nothing to do."
}
