package need

import (
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestExecutable: what was written runs at once, however many processes start meanwhile.
func TestExecutable(t *testing.T) {
	dir := t.TempDir()
	var group sync.WaitGroup
	over := make(chan struct{})
	for range 4 {
		group.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
					_ = exec.Command("true").Run()
				}
			}
		})
	}
	for range 100 {
		path := filepath.Join(dir, "program")
		Executable(t, path, "#!/bin/sh\n")
		assert.NoError(t, exec.Command(path).Run())
	}
	close(over)
	group.Wait()
}
