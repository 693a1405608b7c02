package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCommitReplacesOnlyThePath(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	target := Target{URL: repo, Branch: "main", Path: "sites/berlin"}
	first := tree("clusters/a/x.yaml", "1\n", "clusters/a.yaml", "2\n", "clusters/a-b/y.yaml", "3\r\n", "gone/z", "4",
		"PLAN.md", "")
	done := mustPublish(t, target, first)
	assert.Truef(t, done.Changed && len(done.Changes) == 5 && done.Branch == "main", "first commit: found %+v", done)
	fsck(t, repo)
	rival(t, repo, "main", tree("README.md", "hand", "sites/berlin/notes.txt", "hand", "sites/paris/x", "theirs"))

	second := tree("clusters/a/x.yaml", "1\n", "clusters/a.yaml", "2 changed\n", "clusters/a-b/y.yaml", "3\r\n", "new",
		"5")
	done = mustPublish(t, target, second)
	fsck(t, repo)
	want := tree("README.md", "hand", "sites/berlin/notes.txt", "hand", "sites/paris/x", "theirs")
	for name, text := range second {
		want["sites/berlin/"+name] = text
	}
	same(t, "the branch", inGit(t, repo, "main"), want)
	if stat := git(t, repo, "show", "--stat=200", "--format=", "main"); strings.Contains(stat, "notes") ||
		!strings.Contains(stat, "5 files changed") {
		t.Errorf("the commit touches more than its own files:\n%s", stat)
	}
	modes := git(t, repo, "ls-tree", "-r", "--format=%(objectmode)", "main")
	assert.Truef(t, strings.Trim(modes, "1064\n") == "" && !strings.Contains(modes, "755"), "modes: found %s", modes)

	again := mustPublish(t, target, second)
	assert.Truef(t,
		!again.Changed && again.Commit == done.Commit && git(t, repo, "rev-list", "--count", "main") == "3",
		"an unchanged tree: found %+v, want no commit", again)
	tip := mustRead(t, target)
	same(t, "Read", tip.Tree, second)
	assert.Equal(t, git(t, repo, "rev-parse", "main"), tip.Commit, "Read")
}

// The same inputs give the same commit, and it is the one that git itself would make.
func TestCommitIsGitsOwn(t *testing.T) {
	t.Parallel()
	files := tree("a.b/x", "1", "a/x", "2", "a-b", "3", "a0", "4", "ä", "5")
	about := meta
	about.When = about.When.In(time.FixedZone("", 2*3600+30*60))
	about.Message, about.Trailers = FixedMessage("subject\r\n\r\nbody\n\n"), []Trailer{{"Inventory-Digest", "sha256:0"},
		{"Generated-By", "sipgen v1"}}
	var commits []string
	for range 3 {
		repo := bare(t)
		done := publishAs(t, Target{URL: "file://" + repo, Branch: "main"}, files, about)
		commits = append(commits, done.Commit)
		clone := cloned(t, repo)
		assert.Empty(t, git(t, clone, "status", "--porcelain"), "git status in a clone")
		// git's own tree and commit objects of the same content
		git(t, clone, "read-tree", "--empty")
		git(t, clone, "add", "-A")
		assert.Equal(t, git(t, clone, "write-tree"), git(t, clone, "rev-parse", "HEAD^{tree}"), "tree")
		want := "subject\n\nbody\n\nInventory-Digest: sha256:0\nGenerated-By: sipgen v1"
		got := git(t, repo, "log", "-1", "--format=%B", "main")
		assert.Truef(t, strings.TrimSpace(got) == want, "message: found %q, want %q", got, want)
		got = git(t, repo, "log", "-1", "--format=%an <%ae> %ai|%cn|%(trailers:key=Generated-By,valueonly)", "main")
		assert.Equal(t, "Ada <ada@example.org> 2023-11-15 00:43:20 +0230|Ada|sipgen v1", strings.TrimSpace(got),
			"author")
		fsck(t, repo)
	}
	assert.Truef(t, len(slices.Compact(slices.Clone(commits))) == 1, "commits differ: %v", commits)
}

