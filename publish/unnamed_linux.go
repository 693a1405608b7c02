package publish

import (
	"os"

	"golang.org/x/sys/unix"
)

// openUnnamed makes a file that never has a name, where the file system can (O_TMPFILE).
func openUnnamed(folder string) (*os.File, error) {
	return os.OpenFile(folder, os.O_RDWR|unix.O_TMPFILE, 0o600)
}
