package publish

import (
	"context"
	"fmt"
	"sync"
)

// Branch is a branch that is read once for the trees of several folders: they are all of one commit.
type Branch struct {
	target  Target
	folders []string
	once    sync.Once
	remote  *remote
	tip     *Snapshot
	unread  error
}

// NewBranch returns the branch of a target, which the first Read reads. target.Path has no effect.
func NewBranch(target Target, folders []string) *Branch {
	b := &Branch{target: target}
	for _, folder := range folders {
		one := Target{URL: "x", Path: folder}
		if _, err := one.endpoint(); err == nil { // else Read of that folder has the error
			b.folders = append(b.folders, one.Path)
		}
	}
	return b
}

// Read is Read of one of the folders. It may be called from several goroutines.
func (b *Branch) Read(ctx context.Context, folder string) (*Snapshot, error) {
	own := b.target
	own.Path = folder
	if _, err := own.endpoint(); err != nil {
		return nil, err
	}
	ctx, stop := own.withTimeout(ctx)
	defer stop()
	b.once.Do(func() { b.read(ctx) })
	if b.remote == nil {
		return nil, b.unread
	}
	found, err := b.tip, b.unread
	if err == nil {
		found, err = b.remote.untilStill(ctx, func(ctx context.Context) (*Snapshot, error) { return b.tip.in(ctx, own.Path) })
	}
	if err != nil {
		return nil, b.remote.masked(fmt.Errorf("%s: %w", own, err))
	}
	return found, nil
}

// read reads the tip.
func (b *Branch) read(ctx context.Context) {
	target := b.target // others copy b.target meanwhile
	target.Path = ""
	r, err := newRemote(&target)
	if err != nil {
		b.unread = err
		return
	}
	b.remote, r.folders = r, b.folders
	b.tip, b.unread = r.untilStill(ctx, r.readBranch)
}
