//go:build unix && !linux

package engine

import "syscall"

// killWithParent does nothing where the kernel offers nothing.
func killWithParent(*syscall.SysProcAttr) {}
