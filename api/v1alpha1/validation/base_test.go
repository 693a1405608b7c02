package validation

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBaseBesideTheTree: a base beside the tree is taken, whatever the names have in common.
func TestBaseBesideTheTree(t *testing.T) {
	for _, row := range []struct{ tree, base string }{
		{"", "metal"}, {".", "metal/hosts"}, {"tenants", "metal"}, {"tenants", "hosts"}, {"sites/dc1", "sites/dc10"},
		{"sites/dc1", "sites/metal"}, {"", "hosts2"},
	} {
		site := v1alpha1.Site{Spec: v1alpha1.SiteSpec{Hosts: v1alpha1.Hosts{Base: row.base}}}
		assert.Empty(t, BaseInside(&site, row.tree), row.tree)
	}
}

// TestTreeFolders: every folder at the top of a rendered tree is one of treeFolders.
func TestTreeFolders(t *testing.T) {
	folders, err := filepath.Glob("../../../golden/*/*")
	require.Truef(t, err == nil && len(folders) != 0, "found %d folders of golden trees: %v", len(folders), err)
	for _, folder := range folders {
		if info, err := os.Stat(folder); err != nil {
			t.Error(err)
		} else if info.IsDir() && !slices.Contains(treeFolders, filepath.Base(folder)) {
			t.Errorf("%s: want it in treeFolders", folder)
		}
	}
}
