package maintenance

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/internal/runtime/lockfile"
	"github.com/acc-control-plane/acc/cli/launch/lease"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// Service is a vendor's service that several sessions share, as far as an adapter can restart it. It must never
// touch a process that it has not verified to be that service.
type Service interface {
	// Adapter is the id of the adapter.
	Adapter() string
	// Inspect says what runs now.
	Inspect(ctx context.Context) (State, error)
	// Stop asks exactly this process to end. It is called at most once for a job.
	Stop(ctx context.Context, p process.Identity) error
	// Start starts the service.
	Start(ctx context.Context) error
}

// State is what runs of a service.
type State struct {
	Running bool
	Process process.Identity // of what runs
	Busy    bool             // work of somebody would be lost
	// Sessions are the ids of acc's sessions that it serves, as far as a process of their own is not on record.
	Sessions []string
}

// serves says whether a holder ends with the service.
func serves(adapter string, p process.Identity, sessions []string, h runtime.Holder) bool {
	return h.Native == adapter && (h.PID == p.PID || h.PID == 0 && h.Session != "" && slices.Contains(sessions, h.Session))
}

// Status is how far a job has come. The order of the first six is that of the work.
type Status string

// The statuses.
const (
	Waiting    Status = "waiting"    // for an idle service
	Fencing    Status = "fencing"    // the fence is about to go up; nothing was changed yet
	Stopping   Status = "stopping"   // the service was told to stop, or is about to be: never again
	Refreshing Status = "refreshing" // it has ended; the clients have their turn
	Restarting Status = "restarting" // it is being started, or is about to be
	Completed  Status = "completed"
	Failed     Status = "failed"
	Cancelled  Status = "cancelled"
)

// Reasons of jobs that failed, and of refused approvals.
const (
	ReasonNotOffered    protocol.Reason = "maintenance_adapter_unavailable" // no adapter of this build can restart the service
	ReasonAtWork        protocol.Reason = "maintenance_at_work"             // there is a job already
	ReasonChanged       protocol.Reason = "service_readiness_changed"       // another process serves than the one that was approved
	ReasonExpired       protocol.Reason = "idle_wait_expired"               // it was not idle in time
	ReasonBusy          protocol.Reason = "service_busy"
	ReasonStopFailed    protocol.Reason = "service_stop_failed"
	ReasonDeathUnknown  protocol.Reason = "daemon_death_unverified" // it was told to stop, and nobody can tell whether it did
	ReasonStartFailed   protocol.Reason = "service_start_failed"
	ReasonRefreshFailed                 = runtime.ReasonRefreshFailed
	reasonActivation    protocol.Reason = "activation_failed"
	patience                            = 15 * time.Minute
	maxRecord                           = 64 << 10
	maxText                             = 4096
	maxSessions                         = 512
)

// Job is one approved restart of one process.
type Job struct {
	ID         string
	Adapter    string
	Status     Status
	Process    process.Identity // that was approved to be stopped
	Sessions   []string         // that it served when it was looked at last, without a process of their own
	Target     string           // generation that waited for it
	Fenced     bool             // acc was closed before it, by an activation that did not come to its end
	Caller     process.Identity // who asked; it is waited for
	ApprovedAt time.Time
	Deadline   time.Time // for an idle service; what has begun is finished
	Reason     string    // of a failure
	Note       string    // what it waits for, or why it failed
}

var jobObject = &strictjson.Object[Job]{
	Name: "maintenance", Doc: "An approved restart of a vendor's service.", MaxBytes: maxRecord,
	Members: func() []strictjson.Member[Job] {
		return []strictjson.Member[Job]{
			strictjson.Const[Job]("schemaVersion", "always 1", 1),
			strictjson.Field("id", "of the job", func(j *Job) *string { return &j.ID }, strictjson.Line(32)),
			strictjson.Field("adapterId", "whose service", func(j *Job) *string { return &j.Adapter }, strictjson.Line(64)),
			strictjson.Field("status", "how far it has come", func(j *Job) *Status { return &j.Status },
				strictjson.Enum(Waiting, Fencing, Stopping, Refreshing, Restarting, Completed, Failed, Cancelled)),
			strictjson.Field("process", "that is stopped", func(j *Job) *process.Identity { return &j.Process }, strictjson.Nested(lease.ProcessForm())),
			strictjson.Optional("sessions", "that it served when it was looked at last", func(j *Job) *[]string { return &j.Sessions }, strictjson.List(strictjson.Line(protocol.MaxIDLength), 0, maxSessions)),
			strictjson.Optional("target", "generation that waited for it", func(j *Job) *string { return &j.Target }, strictjson.Line(64)),
			strictjson.Optional("fenced", "whether acc was closed before it", func(j *Job) *bool { return &j.Fenced }, strictjson.Bool()),
			strictjson.Field("caller", "who asked", func(j *Job) *process.Identity { return &j.Caller }, strictjson.Nested(lease.ProcessForm())),
			strictjson.Field("approvedAt", "when", func(j *Job) *time.Time { return &j.ApprovedAt }, strictjson.Time()),
			strictjson.Field("deadline", "for an idle service", func(j *Job) *time.Time { return &j.Deadline }, strictjson.Time()),
			strictjson.Field("reason", "of a failure, or null", func(j *Job) *string { return &j.Reason }, strictjson.Nullable(strictjson.Line(64))),
			strictjson.Field("note", "what it waits for or why it failed, or null", func(j *Job) *string { return &j.Note }, strictjson.Nullable(strictjson.Text(maxText))),
		}
	},
}

