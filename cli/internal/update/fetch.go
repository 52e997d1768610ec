package update

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/cli/release/tarball"
	"github.com/acc-control-plane/acc/protocol"
)

// fetched begins the names of directories below the runtime's downloads in which a release is unpacked.
const fetched = "release-"

// fetch downloads a release, verifies it, tries it, and stages it as a generation. The caller releases what it
// gets. Whatever goes wrong, nothing of the release stays.
func (u *Updater) fetch(ctx context.Context, r *registry, o Offer, targets []string) (*runtime.Staged, error) {
	downloads := u.Manager.Layout().Downloads()
	if err := os.MkdirAll(downloads, 0o700); err != nil {
		return nil, protocol.DataError("", fmt.Sprintf("cannot make %s: %v", downloads, err)).Because(err)
	}
	dir, err := os.MkdirTemp(downloads, fetched)
	if err != nil {
		return nil, protocol.DataError("", fmt.Sprintf("cannot write to %s: %v", downloads, err)).Because(err)
	}
	defer os.RemoveAll(dir) // what is left is removed by the next worker
	content := filepath.Join(dir, "content")
	m, err := u.unpack(ctx, r, o, filepath.Join(dir, "package.tgz"), content)
	if err != nil {
		return nil, err
	}
	if err := fits(m, r.source, o, targets); err != nil {
		return nil, err
	}
	u.reach(StepTry)
	if err := try(ctx, content, m); err != nil {
		return nil, err
	}
	u.reach(StepStage)
	return u.Manager.Stage(ctx, content)
}

// unpack downloads a package to a file and extracts it into a directory once its signature holds.
func (u *Updater) unpack(ctx context.Context, r *registry, o Offer, path, content string) (*release.Manifest, error) {
	u.reach(StepDownload)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, protocol.DataError("", err.Error()).Because(err)
	}
	defer file.Close()
	if err := r.download(ctx, o, file); err != nil {
		return nil, err
	}
	u.reach(StepVerify)
	if _, err := file.Seek(0, 0); err != nil {
		return nil, protocol.DataError("", err.Error()).Because(err)
	}
	p, err := tarball.Open(file, r.source.Keys)
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(content, 0o700); err != nil {
		return nil, protocol.DataError("", err.Error()).Because(err)
	}
	into, err := os.OpenRoot(content)
	if err != nil {
		return nil, protocol.DataError("", err.Error()).Because(err)
	}
	u.reach(StepExtract)
	return p.Manifest, errors.Join(p.Extract(ctx, into), into.Close())
}

// fits says whether a signed release is the one that was asked for, and one for this machine.
func fits(m *release.Manifest, s Source, o Offer, targets []string) error {
	switch {
	case m.Name != s.Name || m.Version != o.Version.String() || m.Platform != s.Platform.Name:
		return protocol.DataError(ReasonOtherRelease, fmt.Sprintf("the registry gave %s %s for %s instead of %s %s for %s", m.Name, m.Version, m.Platform, s.Name, o.Version, s.Platform.Name))
	case m.UpdateProtocol > release.UpdateProtocol:
		return protocol.DataError(ReasonUpdateProtocol, fmt.Sprintf("%s %s cannot be installed by this version of acc", m.Name, m.Version)).
			WithHint("install it as it was installed first, then run its acc install")
	}
	missing := slices.DeleteFunc(slices.Clone(targets), func(id string) bool { return slices.Contains(m.Adapters, id) })
	if len(missing) > 0 {
		return protocol.DataError(runtime.ReasonAdapterMissing, fmt.Sprintf("%s %s has no adapter for %s, which is wired here", m.Name, m.Version, strings.Join(missing, ", "))).
			WithHint("uninstall that adapter, or ask whoever built this acc for a newer build")
	}
	return nil
}

// sweep removes what workers that were killed have left of releases. It is called under the worker's lock, so
// nobody is at work there.
func (u *Updater) sweep() {
	left, _ := filepath.Glob(filepath.Join(u.Manager.Layout().Downloads(), fetched+"*"))
	for _, dir := range left {
		_ = os.RemoveAll(dir)
	}
}
