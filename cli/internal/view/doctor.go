package view

import (
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/certification"
	"github.com/acc-control-plane/acc/cli/internal/doctor"
	"github.com/acc-control-plane/acc/cli/internal/runtime"
	hookrunner "github.com/acc-control-plane/acc/hook-runner"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
)

// DoctorData is the answer of doctor.
type DoctorData struct {
	doctor.Report
	DataHome string
	Version  string
	Healthy  bool
}

// at shows a time that may be unknown.
func at[T any](name, doc string, of func(*T) *time.Time) strictjson.Member[T] {
	return nullable(name, doc, of, when)
}

var checkObject = &strictjson.Object[doctor.Finding]{
	Name: "check", Doc: "One fact that was observed.",
	Members: func() []strictjson.Member[doctor.Finding] {
		return []strictjson.Member[doctor.Finding]{
			field("level", "warn: acc works, and something is not as it could be; fail: something does not work", func(f *doctor.Finding) *doctor.Level { return &f.Level }, strictjson.Enum(doctor.OK, doctor.Warn, doctor.Fail)),
			field("subject", "what it is about: a word, or the id of an adapter", func(f *doctor.Finding) *string { return &f.Subject }, word),
			field("text", "what was found", func(f *doctor.Finding) *string { return &f.Text }, text),
			at("happenedAt", "when, where it did not hold just now", func(f *doctor.Finding) *time.Time { return &f.At }),
			nullable("remedy", "the one command or step that mends it", func(f *doctor.Finding) *string { return &f.Remedy }, text),
		}
	},
}

var damageObject = &strictjson.Object[fsstore.Finding]{
	Name: "damage", Doc: "A file of the store that is not as it should be.",
	Members: func() []strictjson.Member[fsstore.Finding] {
		return []strictjson.Member[fsstore.Finding]{
			field("file", "below the directory of the store", func(f *fsstore.Finding) *string { return &f.File }, text),
			field("offset", "in bytes", func(f *fsstore.Finding) *int64 { return &f.Offset }, strictjson.Int[int64](0, 1<<53)),
			field("problem", "what is wrong", func(f *fsstore.Finding) *string { return &f.Problem }, text),
			field("derived", "it can be made again from the journal", func(f *fsstore.Finding) *bool { return &f.Derived }, truth),
		}
	},
}

var storeReportObject = &strictjson.Object[fsstore.Report]{
	Name: "store", Doc: "What is on disk.",
	Members: func() []strictjson.Member[fsstore.Report] {
		return []strictjson.Member[fsstore.Report]{
			field("frames", "that were read and agree with their checksums", func(r *fsstore.Report) *int { return &r.Frames }, count),
			field("records", "files of records", func(r *fsstore.Report) *int { return &r.Records }, count),
			field("segments", "files of the journal", func(r *fsstore.Report) *int { return &r.Segments }, count),
			field("journalBytes", "that were read", func(r *fsstore.Report) *int64 { return &r.JournalBytes }, strictjson.Int[int64](0, 1<<53)),
			field("cursor", "of the newest event", func(r *fsstore.Report) *uint64 { return &r.Sequence }, sequenceNumber),
			field("trimmedThrough", "events up to this one were removed on purpose", func(r *fsstore.Report) *uint64 { return &r.TrimmedThrough }, sequenceNumber),
			field("tornTail", "a crash left half a frame, which the next write takes away", func(r *fsstore.Report) *bool { return &r.TornTail }, truth),
			field("damage", "nothing: the store is healthy", func(r *fsstore.Report) *[]fsstore.Finding { return &r.Findings }, list(damageObject)),
		}
	},
}

var wiringObject = &strictjson.Object[adapter.Wiring]{
	Name: "hook", Doc: "How far the hook at one event is known to be wired.",
	Members: func() []strictjson.Member[adapter.Wiring] {
		return []strictjson.Member[adapter.Wiring]{
			field("event", "the client's name", func(w *adapter.Wiring) *string { return &w.Event }, word),
			field("state", "listed and refused are the client's own word; written: it stands in the configuration", func(w *adapter.Wiring) *adapter.WiringState { return &w.State },
				strictjson.Enum(adapter.Listed, adapter.Refused, adapter.Written, adapter.Unwritten)),
			nullable("note", "why, or what to do", func(w *adapter.Wiring) *string { return &w.Note }, text),
		}
	},
}

var problemObject = &strictjson.Object[adapter.Problem]{
	Name: "problem", Doc: "Something that keeps the installation from working.",
	Members: func() []strictjson.Member[adapter.Problem] {
		return []strictjson.Member[adapter.Problem]{
			field("text", "what", func(p *adapter.Problem) *string { return &p.Text }, text),
			nullable("remedy", "the one next command or step", func(p *adapter.Problem) *string { return &p.Remedy }, text),
		}
	},
}

