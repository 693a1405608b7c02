package tenancy

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
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
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestServed reads the golden trees.
func TestServed(t *testing.T) {
	bank := Served(treeOf(t, "../../golden/full-service"))["bank/bank"]
	if !bank.NodePorts[30022] || !bank.NodePorts[30556] || len(bank.NodePorts) != 2 || !bank.Dex {
		t.Errorf("found ports %v, Dex %v", bank.NodePorts, bank.Dex)
	}
	apis := 0
	for _, a := range bank.Addresses {
		if a.IP != "203.0.113.20" || a.SharingKey != "bank" || a.Provider != "metallb" {
			t.Errorf("found address %+v", a)
		}
		if a.Port == 6443 {
			apis++
		}
	}
	if apis != 1 || len(bank.Addresses) < 2 {
		t.Errorf("found addresses %+v, want that of the API servers once, and those of the workers", bank.Addresses)
	}
	edge := Served(treeOf(t, "../../golden/two-tenants"))["tenant-a/edge-a"]
	if !edge.Synced || !edge.NodePorts[30000] || len(edge.Addresses) != 0 || edge.Dex {
		t.Errorf("found %+v", edge)
	}
	if bare := Served(map[string][]byte{"clusters/n/bare/assignments.yaml": nil})["n/bare"]; !bare.Synced {
		t.Errorf("found %+v of a cluster without services, which is synced too", bare)
	}
}
