package v1alpha1

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDefaultOfJumpHosts: a program that was built from a tag has an image of its version. Another one has none, but
// the name that a registry mirror may serve. The Site's own counts before both.
func TestDefaultOfJumpHosts(t *testing.T) {
	const published, own = "ghcr.io/airshipit/sipgen/jump-host:v0.1.0", "registry.example.org/jump-host:1"
	for _, row := range []struct {
		published, own, want string
		none                 bool
	}{
		{published, "", published, false},
		{published, own, own, false},
		{"", own, own, false},
		{"", "", "quay.io/airshipit/jump-host:sipgen-v1", true},
	} {
		images := Images{JumpHost: row.own}
		for range 2 { // what has its defaults keeps them
			images.defaults(row.published)
			assert.Truef(t, images.JumpHost == row.want && images.NoJumpHost == row.none, "%+v: found %+v", row, images)
		}
	}
}

// TestDefaultsArePatchVersions: a tag such as 3.2 is another image next month, and no commit shows it.
func TestDefaultsArePatchVersions(t *testing.T) {
	var images Images
	images.defaults("ghcr.io/airshipit/sipgen/jump-host:v0.1.0")
	patch := regexp.MustCompile(`:v?\d+\.\d+\.\d+(-\w+)?$`)
	for _, image := range []string{images.HAProxy, images.JumpHost, images.Dex} {
		assert.Truef(t, patch.MatchString(image), "%s: want a patch version", image)
	}
}
