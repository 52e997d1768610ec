package launch

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/acc-control-plane/acc/cli/internal/runtime/lockfile"
)

// replaceProcess starts path, waits for it and ends as it ended: a process cannot be replaced here. This one keeps
// its lock meanwhile, and a job object ends the child with it.
func replaceProcess(path string, l *Lease, r Request) error {
	stdin := os.Stdin
	if r.Stdin != nil {
		read, write, err := os.Pipe()
		if err != nil {
			return err
		}
		go func() {
			_, _ = write.Write(r.Stdin)
			_ = write.Close()
		}()
		defer read.Close()
		stdin = read
	}
	p, err := os.StartProcess(path, append([]string{path}, r.Args[1:]...), &os.ProcAttr{
		Env: environment(l, "-"), Files: []*os.File{stdin, os.Stdout, os.Stderr},
	})
	if err != nil {
		return err
	}
	// Without the job the child would outlive a killed parent, but keep a lease of its own.
	if job, err := together(p.Pid); err == nil {
		defer windows.CloseHandle(job)
	}
	state, err := p.Wait()
	if err != nil {
		return err
	}
	os.Exit(state.ExitCode())
	return nil
}

// together puts a process into a job that ends it when this process ends.
func together(pid int) (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		var child windows.Handle
		if child, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid)); err == nil {
			err = windows.AssignProcessToJobObject(job, child)
			_ = windows.CloseHandle(child)
		}
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

func inherit(int, string) (*lockfile.Lock, error) { return nil, errors.ErrUnsupported }