var ownedObject = &strictjson.Object[doctor.Client]{
	Name: "owned", Doc: "The files that acc wrote or whose values it wrote.",
	Members: func() []strictjson.Member[doctor.Client] {
		return []strictjson.Member[doctor.Client]{
			field("intact", "as acc wrote them", func(c *doctor.Client) *[]string { return &c.Intact }, lines),
			field("modified", "changed by somebody", func(c *doctor.Client) *[]string { return &c.Modified }, lines),
			field("missing", "what acc wrote is gone", func(c *doctor.Client) *[]string { return &c.Missing }, lines),
		}
	},
}

var examinedObject = &strictjson.Object[doctor.Client]{
	Name: "client", Doc: "One client.",
	Members: func() []strictjson.Member[doctor.Client] {
		return []strictjson.Member[doctor.Client]{
			field("adapterId", "its adapter", func(c *doctor.Client) *string { return &c.AdapterID }, word),
			field("displayName", "its name for people", func(c *doctor.Client) *string { return &c.DisplayName }, text),
			field("present", "it, or a configuration of it, is on this machine", func(c *doctor.Client) *bool { return &c.Present }, truth),
			nullable("version", "of the client, where it could be told", func(c *doctor.Client) *string { return &c.Version }, text),
			nullable("root", "the directory of its configuration", func(c *doctor.Client) *string { return &c.Root }, text),
			field("installed", "this data home installed acc into it", func(c *doctor.Client) *bool { return &c.Installed }, truth),
			field("unfinished", "an installation was interrupted", func(c *doctor.Client) *bool { return &c.Unfinished }, truth),
			nullable("wired", "version of acc that wrote what is wired", func(c *doctor.Client) *string { return &c.Wired }, text),
			nullable("hookCommand", "what its hooks run", func(c *doctor.Client) *string { return &c.HookText }, text),
			field("hooks", "by event", func(c *doctor.Client) *[]adapter.Wiring { return &c.Hooks }, list(wiringObject)),
			field("owned", "files", self[doctor.Client], strictjson.Nested(ownedObject)),
			field("problems", "what keeps it from working", func(c *doctor.Client) *[]adapter.Problem { return &c.Problems }, list(problemObject)),
			nullable("indicator", indicatorDoc, func(c *doctor.Client) *adapter.IndicatorState { return &c.Indicator }, indicators),
			field("steps", "what you must still do in the client", func(c *doctor.Client) *[]string { return &c.Steps }, lines),
			field("wakeable", "this build can ask running sessions of it to look", func(c *doctor.Client) *bool { return &c.Live }, truth),
			field("livePolicy", "which messages may do so", func(c *doctor.Client) *protocol.LivePolicy { return &c.Policy }, livePolicies),
			field("policyDecided", "somebody chose that", func(c *doctor.Client) *bool { return &c.Decided }, truth),
			at("lastSignOfLife", "of a session of it in this room", func(c *doctor.Client) *time.Time { return &c.LastSign }),
			field("evidence", "what others rely on", func(c *doctor.Client) *[]doctor.Evidence { return &c.Evidence }, list(evidenceObject)),
		}
	},
}

var backlogObject = &strictjson.Object[doctor.Backlog]{
	Name: "backlog", Doc: "Mail that a participant has not read.",
	Members: func() []strictjson.Member[doctor.Backlog] {
		return []strictjson.Member[doctor.Backlog]{
			field("participantId", "whose", func(b *doctor.Backlog) *string { return &b.ParticipantID }, word),
			field("presence", "of its session", func(b *doctor.Backlog) *protocol.Presence { return &b.Presence }, presences),
			field("queued", "never shown to it", func(b *doctor.Backlog) *int { return &b.Queued }, count),
			field("offered", "shown, and not read", func(b *doctor.Backlog) *int { return &b.Offered }, count),
			field("atLeast", "counting stopped there", func(b *doctor.Backlog) *bool { return &b.AtLeast }, truth),
			nullable("oldestMessageId", "the oldest of them", func(b *doctor.Backlog) *string { return &b.OldestID }, word),
			at("oldestSentAt", "when that was sent", func(b *doctor.Backlog) *time.Time { return &b.OldestAt }),
		}
	},
}

