package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestJumpHost: only a build from a tag has an image: that of any other commit is published nowhere.
func TestJumpHost(t *testing.T) {
	for version, want := range map[string]string{
		"v0.1.0":                               "ghcr.io/airshipit/sipgen/jump-host:v0.1.0",
		"v1.20.3":                              "ghcr.io/airshipit/sipgen/jump-host:v1.20.3",
		"v1.0.0-rc.1":                          "ghcr.io/airshipit/sipgen/jump-host:v1.0.0-rc.1",
		"":                                     "",
		"(devel)":                              "",
		"0123456789ab":                         "",
		"v0.1.0-3-g0123456789ab":               "", // git describe
		"v0.1.0-dirty":                         "",
		"v0.1.0+dirty":                         "",
		"v0.1.1-0.20261128095247-0123456789ab": "", // a pseudo-version
		"v0.0.0-20261128095247-0123456789ab+dirty":  "",
		"v1.0.0-rc.1.0.20261128095247-0123456789ab": "",
		"v0.1":     "",
		"v00.1.0":  "",
		"v0.1.0\n": "",
	} {
		assert.Equal(t, want, jumpHost(version), version)
	}
	assert.Empty(t, JumpHost(), "a test is built from no tag: found")
}

// TestNewerMinor: the numbers of two releases decide, but for the patch. Of any other version nothing is known.
func TestNewerMinor(t *testing.T) {
	type result struct{ newer, known bool }
	for pair, want := range map[[2]string]result{
		{"v0.2.0", "v0.1.9"}:             {true, true},
		{"v0.10.0", "v0.9.0"}:            {true, true},
		{"v1.0.0", "v0.9.0"}:             {true, true},
		{"v0.2.0-rc.1", "v0.1.0"}:        {true, true},
		{"v0.1.9", "v0.1.0"}:             {false, true},
		{"v0.2.0", "v0.2.0-rc.1"}:        {false, true},
		{"v0.9.0", "v0.10.0"}:            {false, true},
		{"v0.9.0", "v1.0.0"}:             {false, true},
		{"v0.2.0-3-g0123456", "v0.1.0"}:  {},
		{"v0.2.0", "devel"}:              {},
		{"", "v0.2.0"}:                   {},
		{"v0.2.0+dirty", "v0.1.0"}:       {},
		{"v0.2.0", "v0.1.0-0.2026-0123"}: {},
	} {
		newer, known := NewerMinor(pair[0], pair[1])
		assert.Equal(t, want, result{newer, known}, pair)
	}
}

// TestPlace: images are published in the registry of the repository that the module's path names.
func TestPlace(t *testing.T) {
	path, github := strings.CutPrefix(module, "github.com/")
	assert.Truef(t, github && Images == "ghcr.io/"+path, "found %s, want the registry of %s", Images, module)
	text, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	assert.Truef(t, err == nil && strings.HasPrefix(string(text), "module "+module+"\n"), "go.mod: %v: want module %s",
		err, module)
}
