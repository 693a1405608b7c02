package tenancy

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/airshipit/sipgen/api/v1/validation"
	must "github.com/airshipit/sipgen/hack/need"
)

// treeOf reads a rendered tree.
func treeOf(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	tree := map[string][]byte{}
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		inside, _ := filepath.Rel(folder, name)
		tree[filepath.ToSlash(inside)] = text
		return err
	})
	must.OK(t, err)
	return tree
}

// TestServed reads the golden trees.
func TestServed(t *testing.T) {
	names := func(held validation.Held, kind validation.ResourceKind) (names []string) {
		for thing := range held {
			if thing.Kind == kind {
				names = append(names, thing.Name)
			}
		}
		slices.Sort(names)
		return names
	}
	bank := Served(treeOf(t, "../../golden/full-service"))["bank/bank"]
	must.Same(t, "", names(bank, validation.NodePort), []string{"30022", "30556"})
	must.Same(t, "", names(bank, validation.DexState), []string{"bank"})
	addresses := bank[validation.Resource{Kind: validation.Balancer, Name: "203.0.113.20"}]
	apis := 0
	for _, a := range addresses {
		if a.SharingKey != "bank" || a.Provider != "metallb" {
			t.Errorf("found address %+v", a)
		}
		if a.Ports.Start == 6443 {
			apis++
		}
	}
	if apis != 1 || len(addresses) < 2 || len(names(bank, validation.Balancer)) != 1 {
		t.Errorf("found addresses %+v, want that of the API servers once, and those of the workers", addresses)
	}
	edge := Served(treeOf(t, "../../golden/two-tenants"))["tenant-a/edge-a"]
	if len(names(edge, validation.SyncObjects)) == 0 || len(edge[validation.Resource{Kind: validation.NodePort, Name: "30000"}]) == 0 ||
		len(names(edge, validation.Balancer))+len(names(edge, validation.DexState)) != 0 {
		t.Errorf("found %+v", edge)
	}
	if bare := Served(map[string][]byte{"clusters/n/bare/assignments.yaml": nil})["n/bare"]; len(names(bare, validation.SyncObjects)) == 0 {
		t.Errorf("found %+v of a cluster without services, which is synced too", bare)
	}
}
