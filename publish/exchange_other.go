//go:build !linux

package publish

import (
	"context"
	"io/fs"
)

func exchangeFolders(_, _ string) error { return errCannotExchange }

func lockParent(context.Context, string, bool) (unlock func(), err error) { return func() {}, nil }

func umask() fs.FileMode { return 0o022 }
