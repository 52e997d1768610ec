package adapter

import "context"

// Service is a background service of a client that several sessions share, as far as an adapter can have it
// restarted. It is an interface of its own beside Installer, for the few clients that have one.
//
// Nothing here is called unless a person approved the restart of one process. An implementation touches only what it
// has verified, and says with an error that it cannot tell.
type Service interface {
	// InspectService says what runs now. It is an error if something may run that cannot be verified.
	InspectService(ctx context.Context, m Machine) (ServiceState, error)
	// StopService asks exactly this process to end.
	StopService(ctx context.Context, m Machine, p ServiceProcess) error
	// StartService starts the service; one that runs already stays.
	StartService(ctx context.Context, m Machine) error
}

// ServiceProcess names the process of a service for good, in the words of the client's own record of it.
type ServiceProcess struct {
	PID       int
	StartTime uint64 // in clock ticks since the kernel started
	BootID    string // of that kernel
}

// ServiceState is what runs of a service. The zero value: nothing.
type ServiceState struct {
	Process  ServiceProcess // PID 0: nothing runs
	Busy     bool           // work of somebody would be lost
	Sessions []string       // the client's own ids of the sessions that it serves
}