var attemptObject = &strictjson.Object[doctor.Attempt]{
	Name: "attempt", Doc: "The last attempt of an open session to publish an endpoint; it says nothing of any message.",
	Members: func() []strictjson.Member[doctor.Attempt] {
		return []strictjson.Member[doctor.Attempt]{
			field("participantId", "whose", func(a *doctor.Attempt) *string { return &a.ParticipantID }, word),
			field("sessionId", "its session", func(a *doctor.Attempt) *string { return &a.SessionID }, word),
			field("adapterId", "its client", func(a *doctor.Attempt) *string { return &a.AdapterID }, word),
			field("attemptedAt", "when", func(a *doctor.Attempt) *time.Time { return &a.At }, when),
			field("event", "the hook that tried", func(a *doctor.Attempt) *string { return &a.Event }, word),
			nullable("reason", "why it failed; null: it succeeded", func(a *doctor.Attempt) *string { return &a.Reason }, word),
			field("livePolicy", "of the installation then", func(a *doctor.Attempt) *protocol.LivePolicy { return &a.Policy }, livePolicies),
			nullable("launchOption", "of the client, that is in the way", func(a *doctor.Attempt) *string { return &a.LaunchOption }, text),
		}
	},
}

var ownerFileObject = &strictjson.Object[doctor.OwnerFile]{
	Name: "owner", Doc: "The file by which the hooks of one conversation know their session.",
	Members: func() []strictjson.Member[doctor.OwnerFile] {
		return []strictjson.Member[doctor.OwnerFile]{
			field("path", "where it is", func(o *doctor.OwnerFile) *string { return &o.Path }, text),
			nullable("adapterId", "the client; null: the file cannot be used", func(o *doctor.OwnerFile) *string { return &o.AdapterID }, word),
			nullable("sessionId", "the session", func(o *doctor.OwnerFile) *string { return &o.SessionID }, word),
			field("state", "stale: its session is not on record with that key; foreign: hooks refuse the file", func(o *doctor.OwnerFile) *doctor.OwnerState { return &o.State },
				strictjson.Enum(doctor.OwnerOpen, doctor.OwnerClosed, doctor.OwnerStale, doctor.OwnerForeign)),
		}
	},
}

var hookObject = &strictjson.Object[doctor.Hook]{
	Name: "firedHook", Doc: "The last call of a hook in this room.",
	Members: func() []strictjson.Member[doctor.Hook] {
		return []strictjson.Member[doctor.Hook]{
			field("adapterId", "the client", func(h *doctor.Hook) *string { return &h.AdapterID }, word),
			field("event", "the client's name of it", func(h *doctor.Hook) *string { return &h.Event }, text),
			field("firedAt", "when", func(h *doctor.Hook) *time.Time { return &h.At }, when),
			field("tookMs", "how long it took", func(h *doctor.Hook) *time.Duration { return &h.Took }, strictjson.DurationMS(0, 24*time.Hour)),
		}
	},
}

var guardObject = &strictjson.Object[doctor.Guard]{
	Name: "guard", Doc: "What became of the writes that a client's hooks guarded in this room.",
	Members: func() []strictjson.Member[doctor.Guard] {
		return []strictjson.Member[doctor.Guard]{
			field("adapterId", "the client", func(g *doctor.Guard) *string { return &g.AdapterID }, word),
			field("allowed", "how many", func(g *doctor.Guard) *int { return &g.Allowed }, count),
			field("denied", "how many", func(g *doctor.Guard) *int { return &g.Denied }, count),
			field("undecided", "how many went through because claims could not be checked", func(g *doctor.Guard) *int { return &g.Undecided }, count),
			nullable("lastOutcome", "of the last one", func(g *doctor.Guard) *hookrunner.GuardOutcome { return &g.Last },
				strictjson.Enum(hookrunner.GuardAllowed, hookrunner.GuardDenied, hookrunner.GuardUndecided)),
			at("lastAt", "when that was", func(g *doctor.Guard) *time.Time { return &g.LastAt }),
			at("undecidedAt", "when the last unchecked one was", func(g *doctor.Guard) *time.Time { return &g.UndecidedAt }),
		}
	},
}

var evidenceObject = &strictjson.Object[doctor.Evidence]{
	Name: "evidence", Doc: "Whether an ability of the client is relied on.",
	Members: func() []strictjson.Member[doctor.Evidence] {
		return []strictjson.Member[doctor.Evidence]{
			field("capability", "group and name", func(v *doctor.Evidence) *certification.Capability { return &v.Capability }, strictjson.Enum(certification.Capabilities[:]...)),
			field("reliedOn", "this version of the client was seen to do it, or an earlier one", func(v *doctor.Evidence) *bool { return &v.On }, truth),
			nullable("refusal", "why not", func(v *doctor.Evidence) *certification.Refusal { return &v.Refusal },
				strictjson.Enum(certification.NotDeclared, certification.NotVerified, certification.TooOld, certification.Stopped)),
			nullable("version", "of the observation that decided", func(v *doctor.Evidence) *string { return &v.Version }, text),
			nullable("platform", "where it was made", func(v *doctor.Evidence) *string { return &v.Platform }, word),
			nullable("observedAt", "when it was made", func(v *doctor.Evidence) *string { return &v.ObservedAt }, word),
		}
	},
}

