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

// network names the file systems whose locks and flushes depend on another machine, by their magic number; empty: it
// is another.
func network(magic uint32) string {
	switch magic {
	case 0x6969:
		return "nfs"
	case 0x517b:
		return "smb"
	case 0xff534d42:
		return "cifs"
	case 0xfe534d42:
		return "smb2"
	case 0x5346414f:
		return "afs"
	case 0x6b414653:
		return "afs"
	case 0x73757245:
		return "coda"
	case 0x564c:
		return "ncp"
	case 0x00c36400:
		return "ceph"
	case 0x0bd00bd0:
		return "lustre"
	case 0x47504653:
		return "gpfs"
	case 0x7461636f:
		return "ocfs2"
	case 0x01161970:
		return "gfs2"
	case 0x19830326:
		return "beegfs"
	}
	return ""
}

// local names the usual others, for people.
func local(magic uint32) string {
	switch magic {
	case 0xef53:
		return "ext4"
	case 0x9123683e:
		return "btrfs"
	case 0x58465342:
		return "xfs"
	case 0x01021994:
		return "tmpfs"
	case 0x794c7630:
		return "overlay"
	case 0x2fc12fc1:
		return "zfs"
	case 0xf2f52010:
		return "f2fs"
	case 0x65735546:
		return "fuse"
	case 0x01021997:
		return "9p"
	case 0xca451a4e:
		return "bcachefs"
	}
	return fmt.Sprintf("type %#x", magic)
}

func fileSystem(fd int) (string, bool, error) {
	var st unix.Statfs_t
	if err := unix.Fstatfs(fd, &st); err != nil {
		return "", false, err
	}
	magic := uint32(st.Type)
	if name := network(magic); name != "" {
		return name, true, nil
	}
	return local(magic), false, nil
}
