package ci

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
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
		need.OK(t, err)
		target := filepath.Join(folder, name)
		need.Write(t, target, string(content))
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", "release"}} {
		git := exec.Command("git", args...)
		git.Dir = folder
		git.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_COMMITTER_DATE="+commitTime+" +0000")
		need.Output(t, git)
	}
}

func makeRelease(t *testing.T, folder, version string) (string, error) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "release")
	command := exec.Command("bash", "hack/release.sh", version, out)
	command.Dir = folder
	command.Env = append(os.Environ(), "PLATFORMS="+runtime.GOOS+"/"+runtime.GOARCH)
	text, err := command.CombinedOutput()
	if err != nil {
		return string(text), err
	}
	return out, nil
}

// TestReleaseIsReproducible makes a release, and again by the page in another folder and another environment.
// hack/release-check.sh does it for every platform.
func TestReleaseIsReproducible(t *testing.T) {
	needs(t, "git")
	t.Parallel()
	one := filepath.Join(t.TempDir(), "a")
	releaseCheckout(t, one)
	first, err := makeRelease(t, one, "v1.2.3-rc.1")
	need.Must(t, err == nil, "%v\n%s", err, first)
	checkSums(t, first, string(need.Read(t, filepath.Join(first, "SHA256SUMS"))))
	verifyByPage(t, one, first, "v1.2.3-rc.1")
	name := "sipgen_v1.2.3-rc.1_" + runtime.GOOS + "_" + runtime.GOARCH
	checkArchive(t, filepath.Join(first, name+".tar.gz"))
	checkBill(t, filepath.Join(first, name+".cdx.json"))
	checkKrew(t, first, name)
	checkFormula(t, first, name)

	// What is not committed cannot be built again by others.
	need.OK(t, os.WriteFile(filepath.Join(one, "cmd", "sipgen", "more.go"), []byte("package main\n"), 0o644))
	text, err := makeRelease(t, one, "v1.2.3-rc.1")
	need.That(t, err != nil && strings.Contains(text, "not committed") && strings.Contains(text, "cmd/sipgen/more.go"),
		"a release with a file that is not committed: %v\n%s", err, text)
}

