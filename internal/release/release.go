// Package release has the version of this program, and the place where releases are published.
package release

import (
	"cmp"
	"regexp"
	"runtime/debug"
)

// Images is where the images of releases are published: the registry of the project's own repository. The jump host's
// image is below it.
const Images = "ghcr.io/airshipit/sipgen"

// module is the path of sipgen's module.
const module = "github.com/airshipit/sipgen"

// version is set by the linker for releases: hack/build.sh.
var version = ""

// Version returns the release, or the version of the module or the checkout.
func Version() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	switch {
	case !ok:
		return "unknown"
	case info.Main.Version != "":
		return info.Main.Version
	}
	return "devel"
}

// tag is the form of a tag that is released. A checkout between two tags has another form.
var tag = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(alpha|beta|rc)\.\d+)?$`)

// NewerMinor reports whether a version is a release of a newer minor version than another one: v0.3.0 than v0.2.5. It
// is known of two releases only.
func NewerMinor(version, than string) (newer, known bool) {
	a, b := tag.FindStringSubmatch(version), tag.FindStringSubmatch(than)
	if a == nil || b == nil {
		return false, false
	}
	for part := 1; part <= 2; part++ { // without leading zeros, the longer number is the greater one
		if order := cmp.Or(cmp.Compare(len(a[part]), len(b[part])), cmp.Compare(a[part], b[part])); order != 0 {
			return order > 0, true
		}
	}
	return false, true
}

// JumpHost returns the image of jump hosts that was published with this program, or an empty string if the program was
// not built from a tag.
func JumpHost() string {
	of := version
	if info, ok := debug.ReadBuildInfo(); of == "" && ok && info.Main.Path == module {
		of = info.Main.Version // go install and go build know the tag
	}
	return jumpHost(of)
}

func jumpHost(version string) string {
	if !tag.MatchString(version) {
		return ""
	}
	return Images + "/jump-host:" + version
}
