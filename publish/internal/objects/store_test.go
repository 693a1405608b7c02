package objects

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/hack/orphans"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { os.Exit(orphans.Tests{M: m}.Run()) }

func TestPackThatIsDamaged(t *testing.T) {
	t.Parallel()
	repo, text := t.TempDir(), ""
	git := func(stdin string, args ...string) []byte {
		own := []string{"-C", repo, "-c", "user.name=Ada", "-c", "user.email=ada@example.org"}
		command := exec.Command("git", append(own, args...)...)
		command.Stdin = strings.NewReader(stdin)
		out, err := command.Output()
		require.Truef(t, err == nil, "git %q: %v", args, err)
		return out
	}
	git("", "init", "--quiet", "--initial-branch=main")
	for line := range 400 {
		text += fmt.Sprintf("line %d: %x\n", line, sha256.Sum256([]byte(text)))
	}
	for range 2 { // much alike
		text += "one more\n"
		need.Write(t, filepath.Join(repo, "big"), text)
		git("", "add", "-A")
		git("", "commit", "--quiet", "-m", "x")
	}
	pack := git("main\n", "pack-objects", "--stdout", "--quiet", "--revs", "--delta-base-offset")
	// A thin pack leaves out the bases that the receiver is said to have.
	thin := git("main\n^main~1\n", "pack-objects", "--stdout", "--quiet", "--revs", "--thin")
	flipped := bytes.Clone(pack)
	flipped[len(flipped)/2] ^= 0x40
	for why, content := range map[string][]byte{
		"nothing": nil, "not a pack": []byte("<html>please log in</html>"), "cut": pack[:len(pack)/2],
		"a bit flipped": flipped, "deltas against what is not there": thin,
		"more objects than it has": append(append([]byte("PACK\x00\x00\x00\x02\x00\x00\xff\xff"),
			pack[12:len(pack)-20]...), pack[len(pack)-20:]...),
	} {
		if err := NewStore().add(bytes.NewReader(content), mostOfPack); err == nil ||
			!strings.HasPrefix(err.Error(), "the pack that the server sent: ") {
			t.Errorf("%s: found %v, want an error", why, err)
		}
	}
	err := NewStore().add(bytes.NewReader(thin), mostOfPack)
	assert.Truef(t, errors.Is(err, packfile.ErrReferenceDeltaNotFound), "a thin pack: found %v", err)
}

// A pack without an end is given up while it comes.
func TestPackWithoutAnEnd(t *testing.T) {
	endless := &atMost{Reader: neverEnds{}, most: 10 << 20}
	if file, err := spool(endless); err == nil ||
		!strings.Contains(err.Error(), "more than 10485760 bytes, want at most that") || file != nil {
		t.Errorf("found %v, %v", file, err)
	}
}

type neverEnds struct{}

func (neverEnds) Read(into []byte) (int, error) { return len(into), nil }

// TestBlobsShareACompressor: a compressor takes about a megabyte, and a fleet has a hundred thousand files.
func TestBlobsShareACompressor(t *testing.T) {
	writer := NewWriter(nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const blobs = 100
	for i := range blobs {
		_, err := writer.AddBlob(fmt.Appendf(nil, "a: %d\n", i))
		require.NoError(t, err)
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, (after.TotalAlloc-before.TotalAlloc)/blobs, uint64(100_000), "bytes for a blob")
}
