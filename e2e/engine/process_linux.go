package engine

import "syscall"

// killWithParent has the kernel kill the process when the one that started it ends.
func killWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
