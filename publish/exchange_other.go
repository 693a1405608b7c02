//go:build !linux

package publish

import (
	"context"
	"io/fs"
	"os"
)

func exchangeFolders(_, _ string) error { return errCannotExchange }

func lockParent(context.Context, string, bool) (unlock func(), err error) { return func() {}, nil }

// writeNew writes a file that is not there yet.
func writeNew(name string, text []byte) error { return os.WriteFile(name, text, 0o644) }

func umask() fs.FileMode { return 0o022 }
