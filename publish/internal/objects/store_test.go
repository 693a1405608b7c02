package objects

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/hack/orphans"
)

func TestMain(m *testing.M) { os.Exit(orphans.Tests{M: m}.Run()) }

// git runs the real git, with no configuration but its own.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	command := exec.Command("git", args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org")
	out, err := command.CombinedOutput()
	need.Must(t, err == nil, "git %s: %v\n%s", strings.Join(args, " "), err, out)
	return strings.TrimSuffix(string(out), "\n")
}

// alike makes a repository of versions that are much alike.
func alike(t testing.TB, versions int) (repo string) {
	t.Helper()
	repo = t.TempDir()
	git(t, repo, "init", "--quiet", "--initial-branch=main")
	dice, text := rand.New(rand.NewPCG(3, 4)), ""
	for version := range versions {
		for range 200 {
			text += fmt.Sprintf("line of %d: %x\n", version, dice.Uint64())
		}
		for name, content := range map[string]string{"empty": "", "big": text, fmt.Sprint("own", version): text[:20]} {
			need.OK(t, os.WriteFile(filepath.Join(repo, name), []byte(content), 0o644))
		}
		git(t, repo, "add", "-A")
		git(t, repo, "commit", "--quiet", "-m", fmt.Sprint(version))
	}
	return repo
}

// packOf gives a pack of what git lists, as git makes it with the flags.
func packOf(t testing.TB, repo, objects string, flags ...string) []byte {
	t.Helper()
	command := exec.Command("git", append([]string{"pack-objects", "--stdout", "--quiet", "--no-reuse-delta"}, flags...)...)
	command.Dir, command.Stdin = repo, strings.NewReader(objects)
	out, err := command.Output()
	need.Must(t, err == nil, "%v %v", "git pack-objects:", err)
	return out
}

func TestPackThatIsDamaged(t *testing.T) {
	t.Parallel()
	repo := alike(t, 10)
	pack := packOf(t, repo, "main\n", "--revs", "--delta-base-offset")
	// A thin pack leaves out the bases that the receiver is said to have.
	thin := packOf(t, repo, "main\n^main~5\n", "--revs", "--thin")
	flipped := bytes.Clone(pack)
	flipped[len(flipped)/2] ^= 0x40
	for why, content := range map[string][]byte{
		"nothing": nil, "not a pack": []byte("<html>please log in</html>"), "cut": pack[:len(pack)/2],
		"a bit flipped": flipped, "deltas against what is not there": thin, "more objects than it has": append(append([]byte("PACK\x00\x00\x00\x02\x00\x00\xff\xff"), pack[12:len(pack)-20]...), pack[len(pack)-20:]...),
	} {
		if err := NewStore().add(bytes.NewReader(content), mostOfPack); err == nil || !strings.HasPrefix(err.Error(), "the pack that the server sent: ") {
			t.Errorf("%s: found %v, want an error", why, err)
		}
	}
	err := NewStore().add(bytes.NewReader(thin), mostOfPack)
	need.That(t, errors.Is(err, packfile.ErrReferenceDeltaNotFound), "a thin pack: found %v", err)
}

// A pack without an end is given up while it comes.
func TestPackWithoutAnEnd(t *testing.T) {
	endless := &atMost{Reader: neverEnds{}, most: 10 << 20}
	if file, err := spool(endless); err == nil || !strings.Contains(err.Error(), "more than 10485760 bytes, want at most that") || file != nil {
		t.Errorf("found %v, %v", file, err)
	}
}

type neverEnds struct{}

func (neverEnds) Read(into []byte) (int, error) { return len(into), nil }
