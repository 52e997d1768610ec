package launch

import (
	"os"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
	"github.com/acc-control-plane/acc/cli/launch/pin"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/privatefile"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// Residence is the way of acc-hook into the runtime: its generation depends on the session, which it knows only
// after it has read its payload. The hook runner calls its methods.
type Residence struct {
	home  datahome.Home
	lease *Lease
}

// Admit lets the hook in for a session of a client. payload is what it has read.
func (r *Residence) Admit(adapterID, sessionID string, begins bool, payload []byte) error {
	home, err := datahome.Locate(datahome.Installed(os.Getenv))
	if err != nil {
		return nil // the hook runner says why there is none
	}
	r.home = home
	r.lease, err = Admit(Request{
		Program: "acc-hook", Kind: Hook, Home: home, Args: os.Args, Stdin: payload,
		Adapter: adapterID, Session: sessionID, Begins: begins,
	})
	return err
}

// Began pins a session that begins to the generation that runs, as long as its client lives. A pin is a promise
// that the session sees one version of acc; without one it sees the active one, which is right, too.
func (r *Residence) Began(adapterID, sessionID string, client process.Identity) {
	if r.lease == nil {
		return
	}
	p := pin.Record{
		AdapterID: adapterID, SessionID: sessionID, Generation: r.lease.Generation, BuildID: r.lease.BuildID,
		StoreContract: protocol.StoreVersion, Client: client, CreatedAt: time.Now().UTC().Truncate(time.Millisecond),
	}
	if raw, err := pin.Form().AppendIndent(nil, &p); err == nil {
		_ = privatefile.Write(r.home.Root, r.pin(adapterID, sessionID), raw)
	}
}

// Ended ends the pin of a session.
func (r *Residence) Ended(adapterID, sessionID string) {
	if r.lease != nil {
		_ = privatefile.Remove(r.home.Root, r.pin(adapterID, sessionID))
	}
}

func (r *Residence) pin(adapterID, sessionID string) string {
	return layout.In(r.home).Pin(adapterID, sessionID)
}
