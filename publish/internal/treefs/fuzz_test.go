package treefs

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"go.yaml.in/yaml/v3"
)

// memory is a tree in memory.
type memory map[string][]byte

func (m memory) At(name string) (EntryKind, []byte, error) {
	if text, there := m[name]; there {
		return File, text, nil
	}
	for file := range m {
		if strings.HasPrefix(file, name+"/") {
			return Folder, nil, nil
		}
	}
	return Nothing, nil, nil
}

func (m memory) Below(context.Context, string) ([]string, error) {
	return slices.Sorted(maps.Keys(m)), nil
}

// FuzzOwnership: whatever the lists of a tree hold, they are refused with ErrOwnership on one line, or are lists of
// paths that may be deleted: names of a tree, each with a sum, none of them a list, and the same lists when they are
// written again.
func FuzzOwnership(f *testing.F) {
	const folder = "x/y"
	lists := FormatLists(map[string][]byte{"a/b": []byte("1"), "c.yaml": []byte("2"), "x/y/z": []byte("3")},
		Parts{"x/y/z": folder, "a/b": folder}, nil, "sha256:0")
	root, part := string(lists[OwnershipFile]), string(lists[ListOf(folder)])
	f.Add(root, part)
	f.Add(string(FormatLists(nil, nil, nil, "")[OwnershipFile]), "")
	f.Add(strings.Replace(root, "c.yaml", "../c.yaml", 1), part)
	f.Add("<<<<<<< ours\n"+root, part)
	f.Add(root, "<<<<<<< ours\n"+part)
	f.Add("apiVersion: \"a\\nb\"\nkind: \"\\e[31m\"\n", part)
	f.Add(root+"---\n"+root, part)
	f.Add(strings.Replace(root, "files:", "files: &f\n- *f", 1), part)
	f.Add(root, root)
	f.Add(root, strings.Replace(part, "folder: x/y", "folder: x", 1))
	f.Add(root, strings.Replace(part, "a/b", "c.yaml", 1))
	f.Add(root, strings.Replace(part, "files:", "folders: [z]\nfiles:", 1))
	f.Add(strings.Replace(root, "- x/y", "- x/y\n  - x/y", 1), part)
	f.Fuzz(func(t *testing.T, root, part string) {
		// The digest is put right where there is one, so that what it guards is reached.
		for _, text := range []*string{&root, &part} {
			var list ownership
			if yaml.Unmarshal([]byte(*text), &list) == nil && list.Digest != "" {
				*text = strings.Replace(*text, list.Digest, list.digest([]byte(*text)), 1)
			}
		}
		owned, found, err := ReadOwned(memory{OwnershipFile: []byte(root), ListOf(folder): []byte(part)})
		if err != nil {
			assert.Truef(t, found && errors.Is(err, ErrOwnership) && !strings.ContainsAny(err.Error(), "\n"),
				"found %q", err)
			return
		}
		again, parts := map[string]string{}, Parts{}
		for _, name := range slices.Sorted(maps.Keys(owned.Sums)) {
			if err := CheckName(name); err != nil || isList(name) != owned.IsList(name) {
				t.Errorf("%q is owned: %v", name, err)
			}
			if !owned.IsList(name) {
				again[name] = owned.Sums[name]
			}
		}
		if owned.Damaged != nil {
			assert.Truef(t, errors.Is(owned.Damaged, ErrOwnership), "found %q", owned.Damaged)
			return
		}
		if slices.Equal(owned.Folders, []string{folder}) {
			list := need.Value(parse(folder, []byte(part)))(t)
			for _, file := range list.Files {
				parts[file.Path] = folder
			}
		}
		rewritten := memory{}
		for name, text := range FormatLists(nil, parts, again, owned.Assignments) {
			rewritten[name] = text
		}
		twice, _, err := ReadOwned(rewritten)
		assert.Truef(t, err == nil && twice.Damaged == nil, "%v, %v", err, twice.Damaged)
		for name, sum := range again {
			assert.Equal(t, sum, twice.Sums[name], name)
		}
	})
}
