package manifest

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestUnreadableFolders: a folder that cannot be read is that folder's problem, and the other files are read.
func TestUnreadableFolders(t *testing.T) {
	for _, row := range []struct{ why, folder, want string }{
		{"a name that is not UTF-8", "bank/\xff", `bank/\xff": a folder whose name is not UTF-8`},
		{"no permission", "bank/closed", `bank/closed": permission denied`},
	} {
		t.Run(row.why, func(t *testing.T) {
			dir := t.TempDir()
			need.Write(t, filepath.Join(dir, "a.yaml"), "kind: A")
			need.Write(t, filepath.Join(dir, "shop", "b.yaml"), "kind: B")
			for _, above := range []string{filepath.Dir(dir), dir} {
				require.NoError(t, os.Chmod(above, 0o755))
			}
			folder := filepath.Join(dir, row.folder)
			require.NoError(t, os.MkdirAll(folder, 0o755))
			if utf8.ValidString(row.folder) {
				require.NoError(t, os.Chmod(folder, 0))
			}
			docs, err := readLikeAnybody(t, dir)
			var inFile *FileError
			assert.Truef(t,
				errors.As(err, &inFile) && strings.HasPrefix(inFile.File, filepath.Join(dir, "bank")+"/") &&
					utf8.ValidString(inFile.File) && strings.Contains(err.Error(), row.want),
				"found %v", err)
			assert.Equal(t, 2, len(docs))
		})
	}
}

// readLikeAnybody reads without root's way past permissions of files.
func readLikeAnybody(t *testing.T, dir string) ([]Document, error) {
	t.Helper()
	if os.Getuid() == 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		require.NoError(t, unix.Setfsuid(65534))
		defer func() { require.NoError(t, unix.Setfsuid(0)) }()
	}
	return Read([]string{dir}, nil)
}