// Over says whether nobody will work on the job any more.
func (j Job) Over() bool { return j.Status == Completed || j.Status == Failed || j.Status == Cancelled }

// untouched says that nothing was changed behind the fence, if that is up and was not up before the job.
func (j Job) untouched() bool {
	return (j.Status == Fencing || j.Status == Stopping) && !j.Fenced
}

// stopped says whether the service was told to stop, or may have been.
func (j Job) stopped() bool {
	return j.Status == Stopping || j.Status == Refreshing || j.Status == Restarting
}

// Read gives the last job; found is false if there never was one. One that cannot be read may have stopped a service:
// that is for a person to look at.
func Read(m *runtime.Manager) (j Job, found bool, err error) {
	j, found, err = runtime.ReadRecord(m, m.Layout().Maintenance(), jobObject)
	if known := (*protocol.Error)(nil); errors.As(err, &known) {
		err = known.WithHint("look whether the client's background service runs, remove the file, then: acc update")
	}
	return j, found, err
}

func save(m *runtime.Manager, j *Job) error {
	return runtime.WriteRecord(m, m.Layout().Maintenance(), jobObject, j)
}

// Offer gives the one service that runs and keeps the pending generation waiting, with its process. found is false if
// there is none, or more than one: then nobody can approve one in ignorance of the other. A service that cannot be
// looked at does not qualify.
func Offer(ctx context.Context, m *runtime.Manager, services []Service) (s Service, p process.Identity, found bool, err error) {
	blockers, err := m.Blockers(ctx)
	if err != nil {
		return nil, p, false, err
	}
	for _, candidate := range services {
		state, err := candidate.Inspect(ctx)
		if err != nil || !state.Running || !slices.ContainsFunc(blockers, func(h runtime.Holder) bool {
			return serves(candidate.Adapter(), state.Process, state.Sessions, h)
		}) {
			continue
		}
		if found {
			return nil, process.Identity{}, false, nil
		}
		s, p, found = candidate, state.Process, true
	}
	return s, p, found, nil
}

// Approve keeps that somebody wants a service restarted: exactly the approved process, which must serve now. caller is the process
// that asks; the worker waits until it has ended. There is one job at a time.
func Approve(ctx context.Context, m *runtime.Manager, s Service, approved, caller process.Identity) (Job, error) {
	before, found, err := Read(m)
	if err != nil {
		return Job{}, err
	}
	if found && !before.Over() {
		return Job{}, protocol.ConflictError(ReasonAtWork, "the service of "+before.Adapter+" is about to be restarted already").WithHint("acc update")
	}
	state, err := s.Inspect(ctx)
	if err != nil {
		return Job{}, err
	}
	if !state.Running || state.Process != approved {
		return Job{}, protocol.ConflictError(ReasonChanged, "the service of "+s.Adapter()+" is not the process any more whose restart was approved").WithHint("acc update")
	}
	if len(state.Sessions) > maxSessions {
		return Job{}, protocol.DataError(ReasonBusy, fmt.Sprintf("the service of %s serves %d sessions, more than can be kept on record", s.Adapter(), len(state.Sessions)))
	}
	settings, err := m.Settings()
	if err != nil {
		return Job{}, err
	}
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	now := time.Now().UTC().Truncate(time.Millisecond)
	j := Job{
		ID: hex.EncodeToString(id[:]), Adapter: s.Adapter(), Status: Waiting, Process: state.Process, Sessions: state.Sessions, Caller: caller,
		ApprovedAt: now, Deadline: now.Add(patience),
	}
	j.Fenced = settings.Phase == runtime.Activating
	if settings.Pending != nil {
		j.Target = settings.Pending.Name
	}
	return j, save(m, &j)
}

// Abandon cancels a job that nobody can work on, as long as nothing was done for it. One that somebody works on is theirs.
func Abandon(m *runtime.Manager) error {
	lock, err := m.TakeLock(m.Layout().MaintenanceLock())
	if errors.Is(err, lockfile.ErrBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.Release()
	j, found, err := Read(m)
	if err != nil || !found || j.Status != Waiting {
		return err
	}
	j.Status = Cancelled
	return save(m, &j)
}

// Spared says of which holders an activation need not wait that goes on behind the fence of a job whose refresh failed
// or could not go on: the sessions of the service that was restarted there. Nothing of acc has run for them since.
func Spared(m *runtime.Manager) func(runtime.Holder) bool {
	s, err := m.Settings()
	if err != nil || s.Phase != runtime.Activating || s.Pending == nil {
		return nil
	}
	j, found, err := Read(m)
	if err != nil || !found || j.Status != Failed || j.Target != s.Pending.Name {
		return nil
	}
	if j.Reason != string(ReasonRefreshFailed) && j.Reason != string(runtime.ReasonGenerationDamaged) {
		return nil
	}
	return func(h runtime.Holder) bool { return serves(j.Adapter, j.Process, j.Sessions, h) }
}