var runtimeObject = &strictjson.Object[doctor.RuntimeState]{
	Name: "runtime", Doc: "Which generation of acc runs from the data home.",
	Members: func() []strictjson.Member[doctor.RuntimeState] {
		return []strictjson.Member[doctor.RuntimeState]{
			field("managed", "false: executables were copied, or nothing is installed", func(r *doctor.RuntimeState) *bool { return &r.Managed }, truth),
			nullable("phase", "activating: nobody may start", func(r *doctor.RuntimeState) *runtime.Phase { return &r.Phase }, strictjson.Enum(runtime.Ready, runtime.Activating)),
			nullable("active", "generation that runs", func(r *doctor.RuntimeState) *string { return &r.Active }, word),
			nullable("pending", "generation that waits to", func(r *doctor.RuntimeState) *string { return &r.Pending }, word),
			field("auto", "later releases are looked for", func(r *doctor.RuntimeState) *bool { return &r.Auto }, truth),
			nullable("pin", "the only version that is taken", func(r *doctor.RuntimeState) *string { return &r.Pin }, word),
			field("worker", "one is at work", func(r *doctor.RuntimeState) *bool { return &r.Worker }, truth),
			field("holders", "processes that keep generations in use", func(r *doctor.RuntimeState) *[]string { return &r.Holders }, lines),
		}
	},
}

// Doctor is the answer of doctor.
var Doctor = &Schema[DoctorData]{name: "doctor", doc: "How acc stands on this machine, as far as it was observed.", data: func() strictjson.Type[DoctorData] {
	return strictjson.Nested(&strictjson.Object[DoctorData]{
		Name: "doctor",
		Members: func() []strictjson.Member[DoctorData] {
			return []strictjson.Member[DoctorData]{
				field("healthy", "no check failed", func(d *DoctorData) *bool { return &d.Healthy }, truth),
				field("version", "of the acc that examines", func(d *DoctorData) *string { return &d.Version }, word),
				field("dataHome", "where everything of acc lies", func(d *DoctorData) *string { return &d.DataHome }, text),
				nullable("workspaceId", "the room that was examined", func(d *DoctorData) *string { return &d.WorkspaceID }, word),
				field("checks", "in their order", func(d *DoctorData) *[]doctor.Finding { return &d.Findings }, list(checkObject)),
				nullable("store", "of the room; null: it could not be read, or there is no room", func(d *DoctorData) **fsstore.Report { return &d.Store }, strictjson.Pointer(strictjson.Nested(storeReportObject))),
				field("repaired", "derived data was made again", func(d *DoctorData) *bool { return &d.Repaired }, truth),
				nullable("lockOwner", "who holds the writer lock of the store", func(d *DoctorData) *string { return &d.LockOwner }, text),
				field("backlog", "by participant", func(d *DoctorData) *[]doctor.Backlog { return &d.Backlog }, list(backlogObject)),
				field("attempts", "by session that is open", func(d *DoctorData) *[]doctor.Attempt { return &d.Attempts }, list(attemptObject)),
				field("owners", "by conversation", func(d *DoctorData) *[]doctor.OwnerFile { return &d.Owners }, list(ownerFileObject)),
				field("firedHooks", "by client and event, in this room", func(d *DoctorData) *[]doctor.Hook { return &d.Hooks }, list(hookObject)),
				field("guards", "by client, in this room", func(d *DoctorData) *[]doctor.Guard { return &d.Guards }, list(guardObject)),
				field("clients", "every client that this build knows", func(d *DoctorData) *[]doctor.Client { return &d.Clients }, list(examinedObject)),
				field("runtime", "of the data home", func(d *DoctorData) *doctor.RuntimeState { return &d.Runtime }, strictjson.Nested(runtimeObject)),
				field("servers", "registrations of the MCP server", func(d *DoctorData) *[]doctor.Client { return &d.Servers }, list(examinedObject)),
			}
		},
	})
}}

// Migrated is the answer of doctor --migrate-store.
var Migrated = &Schema[fsstore.MigrationReport]{name: "migrated", doc: "What became of a store of the earlier contract.", data: func() strictjson.Type[fsstore.MigrationReport] {
	return strictjson.Nested(&strictjson.Object[fsstore.MigrationReport]{
		Name: "migrated",
		Members: func() []strictjson.Member[fsstore.MigrationReport] {
			return []strictjson.Member[fsstore.MigrationReport]{
				field("workspaceId", "the room", func(r *fsstore.MigrationReport) *string { return &r.WorkspaceID }, word),
				field("fromVersion", "contract of the store before", func(r *fsstore.MigrationReport) *int { return &r.FromVersion }, count),
				field("toVersion", "contract of the store now", func(r *fsstore.MigrationReport) *int { return &r.ToVersion }, count),
				field("migrated", "false: nothing had to be done", func(r *fsstore.MigrationReport) *bool { return &r.Migrated }, truth),
			}
		},
	})
}}