// verifyByPage: whoever downloads an archive compares it with the page's command, and whoever doubts the sums builds the release again with the
// page's commands, from a clone, with the Go that the page names. Only where the repository is is another place.
func verifyByPage(t *testing.T, checkout, release, version string) {
	t.Helper()
	check, rebuild := engine.Procedure(t, "check-release")[0], engine.Procedure(t, "rebuild-release")[0]
	run := func(dir, script string) (string, error) {
		cmd := exec.Command("bash", "-euo", "pipefail", "-c", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PLATFORMS="+runtime.GOOS+"/"+runtime.GOARCH, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=advice.detachedHead", "GIT_CONFIG_VALUE_0=false",
			"TZ=Asia/Tokyo", "LANG=C.UTF-8", "GOFLAGS=-tags=other", "CGO_ENABLED=1", "GOAMD64=v2")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run(release, check); err != nil || !strings.Contains(out, ": OK") {
		t.Errorf("docs/ci.md: %s: %v\n%s", check, err, out)
	}
	need.Output(t, exec.Command("git", "-C", checkout, "tag", version))
	dir := filepath.Join(t.TempDir(), "another place")
	need.OK(t, os.Mkdir(dir, 0o755))
	need.OK(t, os.WriteFile(filepath.Join(dir, "SHA256SUMS"), need.Read(t, filepath.Join(release, "SHA256SUMS")), 0o600))
	need.Words(t, runtime.Version(), rebuild, "GOTOOLCHAIN="+runtime.Version()+" ")
	again := strings.NewReplacer("https://github.com/airshipit/sipgen", "'"+checkout+"' sipgen", "v0.1.0", version).Replace(rebuild)
	if out, err := run(dir, again); err != nil {
		t.Errorf("docs/ci.md: %s: %v\n%s", again, err, out)
	}
}

// TestReleaseKeepsFolders wants a folder that somebody has things in to be left alone.
func TestReleaseKeepsFolders(t *testing.T) {
	needs(t, "git")
	folder := t.TempDir()
	need.OK(t, os.WriteFile(filepath.Join(folder, "thesis"), nil, 0o600))
	for _, script := range []string{"release.sh", "image.sh"} {
		out, err := exec.Command("bash", "../../hack/"+script, "v1.2.3", folder).CombinedOutput()
		need.That(t, err != nil && strings.Contains(string(out), "want a folder to make"), "%s: %v\n%s", script, err, out)
	}
	if _, err := os.Stat(filepath.Join(folder, "thesis")); err != nil {
		t.Error(err)
	}
}

func TestReleaseRefusesVersions(t *testing.T) {
	needs(t, "git")
	for _, version := range []string{"", "1.2.3", "v1.2", "v01.2.3", "v1.2.3 ", "v1.2.3/../x", "v1.2.3-$(id)", "v1.2.3-3-g0123456789ab", "v1.2.3-dirty"} {
		command := exec.Command("bash", "../../hack/release.sh", version, t.TempDir())
		if out, err := command.CombinedOutput(); err == nil || !strings.Contains(string(out), "want one like v1.2.3") {
			t.Errorf("version %q: %v\n%s", version, err, out)
		}
	}
}

// checkSums wants a line of SHA256SUMS for each file, and no others.
func checkSums(t *testing.T, folder, sums string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	need.OK(t, err)
	lines := strings.Split(strings.TrimSpace(sums), "\n")
	need.Equal(t, "SHA256SUMS has", len(lines), len(entries)-1)
	for _, line := range lines {
		sum, name, _ := strings.Cut(line, "  ")
		digest := sha256.Sum256(need.Read(t, filepath.Join(folder, name)))
		need.Equal(t, name, hex.EncodeToString(digest[:]), sum)
	}
}

// checkArchive wants the binary, which runs and says its version, the license and the readme.
func checkArchive(t *testing.T, path string) {
	t.Helper()
	zipped, err := gzip.NewReader(bytes.NewReader(need.Read(t, path)))
	need.OK(t, err)
	archive := tar.NewReader(zipped)
	var names []string
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		need.OK(t, err)
		names = append(names, header.Name)
		need.That(t, header.Uid == 0 && header.Gid == 0 && header.Uname == "" && header.ModTime.Unix() == 1767323045,
			"%s: owner %d:%d %q, time %s", header.Name, header.Uid, header.Gid, header.Uname, header.ModTime)
		if header.Name == "kubectl-sipgen" && (header.Typeflag != tar.TypeSymlink || header.Linkname != "sipgen") {
			t.Errorf("kubectl-sipgen is no link to sipgen: %+v", header)
		}
		if header.Name != "sipgen" {
			continue
		}
		binary := filepath.Join(t.TempDir(), "sipgen")
		content, err := io.ReadAll(archive)
		need.OK(t, err)
		need.OK(t, os.WriteFile(binary, content, header.FileInfo().Mode()))
		out, err := exec.Command(binary, "version").Output()
		need.That(t, err == nil && strings.HasPrefix(string(out), "sipgen v1.2.3-rc.1 ("), "sipgen version: %v\n%s", err, out)
		if folder, err := filepath.Abs("../.."); err != nil || bytes.Contains(content, []byte(folder)) {
			t.Errorf("the binary names the folder it was built in: %v", err)
		}
	}
	for _, want := range []string{"sipgen", "LICENSE", "README.md", "kubectl-sipgen", "sipgen.1", "sipgen-diff.1"} {
		need.That(t, slices.Contains(names, want), "%s: found %q, want %s among them", path, names, want)
	}
}

// checkKrew wants a manifest for krew whose sum for this machine's archive is the archive's.
func checkKrew(t *testing.T, folder, name string) {
	t.Helper()
	var plugin struct {
		APIVersion, Kind string
		Metadata         struct{ Name string }
		Spec             struct {
			Version, ShortDescription string
			Platforms                 []struct {
				Selector         struct{ MatchLabels map[string]string }
				URI, SHA256, Bin string
			}
		}
	}
	need.OK(t, yaml.Unmarshal(need.Read(t, filepath.Join(folder, "sipgen.krew.yaml")), &plugin))
	sum := sha256.Sum256(need.Read(t, filepath.Join(folder, name+".tar.gz")))
	for _, p := range plugin.Spec.Platforms {
		if p.Selector.MatchLabels["os"] == runtime.GOOS && p.Selector.MatchLabels["arch"] == runtime.GOARCH {
			need.That(t, p.SHA256 == hex.EncodeToString(sum[:]) && strings.HasSuffix(p.URI, "/v1.2.3-rc.1/"+name+".tar.gz") && p.Bin == "sipgen",
				"%+v", p)
			return
		}
	}
	t.Errorf("nothing for this machine: %+v", plugin)
}

