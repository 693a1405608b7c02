//go:build !linux

package publish

import "io/fs"

func exchangeFolders(_, _ string) error { return errCannotExchange }

func lockParent(string, bool) (unlock func()) { return func() {} }

func umask() fs.FileMode { return 0o022 }
