package mcpserver

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/mcp-server/internal/answer"
	"github.com/acc-control-plane/acc/mcp-server/internal/caller"
	"github.com/acc-control-plane/acc/storage-filesystem/change"
)

// resource is something a client can read again and be told of. Its content has no time of day in it:
// it changes exactly when there is something new in it.
type resource struct {
	uri, name, description string
	read                   func(ctx context.Context, s *server, who *caller.Caller) ([]byte, error)
}

var resources = []resource{
	{"acc://snapshot", "snapshot", "How the room stands: participants, sessions, intents, claims.", readSnapshot},
	{"acc://roster", "roster", "Who may be here, and what each says it is doing.", readRoster},
	{"acc://inbox", "inbox", "What waits for you, newest first.", readInbox},
}

const mimeJSON = "application/json"

func (s *server) addResources() {
	for _, r := range resources {
		s.mcp.AddResource(&mcp.Resource{URI: r.uri, Name: r.name, Description: r.description, MIMEType: mimeJSON},
			func(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				ctx, cancel := context.WithTimeout(ctx, deadline)
				defer cancel()
				who, err := s.book.Of(ctx, metadata(request.ClientInfo(), request.Params.Meta))
				if err != nil {
					return nil, err
				}
				content, err := r.read(ctx, s, who)
				if err != nil {
					return nil, classify(err)
				}
				return &mcp.ReadResourceResult{
					Contents:  []*mcp.ResourceContents{{URI: r.uri, MIMEType: mimeJSON, Text: string(content)}},
					Cacheable: mcp.Cacheable{CacheScope: "private"}, // what is in it depends on who asks
				}, nil
			})
	}
}

func readSnapshot(ctx context.Context, s *server, who *caller.Caller) ([]byte, error) {
	result, err := who.Room.Core.Sync(ctx, core.SyncQuery{Full: true, Limit: 1})
	if err != nil {
		return nil, err
	}
	return answer.Object(s.write, answer.Snapshot, result.Snapshot)
}

func readRoster(ctx context.Context, s *server, who *caller.Caller) ([]byte, error) {
	status, err := who.Room.Core.Status(ctx, core.StatusQuery{})
	if err != nil {
		return nil, err
	}
	return answer.Object(s.write, answer.Roster, &answer.RosterData{Sessions: status.Sessions})
}

func readInbox(ctx context.Context, s *server, who *caller.Caller) ([]byte, error) {
	var page core.InboxPage
	err := who.Do(ctx, func(owner core.Owner) (err error) {
		page, err = who.Room.Core.Inbox(ctx, owner, core.InboxQuery{})
		return err
	})
	if err != nil {
		return nil, err
	}
	return answer.Object(s.write, answer.Inbox, &page)
}

// watches tell clients of changes of the resources that they subscribed to.
type watches struct {
	server *server

	mu      sync.Mutex
	running map[string]context.CancelFunc // by uri
}

func (w *watches) subscribe(ctx context.Context, request *mcp.SubscribeRequest) error {
	uri := request.Params.URI
	i := slices.IndexFunc(resources, func(r resource) bool { return r.uri == uri })
	if i < 0 {
		return mcp.ResourceNotFoundError(uri)
	}
	who, err := w.server.book.Of(ctx, metadata(request.ClientInfo(), request.Params.Meta))
	if err != nil {
		return err
	}
	// What is there now is what the client knows or can read; it is told of what comes after.
	before, err := resources[i].read(ctx, w.server, who)
	if err != nil {
		return classify(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running[uri] != nil {
		return nil
	}
	// A subscription outlives the call that made it, and ends with the client.
	watching, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w.running[uri] = cancel
	go func() {
		select {
		case <-w.server.hangup:
			cancel()
		case <-watching.Done():
		}
	}()
	go w.watch(watching, resources[i], who, sha256.Sum256(before))
	return nil
}

func (w *watches) unsubscribe(_ context.Context, request *mcp.UnsubscribeRequest) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if cancel := w.running[request.Params.URI]; cancel != nil {
		cancel()
		delete(w.running, request.Params.URI)
	}
	return nil
}

// watch tells of each change of a resource until ctx ends. A look that fails is followed by another.
func (w *watches) watch(ctx context.Context, r resource, who *caller.Caller, known [sha256.Size]byte) {
	_ = change.Watch(ctx, who.Room.Dir, func(ctx context.Context) (bool, error) {
		look, cancel := context.WithTimeout(ctx, deadline)
		defer cancel()
		content, err := r.read(look, w.server, who)
		if err != nil {
			return false, nil
		}
		if sum := sha256.Sum256(content); sum != known {
			known = sum
			_ = w.server.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: r.uri})
		}
		return false, nil
	})
}
