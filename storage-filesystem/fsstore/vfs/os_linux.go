package vfs

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/acc-control-plane/acc/storage-filesystem/internal/smallfile"
)

// bootID reads the random id that the kernel made when it started.
var bootID = sync.OnceValue(func() string {
	raw, err := smallfile.ReadPointer("/proc/sys/kernel/random/boot_id", false)
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(raw))
})

// beneath opens name below d without following a link in any segment: one call where the kernel can.
func (d *osDir) beneath(name string, flags int, perm uint32) (int, error) {
	if !strings.Contains(name, "/") {
		return d.step(name, flags, perm)
	}
	how := unix.OpenHow{
		Flags:   uint64(flags),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	if flags&unix.O_CREAT != 0 {
		how.Mode = uint64(perm)
	}
	fd, err := retry(func() (int, error) { return unix.Openat2(d.fd, name, &how) })
	switch err {
	case nil:
		return fd, nil
	case unix.ENOSYS, unix.EPERM, unix.EAGAIN, unix.EXDEV, unix.ELOOP, unix.ENOTDIR: // EXDEV: something moved meanwhile
		return d.step(name, flags, perm) // the slow way works everywhere and says which segment it is
	}
	return -1, pathError("open", d.full(name), err)
}

func syncFD(fd int) error {
	_, err := retry(func() (struct{}, error) { return struct{}{}, unix.Fsync(fd) })
	return err
}

func datasyncFD(fd int) error {
	_, err := retry(func() (struct{}, error) { return struct{}{}, unix.Fdatasync(fd) })
	return err
}

func exchangeAt(dirA int, a string, dirB int, b string) error {
	return unix.Renameat2(dirA, a, dirB, b, unix.RENAME_EXCHANGE)
}

// SyncAll flushes the whole file system: thousands of small files at the price of one flush.
func (d *osDir) SyncAll() error {
	_, err := retry(func() (struct{}, error) { return struct{}{}, unix.Syncfs(d.fd) })
	return pathError("sync", d.path, err)
}

// networks are the file systems whose locks and flushes depend on another machine.
var networks = map[uint32]string{
	0x6969: "nfs", 0x517b: "smb", 0xff534d42: "cifs", 0xfe534d42: "smb2", 0x5346414f: "afs", 0x6b414653: "afs",
	0x73757245: "coda", 0x564c: "ncp", 0x00c36400: "ceph", 0x0bd00bd0: "lustre", 0x47504653: "gpfs",
	0x7461636f: "ocfs2", 0x01161970: "gfs2", 0x19830326: "beegfs",
}

// locals are the usual others, by name for people.
var locals = map[uint32]string{
	0xef53: "ext4", 0x9123683e: "btrfs", 0x58465342: "xfs", 0x01021994: "tmpfs", 0x794c7630: "overlay",
	0x2fc12fc1: "zfs", 0xf2f52010: "f2fs", 0x65735546: "fuse", 0x01021997: "9p", 0xca451a4e: "bcachefs",
}

func fileSystem(fd int) (string, bool, error) {
	var st unix.Statfs_t
	if err := unix.Fstatfs(fd, &st); err != nil {
		return "", false, err
	}
	magic := uint32(st.Type)
	if name, ok := networks[magic]; ok {
		return name, true, nil
	}
	if name, ok := locals[magic]; ok {
		return name, false, nil
	}
	return fmt.Sprintf("type %#x", magic), false, nil
}
