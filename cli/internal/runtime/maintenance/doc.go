// Package maintenance restarts a vendor's service for an activation that would otherwise wait for it for ever.
//
// Nothing here happens by itself: somebody approves one job for exactly one process (Approve). A worker of the
// incoming generation then does it (Worker.Run), detached from who asked: it waits until the service is idle, puts
// up the fence, writes down that it is about to stop the service, stops it, brings the clients up to date, starts
// the service again, whatever became of the clients, and looks that it serves. Each step is a checkpoint in
// maintenance.json, outside every repository. A worker that takes over after a crash never stops the service a
// second time.
//
// How a service is looked at, stopped and started is an adapter's to know: Service is the port, and package vendors gives
// what adapters have for it. Start at job.go.
package maintenance
