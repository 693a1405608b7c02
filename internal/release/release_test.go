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

// TestPlace: images are published in the registry of the repository that the module's path names.
func TestPlace(t *testing.T) {
	path, github := strings.CutPrefix(module, "github.com/")
	assert.Truef(t, github && Images == "ghcr.io/"+path, "found %s, want the registry of %s", Images, module)
	text, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	assert.Truef(t, err == nil && strings.HasPrefix(string(text), "module "+module+"\n"), "go.mod: %v: want module %s",
		err, module)
}
