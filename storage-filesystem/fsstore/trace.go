package fsstore

// The steps that Options.Trace is told of, in the order in which they are taken. Each is announced
// before it is taken. Tests stop and kill processes there.
const (
	StepIdentity          = "identity.write"     // a new store writes who it is
	StepLockWait          = "lock.wait"          // the writer lock is tried
	StepLockTaken         = "lock.taken"         // ... and held
	StepRecoverRead       = "recover.read"       // head, applied, checkpoint and manifest are read
	StepRecoverScan       = "recover.scan"       // the journal is read up to its last complete frame
	StepRecoverKeep       = "recover.keep"       // the bytes of a torn tail are copied
	StepRecoverCut        = "recover.cut"        // the torn tail is cut
	StepRecoverCutSync    = "recover.cut-sync"   // ... and the cut flushed
	StepRecoverAdopt      = "recover.adopt"      // the last frame is written again in place
	StepRecoverFlush      = "recover.adopt-sync" // ... and flushed
	StepRecoverHead       = "recover.head"       // head is replaced
	StepCallback          = "commit.callback"    // the callback runs
	StepRotate            = "commit.rotate"      // a new segment is made
	StepAppend            = "commit.append"      // the frame is written
	StepAppended          = "commit.sync"        // ... and flushed: the decision point
	StepCut               = "commit.cut"         // a failed append or flush is taken back
	StepHead              = "commit.head"        // head is replaced
	StepPublish           = "commit.publish"     // one state file is published; once for each
	StepIndex             = "commit.index"       // the indexes are brought up to date, when they lag
	StepIndexPage         = "index.page"         // one page is written; once for each
	StepManifest          = "index.manifest"     // the manifest that names them is replaced
	StepRebuild           = "index.rebuild"      // the indexes are made again from the records
	StepApplied           = "commit.applied"     // applied is replaced
	StepSolo              = "commit.solo"        // solo records are replaced as a whole
	StepVanish            = "solo.vanish"        // a file of a room that leaves no trace is removed; once for each
	StepUnlock            = "lock.release"       // the writer lock is given up
	StepCheckpointTarget  = "checkpoint.target"  // applied is read
	StepCheckpointFile    = "checkpoint.rewrite" // one state file is written again in place; once for each
	StepCheckpointSync    = "checkpoint.sync"    // ... and all are flushed
	StepCheckpointIndexes = "checkpoint.indexes" // the manifest whose pages were flushed is recorded
	StepCheckpointRaise   = "checkpoint.raise"   // the checkpoint is replaced
	StepTrimFloor         = "trim.floor"         // the trim floor is raised
	StepTrimSegment       = "trim.segment"       // a segment is removed; once for each
	StepSweep             = "sweep.remove"       // a leftover is removed; once for each
	StepRepair            = "repair.state"       // a state file is made again; once for each
	StepReserve           = "commit.reserve"     // the reserve is given up
	StepMigrate           = "migrate.identity"   // the identity is replaced
	StepReadHead          = "read.head"          // a reader reads head
	StepReadApplied       = "read.applied"       // ... and applied, and the checkpoint where it counts
	StepReadParse         = "read.parse"         // ... and the frames between
	StepReadRun           = "read.run"           // the callback runs
	StepReadFinal         = "read.final"         // head is read again
)

func (s *Store) step(name string) {
	if s.opts.Trace != nil {
		s.opts.Trace(name)
	}
}
