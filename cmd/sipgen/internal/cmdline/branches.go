package cmdline

import (
	"cmp"
	"context"
	"sync"

	"github.com/airshipit/sipgen/internal/fleet"
	"github.com/airshipit/sipgen/publish"
)

// branches are those with the trees of a fleet. Each is read once for all of its Sites: they are of one commit, and a
// thousand Sites neither open nor fetch a repository a thousand times.
type branches struct {
	sites   []fleet.Site
	opening sync.Mutex
	of      map[fleetBranch]*openBranch
}

// fleetBranch is where the trees of Sites are.
type fleetBranch struct{ url, name string }

// openBranch is a branch, and how many of its Sites are to be read. After the last one it is let go.
type openBranch struct {
	*publish.Branch
	left int
}

// readBranch is publish.Read. given are the flags of the repository, without what a Site has.
func (in *Inputs) readBranch(ctx context.Context, target publish.Target, given Repository) (*publish.Snapshot, error) {
	if in == nil || in.branches == nil {
		return publish.Read(ctx, target)
	}
	return in.branches.take(target, given).Read(ctx, target.Path)
}

// take returns the branch of a target.
func (b *branches) take(target publish.Target, given Repository) *openBranch {
	at := fleetBranch{target.URL, target.Branch}
	b.opening.Lock()
	defer b.opening.Unlock()
	open := b.of[at]
	if open == nil {
		var folders []string
		for i := range b.sites {
			site := &b.sites[i]
			if site.URL != "" && at == (fleetBranch{cmp.Or(given.URL, site.URL), cmp.Or(given.Branch, site.Branch)}) {
				folders = append(folders, site.Folder)
			}
		}
		open = &openBranch{publish.NewBranch(target, folders), len(folders)}
		b.of[at] = open
	}
	if open.left--; open.left <= 0 {
		delete(b.of, at)
	}
	return open
}