// checkFormula wants a formula for Homebrew with this machine's archive and its sum, blocks that end, and what it installs to be in the archive.
func checkFormula(t *testing.T, folder, name string) {
	t.Helper()
	text := string(need.Read(t, filepath.Join(folder, "sipgen.rb")))
	sum := sha256.Sum256(need.Read(t, filepath.Join(folder, name+".tar.gz")))
	arch := strings.Replace(runtime.GOARCH, "amd64", "intel", 1)
	want := "  on_" + runtime.GOOS + " do\n    on_" + arch + " do\n      url \"https://github.com/airshipit/sipgen/releases/download/v1.2.3-rc.1/" + name + ".tar.gz\"\n" +
		"      sha256 \"" + hex.EncodeToString(sum[:]) + "\"\n    end\n  end\n"
	need.That(t, strings.HasPrefix(text, "class Sipgen < Formula\n") && strings.Contains(text, "\n  version \"1.2.3-rc.1\"\n") && strings.Contains(text, want),
		"sipgen.rb:\n%s\nwant in it:\n%s", text, want)
	depth := 0
	for line := range strings.Lines(text) {
		switch words := strings.Fields(line); {
		case len(words) == 0:
		case words[0] == "end":
			depth--
		case words[0] == "class", words[0] == "def", words[len(words)-1] == "do":
			depth++
		}
	}
	need.Equal(t, text, depth, 0)
	need.Words(t, "sipgen.rb installs", need.Output(t, exec.Command("tar", "tzf", filepath.Join(folder, name+".tar.gz"))), "sipgen\n", ".1\n")
}

// checkBill wants the release as the component, and its modules with Go's own library.
func checkBill(t *testing.T, path string) {
	t.Helper()
	var bill struct {
		Metadata struct {
			Component struct{ Name, Version string }
		}
		Components []struct{ Name, Version string }
	}
	need.OK(t, json.Unmarshal(need.Read(t, path), &bill))
	if c := bill.Metadata.Component; c.Name != "github.com/airshipit/sipgen" || c.Version != "v1.2.3-rc.1" {
		t.Errorf("%s: component %+v", path, c)
	}
	found := map[string]string{}
	for _, c := range bill.Components {
		found[c.Name] = c.Version
	}
	for _, name := range []string{"std", "github.com/go-git/go-git/v5", "k8s.io/client-go", "sigs.k8s.io/kustomize/api"} {
		need.That(t, found[name] != "", "%s: no %s among %d components", path, name, len(found))
	}
}

// TestReleasedJumpHost: a program that was built from a tag takes the jump host's image that is published with it, so SIP's own sample plans in a Site
// that names none; one that was built from another commit asks for an image, and says why.
func TestReleasedJumpHost(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	site := filepath.Join(folder, "site.yaml")
	if err := os.WriteFile(site, []byte("apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: sip-sample}\nspec:\n"+
		"  repository: {url: 'https://git.example.org/sip-sample.git'}\n  hosts: {sharedNamespaces: [sipcluster-system]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	released := filepath.Join(releases(t), release, "sipgen")
	other := filepath.Join(folder, "sipgen")
	run(t, "", nil, "bash", "../../hack/build.sh", release+"-3-g0123456789ab", "linux/"+runtime.GOARCH, other)
	for program, want := range map[string]string{
		released: "",
		other:    "spec.services.jumpHost[0].image: missing here and in the Site's spec.images.jumpHost; this sipgen was not built from a tag",
	} {
		inputs := []string{"--site", site, "-f", "../../testdata/inputs/sip-sample/specs", "--inventory", "../../testdata/inputs/sip-sample/hosts", "--previous", "none"}
		out, err := exec.Command(program, append([]string{"plan"}, inputs...)...).CombinedOutput()
		if text := string(out); !strings.Contains(text, "sipcluster-system/sipcluster-system") || strings.Contains(text, "jumpHost[0].image: missing") != (want != "") ||
			!strings.Contains(text, want) || strings.Contains(text, "(frozen)") != (want != "") {
			t.Errorf("%s: %v\n%s", program, err, text)
		}
	}
	// What the sample does not show, as its hosts share a BMC: the image in the tree.
	operator, tree := "../../testdata/inputs/sip-operator/", filepath.Join(folder, "tree")
	text := bytes.Replace(need.Read(t, operator+"site.yaml"), []byte("  images: {jumpHost: registry.example.org/jump-host:1}\n"), nil, 1)
	if err := os.WriteFile(site, text, 0o600); err != nil || bytes.Contains(text, []byte("images")) {
		t.Fatalf("%v\n%s", err, text)
	}
	run(t, "", nil, released, "render", "--site", site, "-f", operator+"spec.yaml", "--inventory", operator+"hosts.yaml", "--out", tree)
	found, err := exec.Command("grep", "-rhF", "image: ghcr.io/airshipit/sipgen/jump-host:"+release, tree).Output()
	need.That(t, err == nil && bytes.Count(found, []byte("\n")) == 1, "images of jump hosts in the tree: %v\n%s", err, found)
}