// The changes of a commit are those between the tree as it was read and the new one, whatever is in the way. A foreign
// file with other content that is adopted is one that changes.
func TestChangesAreTheDifferenceOfTheTrees(t *testing.T) {
	t.Parallel()
	repo, target := site(t)
	mustPublish(t, target, tree("same", "1", "edited", "1", "edited to the same", "1", "gone", "1", "gone by hand", "1",
		"file/becomes/folder", "1", "folder", "1", "link", "1"))
	clone := cloned(t, repo)
	git(t, clone, "rm", "--quiet", "-r", "site/gone by hand", "site/link", "site/folder")
	put(t, clone, tree("site/edited", "hand", "site/edited to the same", "2", "site/theirs", "1", "site/theirs too",
		"hand", "site/folder/of/theirs", "x"))
	require.NoError(t, os.Symlink("same", filepath.Join(clone, "site/link")))
	git(t, clone, "add", "-A")
	git(t, clone, "commit", "--quiet", "-m", "by hand")
	git(t, clone, "push", "--quiet")
	tip := mustRead(t, target)
	next := tree("same", "1", "edited", "2", "edited to the same", "2", "theirs", "1", "theirs too", "2", "file", "2",
		"link", "2", "new/x", "1")
	about := meta
	about.Adopt = true
	var told []Change
	about.Message = func(changes []Change) string { told = changes; return "x" }
	done := need.Value(Commit(context.Background(), target, tip, next, about))(t)
	want := Diff(tip.Tree, next)
	adopted := slices.IndexFunc(want, func(c Change) bool { return c.Path == "theirs too" })
	want[adopted] = Change{Path: "theirs too", Kind: Changed, Old: []byte("hand"), New: []byte("2"), Foreign: true}
	assert.Truef(t, reflect.DeepEqual(done.Changes, want) && reflect.DeepEqual(told, want) && len(want) >= 7,
		"changes:\nfound %+v\ntold  %+v\nwant  %+v", done.Changes, told, want)
	fsck(t, repo)
}

// TestNewRepository: what a forge puts into a new repository is in nobody's way, and stays.
// TestHasKustomization: a folder of the branch, beside the tree, and what kustomize finds in it.
func TestHasKustomization(t *testing.T) {
	for want, files := range map[string]Tree{
		"false false": tree("hosts-too/kustomization.yaml", "x", "a/hosts/kustomization.yaml", "x"),
		"true false":  tree("hosts/a.yaml", "x", "hosts/below/kustomization.yaml", "x"),
		"true true":   tree("hosts/a.yaml", "x", "hosts/Kustomization", "x"),
	} {
		target := Target{URL: bare(t), Branch: "main"}
		mustPublish(t, target, files)
		target.Path = "site"
		there, builds, err := mustRead(t, target).HasKustomization("hosts")
		require.NoError(t, err)
		assert.Equal(t, want, fmt.Sprint(there, " ", builds), "found")
	}
	there, builds, err := mustRead(t, Target{URL: bare(t), Branch: "main"}).HasKustomization("hosts")
	assert.Truef(t, !there && !builds && err == nil, "no commit: found %t, %t, %v", there, builds, err)
}

func TestNewRepository(t *testing.T) {
	t.Parallel()
	repo := with(t, tree("README.md", "x", "LICENSE", "x", ".gitignore", "x", ".github/workflows/ci.yaml", "x"))
	publishAs(t, Target{URL: repo, Branch: "main"}, tree("PLAN.md", "1", "clusters/a", "1"), meta)
	assert.Equal(t, ".github/workflows/ci.yaml\n.gitignore\n.sipgen.yaml\nLICENSE\nPLAN.md\nREADME.md\nclusters/a",
		git(t, repo, "ls-tree", "-r", "--name-only", "main"))
}

