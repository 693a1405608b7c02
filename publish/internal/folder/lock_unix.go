//go:build linux || darwin

package folder

import (
	"context"
	"fmt"
	"os"
	"syscall"
)

// lock makes those who read or write one folder take turns. The lock goes with the process, and the wait ends with
// ctx: errWaiting. A file system without locks goes without.
func lock(ctx context.Context, dir string) (unlock func(), err error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	release := func() { _ = folder.Close() } // closing unlocks
	locked := make(chan struct{})
	go func() {
		defer close(locked)
		for syscall.Flock(int(folder.Fd()), syscall.LOCK_EX) == syscall.EINTR {
			continue
		}
	}()
	select {
	case <-locked:
		return release, nil
	case <-ctx.Done():
		go func() { <-locked; release() }()
		return nil, fmt.Errorf("%w: %w", errWaiting, context.Cause(ctx))
	}
}
