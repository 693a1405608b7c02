package publish

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// TestPackedObjects reads every file and folder of a repository by the short way, and as git does.
func TestPackedObjects(t *testing.T) {
	for _, row := range []struct {
		why   string
		flags []string
		whole bool // all files are, in the pack
	}{
		{"no deltas", []string{"--window=0"}, true},
		{"deltas: those are left to go-git", []string{"--window=50", "--depth=20"}, false},
	} {
		t.Run(row.why, func(t *testing.T) {
			repo := alike(t, 12)
			git(t, repo, append([]string{"repack", "-a", "-d", "-f", "--quiet"}, row.flags...)...)
			opened, err := (&remote{local: repo}).openLocal()
			if err != nil {
				t.Fatal(err)
			}
			local, sent := opened.Storer.(*localStore), newPackStore()
			if err := sent.add(inMemory(t, packAll(t, repo, row.flags...))); err != nil {
				t.Fatal(err)
			}
			for where, store := range map[string]storer.EncodedObjectStorer{"local": local, "sent": sent} {
				for _, kind := range []plumbing.ObjectType{plumbing.BlobObject, plumbing.TreeObject} {
					short, all := 0, 0
					for line := range strings.Lines(git(t, repo, "cat-file", "--batch-all-objects", "--batch-check")) {
						name, rest, _ := strings.Cut(line, " ")
						hash := plumbing.NewHash(name)
						text, found := packed(store, kind, hash)
						if !strings.HasPrefix(rest, kind.String()+" ") {
							if found {
								t.Errorf("%s: %s is read as a %s, and is %s", where, name, kind, rest)
							}
							continue
						}
						all++
						if kind == plumbing.TreeObject {
							sameTree(t, store, hash)
						}
						if !found {
							continue
						}
						short++
						if got := plumbing.ComputeHash(kind, text); got != hash {
							t.Errorf("%s: %s: the content read has the hash %s", where, name, got)
						}
					}
					if short == 0 || row.whole && short != all || !row.whole && kind == plumbing.BlobObject && short == all {
						t.Errorf("%s: %d of %d of kind %s read the short way", where, short, all, kind)
					}
				}
			}
			if _, found := local.object(plumbing.BlobObject, plumbing.NewHash("1234567890123456789012345678901234567890")); found {
				t.Error("an object that there is not was read")
			}
		})
	}
}

// sameTree reads a folder as readTree does, and as go-git does.
func sameTree(t *testing.T, store storer.EncodedObjectStorer, hash plumbing.Hash) {
	t.Helper()
	want, err := object.GetTree(store, hash)
	if err != nil {
		t.Fatal(err)
	}
	got, err := readTree(store, hash)
	if err != nil || got.Hash != want.Hash || !slices.Equal(got.Entries, want.Entries) {
		t.Errorf("%s: read %v, %v; go-git %v", hash, got, err, want)
	}
}

func TestTreeEntriesBroken(t *testing.T) {
	for _, text := range []string{"100644 a", "100644 a\x00short", "100644\x00" + strings.Repeat("h", 20), "8 a\x00" + strings.Repeat("h", 20), " a\x00" + strings.Repeat("h", 20)} {
		if entries, is := treeEntries([]byte(text)); is {
			t.Errorf("%q: read %v", text, entries)
		}
	}
}

// TestPackedObjectsBroken changes each byte of a pack in turn, and cuts it off: what is read is what was written, or nothing is.
func TestPackedObjectsBroken(t *testing.T) {
	repo := bare(t)
	clone := filepath.Join(t.TempDir(), "clone")
	git(t, t.TempDir(), "clone", "--quiet", repo, clone)
	want := []byte(strings.Repeat("one line after another\n", 20) + "and the last")
	put(t, clone, Tree{"file": want})
	git(t, clone, "add", "-A")
	git(t, clone, "commit", "--quiet", "-m", "one")
	name := plumbing.NewHash(strings.TrimSpace(git(t, clone, "rev-parse", "HEAD:file")))
	git(t, clone, "repack", "-a", "-d", "-f", "--quiet")
	opened, err := (&remote{local: clone}).openLocal()
	if err != nil {
		t.Fatal(err)
	}
	local := opened.Storer.(*localStore)
	if text, found := local.object(plumbing.BlobObject, name); !found || !bytes.Equal(text, want) {
		t.Fatalf("read %q, %v", text, found)
	}
	packs, err := filepath.Glob(filepath.Join(clone, ".git/objects/pack/*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	good, err := os.ReadFile(packs[0])
	if err != nil {
		t.Fatal(err)
	}
	read := func(content []byte) ([]byte, bool) {
		broken := packedObjects{packs: []indexedPack{{local.packed.packs[0].index, bytes.NewReader(content)}}}
		return broken.object(plumbing.BlobObject, name)
	}
	missed := 0
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 0x20
		text, found := read(bad)
		if found && !bytes.Equal(text, want) {
			t.Errorf("byte %d changed: read %q", i, text)
		}
		if !found {
			missed++
		}
		if text, found := read(good[:i]); found && !bytes.Equal(text, want) {
			t.Errorf("cut off at %d: read %q", i, text)
		}
	}
	if missed < 20 {
		t.Errorf("%d of %d changes were noticed", missed, len(good))
	}
}