func TestSSHSignatureVerifiesInGit(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			key := filepath.Join(dir, "key")
			need.Output(t, exec.Command("ssh-keygen", "-q", "-t", kind, "-a", "1", "-N", "pass phrase", "-f", key))
			wantError(t, "without the passphrase", need.Err(SSHSigner(key, "")), nil, "passphrase")
			_, err := SSHSigner(key, "wrong")
			assert.Truef(t, err != nil, "with a wrong passphrase: want an error")
			signer := need.Value(SSHSigner(key, "pass phrase"))(t)
			public := need.Value(os.ReadFile(key + ".pub"))(t)
			allowed := filepath.Join(dir, "allowed")
			require.NoError(t, os.WriteFile(allowed, append([]byte("ada@example.org "), public...), 0o600))
			repo := signedCommit(t, signer)
			out := git(t, repo, "-c", "gpg.format=ssh", "-c", "gpg.ssh.allowedSignersFile="+allowed, "verify-commit",
				"--verbose", "main")
			assert.Truef(t, strings.Contains(out, `Good "git" signature for ada@example.org`), "git verify-commit: %s",
				out)
		})
	}
}

func TestOpenPGPSignatureVerifiesInGit(t *testing.T) {
	if _, err := exec.LookPath("gpg"); err != nil {
		need.Missing(t, "OpenPGP signatures against git: there is no gpg here; Debian has it in gpg")
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	config := &packet.Config{Algorithm: packet.PubKeyAlgoEdDSA,
		Time: func() time.Time { return meta.When.Add(-time.Hour) }}
	entity := need.Value(openpgp.NewEntity("Ada", "", "ada@example.org", config))(t)
	var public, private bytes.Buffer
	armored := func(to io.Writer, kind string, write func(io.Writer) error) {
		writer, err := armor.Encode(to, kind, nil)
		if err == nil {
			err = errors.Join(write(writer), writer.Close())
		}
		require.NoError(t, err)
	}
	armored(&public, openpgp.PublicKeyType, entity.Serialize)
	require.NoError(t, entity.EncryptPrivateKeys([]byte("pass phrase"), config))
	armored(&private, openpgp.PrivateKeyType,
		func(w io.Writer) error { return entity.SerializePrivateWithoutSigning(w, config) })
	key := filepath.Join(dir, "key.asc")
	put(t, dir, Tree{"key.asc": private.Bytes(), "public.asc": public.Bytes()})
	wantError(t, "without the passphrase", need.Err(OpenPGPSigner(key, "", meta.When)), nil, "passphrase")
	assert.Truef(t, need.Err(OpenPGPSigner(filepath.Join(dir, "public.asc"), "", meta.When)) != nil,
		"a public key: want an error")
	signer := need.Value(OpenPGPSigner(key, "pass phrase", meta.When))(t)
	t.Setenv("GNUPGHOME", dir)
	need.Output(t, exec.Command("gpg", "--batch", "--import", filepath.Join(dir, "public.asc")))
	t.Cleanup(func() { _ = exec.Command("gpgconf", "--kill", "all").Run() })
	repo := signedCommit(t, signer)
	assert.Contains(t, git(t, repo, "verify-commit", "--verbose", "main"), "Good signature from", "git verify-commit")
}

func signedCommit(t *testing.T, signer Signer) string {
	t.Helper()
	repo := bare(t)
	about := meta
	about.Signer, about.RequireSigned = signer, true
	publishAs(t, Target{URL: repo, Branch: "main"}, tree("a", "1"), about)
	fsck(t, repo)
	return repo
}

type brokenSigner struct{ result []byte }

func (b brokenSigner) Sign(io.Reader) ([]byte, error) {
	if b.result == nil {
		return nil, errors.New("the token is not plugged in")
	}
	return b.result, nil
}

func TestNothingUnsignedIsPushed(t *testing.T) {
	t.Parallel()
	for _, signer := range []Signer{nil, brokenSigner{}, brokenSigner{[]byte{}}} {
		repo := bare(t)
		about := meta
		about.Signer, about.RequireSigned = signer, true
		_, err := publishTree(Target{URL: repo, Branch: "main"}, tree("a", "1"), about)
		assert.Truef(t, err != nil, "%v: want an error", signer)
		refs := git(t, repo, "for-each-ref")
		assert.Truef(t, refs == "", "%v: pushed %s", signer, refs)
	}
}
