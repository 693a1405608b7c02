package ci

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// commitTime is the time of the commits that releases are made from: 2026-01-02 03:04:05 UTC.
const commitTime = "1767323045"

// releaseCheckout copies the files that git tracks, or would, into a folder of its own and commits them there.
func releaseCheckout(t *testing.T, folder string) {
	t.Helper()
	list, err := exec.Command("git", "-C", "../..", "ls-files", "-co", "--exclude-standard").Output()
	if err != nil {
		need.Missing(t, "no git checkout to make a release from")
	}
	for _, name := range strings.Split(strings.TrimSpace(string(list)), "\n") {
		content, err := os.ReadFile(filepath.Join("../..", name))
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted, and not committed yet
		}
		require.NoError(t, err)
		need.Write(t, filepath.Join(folder, name), string(content))
	}
	env := []string{"GIT_COMMITTER_DATE=" + commitTime + " +0000"}
	run(t, folder, env, "git", "init", "--quiet")
	run(t, folder, env, "git", "add", ".")
	run(t, folder, env, "git", "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "-m",
		"release")
}

func makeRelease(t *testing.T, folder, version string) (out, said string, err error) {
	t.Helper()
	out = filepath.Join(t.TempDir(), "release")
	command := exec.Command("bash", "hack/release.sh", version, out)
	command.Dir = folder
	command.Env = append(os.Environ(), "PLATFORMS="+runtime.GOOS+"/"+runtime.GOARCH)
	text, err := command.CombinedOutput()
	return out, string(text), err
}

// TestReleaseIsReproducible makes a release, and again by the page in another folder and another environment.
// hack/release-check.sh does it for every platform.
func TestReleaseIsReproducible(t *testing.T) {
	needs(t, "git")
	t.Parallel()
	one := filepath.Join(t.TempDir(), "a")
	releaseCheckout(t, one)
	first, text, err := makeRelease(t, one, "v1.2.3-rc.1")
	require.Truef(t, err == nil, "%v\n%s", err, text)
	checkRelease(t, first)
	verifyByPage(t, one, first, "v1.2.3-rc.1")

	// What is not committed cannot be built again by others.
	need.Write(t, filepath.Join(one, "cmd", "sipgen", "more.go"), "package main\n")
	_, text, err = makeRelease(t, one, "v1.2.3-rc.1")
	assert.Truef(t,
		err != nil && strings.Contains(text, "not committed") && strings.Contains(text, "cmd/sipgen/more.go"),
		"a release with a file that is not committed: %v\n%s", err, text)
}

// verifyByPage: whoever downloads an archive compares it with the page's command, and whoever doubts the sums builds
// the release again with the page's commands, from a clone, with the Go that the page names. Only where the repository
// is is another place.
func verifyByPage(t *testing.T, checkout, release, version string) {
	t.Helper()
	check, rebuild := engine.Procedure(t, "check-release")[0], engine.Procedure(t, "rebuild-release")[0]
	page := func(dir, script string) string {
		return run(t, dir, []string{"PLATFORMS=" + runtime.GOOS + "/" + runtime.GOARCH, "GIT_CONFIG_COUNT=1",
			"GIT_CONFIG_KEY_0=advice.detachedHead", "GIT_CONFIG_VALUE_0=false", "TZ=Asia/Tokyo", "LANG=C.UTF-8",
			"GOFLAGS=-tags=other",
			"CGO_ENABLED=1", "GOAMD64=v2"}, "bash", "-euo", "pipefail", "-c", script)
	}
	assert.Contains(t, page(release, check), ": OK", "docs/ci.md")
	run(t, checkout, nil, "git", "tag", version)
	dir := filepath.Join(t.TempDir(), "another place")
	need.Write(t, filepath.Join(dir, "SHA256SUMS"), string(need.Read(t, filepath.Join(release, "SHA256SUMS"))))
	assert.Contains(t, rebuild, "GOTOOLCHAIN="+runtime.Version()+" ", runtime.Version())
	ours := strings.NewReplacer("https://github.com/airshipit/sipgen", "'"+checkout+"' sipgen", "v0.1.0", version)
	page(dir, ours.Replace(rebuild))
}

// TestReleaseRefuses: versions that are none, and folders that somebody has things in.
func TestReleaseRefuses(t *testing.T) {
	needs(t, "git")
	folder := t.TempDir()
	need.Write(t, filepath.Join(folder, "thesis"), "")
	const none = "want one like v1.2.3"
	for _, row := range [][3]string{
		{"release.sh", "v1.2.3", "want a folder to make"}, {"image.sh", "v1.2.3", "want a folder to make"},
		{"release.sh", "", none}, {"release.sh", "1.2.3", none}, {"release.sh", "v1.2", none},
		{"release.sh", "v01.2.3", none},
		{"release.sh", "v1.2.3/../x", none}, {"release.sh", "v1.2.3-$(id)", none},
		{"release.sh", "v1.2.3-3-g0123456789ab", none},
	} {
		out, err := exec.Command("bash", "../../hack/"+row[0], row[1], folder).CombinedOutput()
		assert.Truef(t, err != nil && strings.Contains(string(out), row[2]), "%q: %v\n%s", row, err, out)
	}
	need.Read(t, filepath.Join(folder, "thesis"))
}

// checkRelease wants sums of all files, the binary in the archive, which runs and says its version, what krew and
// Homebrew install it by, and its bill of materials.
func checkRelease(t *testing.T, folder string) {
	t.Helper()
	name := "sipgen_v1.2.3-rc.1_" + runtime.GOOS + "_" + runtime.GOARCH
	in := func(name string) string { return filepath.Join(folder, name) }
	sums := run(t, folder, nil, "sha256sum", "--check", "--strict", "SHA256SUMS")
	assert.Len(t, need.Value(os.ReadDir(folder))(t), strings.Count(sums, ": OK\n")+1, "files without a sum")

	// Of nobody's, and of the commit's time.
	listed := run(t, folder, []string{"TZ=UTC"}, "tar", "tvzf", name+".tar.gz", "--numeric-owner", "--full-time")
	for line := range strings.Lines(listed) {
		assert.Contains(t, line, " 0/0 ", "the archive")
		assert.Contains(t, line, " 2026-01-02 03:04:05 ", "the archive")
	}
	for _, word := range []string{" LICENSE\n", " NOTICES\n", " README.md\n", " sipgen-diff.1\n"} {
		assert.Contains(t, listed, word, "the archive")
	}
	assert.NotContains(t, listed, " -> ", "the archive") // krew unpacks folders and plain files
	root := t.TempDir()
	run(t, root, nil, "tar", "xzf", in(name+".tar.gz"))
	assert.Contains(t, run(t, root, nil, "./sipgen", "version"), "sipgen v1.2.3-rc.1 (", "sipgen version")
	here := need.Value(filepath.Abs("../.."))(t)
	assert.NotContains(t, string(need.Read(t, filepath.Join(root, "sipgen"))), here, "the folder it was built in")

	sum := fmt.Sprintf("%x", sha256.Sum256(need.Read(t, in(name+".tar.gz"))))
	url := "https://github.com/airshipit/sipgen/releases/download/v1.2.3-rc.1/" + name + ".tar.gz"
	text := string(need.Read(t, in("sipgen.krew.yaml")))
	for _, word := range []string{
		"\n  version: v1.2.3-rc.1\n",
		fmt.Sprintf(
			"        os: %s\n        arch: %s\n    uri: %s\n    sha256: %s\n    bin: sipgen\n", runtime.GOOS,
			runtime.GOARCH, url, sum),
	} {
		assert.Contains(t, text, word, "krew")
	}
	installByKrew(t, in("sipgen.krew.yaml"), in(name+".tar.gz"))
	formula := string(need.Read(t, in("sipgen.rb")))
	for _, word := range []string{
		"class Sipgen < Formula\n", "\n  version \"1.2.3-rc.1\"\n",
		fmt.Sprintf(
			"  on_%s do\n    on_%s do\n      url %q\n      sha256 %q\n    end\n  end\n",
			runtime.GOOS, strings.Replace(runtime.GOARCH, "amd64", "intel", 1), url, sum),
	} {
		assert.Contains(t, formula, word, "Homebrew")
	}
	blocks := regexp.MustCompile(`(?m)^ *(class|def) |do$`).FindAllString(formula, -1)
	assert.Len(t, regexp.MustCompile(`(?m)^ *end$`).FindAllString(formula, -1), len(blocks), formula)

	text = string(need.Read(t, in(name+".cdx.json")))
	for _, word := range []string{
		`"name": "github.com/airshipit/sipgen"`, `"version": "v1.2.3-rc.1"`, `"name": "std"`,
		`"name": "github.com/go-git/go-git/v5"`, `"name": "k8s.io/client-go"`,
	} {
		assert.Contains(t, text, word, "the bill of materials")
	}
}

// installByKrew has the real krew install the archive by its manifest, without a network, and runs the plugin.
func installByKrew(t *testing.T, manifest, archive string) {
	t.Helper()
	root := t.TempDir()
	index := filepath.Join(root, "index", "default") // krew wants one: a checkout of git, here an empty one
	need.Write(t, filepath.Join(index, "plugins", ".keep"), "")
	for _, args := range [][]string{{"init", "-q"}, {"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "x"}} {
		run(t, index, nil, "git", args...)
	}
	run(t, root, []string{"KREW_ROOT=" + root}, engine.Binary(t, "krew"), "install", "--manifest", manifest,
		"--archive", archive)
	assert.Contains(t, run(t, root, nil, filepath.Join(root, "bin", "kubectl-sipgen"), "version"),
		"sipgen v1.2.3-rc.1 (", "the plugin")
}

// TestFormulaWords: the formula's words for systems are Homebrew's, and each platform has its archive. The words are
// ARCH_OPTIONS and BASE_OS_OPTIONS of Library/Homebrew/on_system.rb.
func TestFormulaWords(t *testing.T) {
	needs(t, "sed")
	function := run(t, "../../hack", nil, "sed", "-n", "/^formula() {$/,/^}$/p", "release.sh")
	formula := run(t, t.TempDir(), nil, "bash", "-euo", "pipefail", "-c",
		"sha256() { echo 0 x; }\nmkdir release\nwork=. version=v1.2.3 downloads=https://example.org\n"+
			"platforms='linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64'\n"+function+"formula\n")
	for _, word := range regexp.MustCompile(`\bon_\w+`).FindAllString(formula, -1) {
		assert.Truef(t, slices.Contains([]string{"on_macos", "on_linux", "on_intel", "on_arm"}, word),
			"%s is no word of Homebrew's:\n%s", word, formula)
	}
	for _, platform := range [][3]string{{"macos", "intel", "darwin_amd64"}, {"macos", "arm", "darwin_arm64"},
		{"linux", "intel", "linux_amd64"}, {"linux", "arm", "linux_arm64"}} {
		found := regexp.MustCompile(`(?s)\n  on_` + platform[0] + ` do\n(?:    [^\n]*\n)*?    on_` + platform[1] +
			` do\n      url "https://example.org/sipgen_v1.2.3_` + platform[2] + `.tar.gz"\n`)
		assert.Truef(t, found.MatchString(formula), "no archive for %v:\n%s", platform, formula)
	}
}

// TestReleasedJumpHost: a program that was built from a tag takes the jump host's image that is published with it in a
// Site that names none; one that was built from another commit asks for an image, and says why.
func TestReleasedJumpHost(t *testing.T) {
	t.Parallel()
	folder, operator := t.TempDir(), "../../testdata/inputs/sip-operator/"
	site, tree := filepath.Join(folder, "site.yaml"), filepath.Join(folder, "tree")
	build := func(version string) string {
		path := filepath.Join(folder, version)
		run(t, "", nil, "bash", "../../hack/build.sh", version, "linux/"+runtime.GOARCH, path)
		return path
	}
	text := string(need.Read(t, operator+"site.yaml"))
	need.Write(t, site, strings.Replace(text, "  images: {jumpHost: registry.example.org/jump-host:1}\n", "", 1))
	assert.NotContains(t, string(need.Read(t, site)), "images", site)
	inputs := []string{"--site", site, "-f", operator + "spec.yaml", "--inventory", operator + "hosts.yaml"}

	run(t, "", nil, build(release), append([]string{"render", "--out", tree}, inputs...)...)
	found := run(t, tree, nil, "grep", "-rhF", "image: ghcr.io/airshipit/sipgen/jump-host:"+release, ".")
	assert.Equal(t, 1, strings.Count(found, "\n"), "images of jump hosts in the tree: "+found)

	other := build(release + "-3-g0123456789ab")
	out, _ := exec.Command(other, append([]string{"plan", "--previous", "none"}, inputs...)...).CombinedOutput()
	assert.Contains(t, string(out), "(frozen)", other)
	assert.Contains(t, string(out),
		"spec.services.jumpHost[0].image: missing here and in the Site's spec.images.jumpHost; this sipgen was not built from a tag",
		other)
}
