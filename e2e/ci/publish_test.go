package ci

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// Digests of the images that the stand-in for make release leaves.
var sipgenDigest, jumpDigest = "sha256:" + strings.Repeat("a1", 32), "sha256:" + strings.Repeat("b2", 32)

// releaseProject is what the release's jobs read of a checkout, with a changelog that is cut, and programs that write
// down how they are called: registries, signing and the forge are not here. What make release makes is tested by
// itself.
func releaseProject(t *testing.T) (folder, calls string, env map[string]string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "check out")
	for _, name := range []string{
		"hack/notes.sh", "hack/digest.sh", "hack/cut-release.sh", "internal/release/release.go", "CHANGELOG.md",
		"README.md",
		"docs/ci.md",
	} {
		need.Write(t, filepath.Join(folder, name), string(need.Read(t, filepath.Join("../..", name))))
	}
	run(t, folder, []string{"GO=true"}, "bash", "hack/cut-release.sh", "v9.8.7", "2030-01-02")
	bin := filepath.Join(folder, "..", "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	calls = filepath.Join(bin, "calls")
	for _, name := range []string{"cosign", "curl", "docker", "gh", "go", "make", "sudo"} {
		text := "#!/bin/bash\nstdin=\n" +
			"case \"$*\" in *--password-stdin* | *--config*) stdin=\" <<< $(cat)\" ;; esac\n" +
			"for file; do case $file in *notes.md) notes=\" notes: $(cat \"${file#description@}\")\" ;; esac; done\n" +
			"echo \"" + name + " $*$stdin${notes:-}\" >>'" + calls + "'\n"
		switch name {
		case "make":
			text += "mkdir -p out/release out/image out/jump-image && touch out/release/SHA256SUMS out/release/sipgen.rb\n" +
				"echo '{\"manifests\": [{\"digest\": \"" + sipgenDigest + "\"}]}' >out/image/index.json\n" +
				"echo '{\"manifests\": [{\"digest\": \"" + jumpDigest + "\"}]}' >out/jump-image/index.json\n"
		case "cosign":
			text += "case \"$*\" in sign-blob*) touch out/release/SHA256SUMS.sigstore.json ;; esac\n"
		}
		need.Executable(t, filepath.Join(bin, name), text)
	}
	return folder, calls, map[string]string{"PATH": bin + ":" + os.Getenv("PATH"), "HOME": bin}
}

// inOrder wants each pattern to match in what is left of the text behind the one before it.
func inOrder(t *testing.T, text string, patterns ...string) {
	t.Helper()
	left := text
	for _, pattern := range patterns {
		at := regexp.MustCompile("(?ms)" + pattern).FindStringIndex(left)
		require.Truef(t, at != nil, "no %s at its place in:\n%s", pattern, text)
		left = left[at[1]:]
	}
}

// TestReleaseOnGitHub: the workflow makes a release, pushes and signs both images by their digests, which the notes
// have, and publishes last. Its actions are pinned, its rights are those that this takes, its Go is that of the page on
// releases, and its place is the one that programs know.
func TestReleaseOnGitHub(t *testing.T) {
	needs(t, "git")
	t.Parallel()
	text := string(need.Read(t, "../../.github/workflows/release.yaml"))
	var w workflow
	require.NoError(t, yaml.Unmarshal([]byte(text), &w))
	job := w.Jobs["release"]
	rights := map[string]string{"contents": "write", "packages": "write", "id-token": "write", "attestations": "write"}
	assert.Equal(t, rights, job.Permissions, "permissions")
	assert.Equal(t, map[string]string{}, w.Permissions, "permissions of the workflow")
	for _, line := range regexp.MustCompile(`(?m)^.*uses:.*$`).FindAllString(text, -1) {
		assert.Truef(t,
			regexp.MustCompile(`^    - uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`).MatchString(line),
			"%s: want a commit, and its version", line)
	}
	assert.Contains(t, text, "go-version: "+strings.TrimPrefix(runtime.Version(), "go")+",")
	folder, calls, env := releaseProject(t)
	output := filepath.Join(folder, "..", "output")
	maps.Copy(env, map[string]string{"GITHUB_REF_NAME": "v9.8.7", "GITHUB_ACTOR": "ada",
		"RUNNER_TEMP": filepath.Dir(output), "GITHUB_OUTPUT": output, "IMAGES": "ghcr.io/airshipit/sipgen"})
	attested := 0
	for _, step := range job.Steps {
		if strings.HasPrefix(step.Uses, "actions/attest-build-provenance@") {
			attested++
			assert.NotContains(t, string(need.Read(t, calls)), "gh release", "a provenance after the release")
		}
		if step.Run == "" {
			continue
		}
		assert.NotContains(t, step.Run, "${{", step.Name)
		own := maps.Clone(env)
		for key, value := range step.Env {
			if value == "${{ github.token }}" {
				own[key] = token
				continue
			}
			of := regexp.MustCompile(`^\$\{\{ steps\.digests\.outputs\.(\w+) \}\}$`).FindStringSubmatch(fmt.Sprint(value))
			require.Truef(t, of != nil, "%s: the test gives it no value", value)
			at := slices.IndexFunc(lines(t, output),
				func(line string) bool { return strings.HasPrefix(line, of[1]+"=") })
			own[key] = strings.TrimPrefix(lines(t, output)[at], of[1]+"=")
		}
		code, log := shell(t, folder, own, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		require.Truef(t, code == 0, "%s: exit %d\n%s", step.Name, code, log)
	}
	assert.Equal(t, 3, attested)
	inOrder(t, string(need.Read(t, calls)), `^docker login --username ada --password-stdin ghcr\.io <<< `+token+`$`,
		`^make release VERSION=v9\.8\.7 PUSH=ghcr\.io/airshipit/sipgen:v9\.8\.7 PUSH_JUMP=ghcr\.io/airshipit/sipgen/jump-host:v9\.8\.7$`,
		`^cosign sign --yes ghcr\.io/airshipit/sipgen@`+sipgenDigest+` ghcr\.io/airshipit/sipgen/jump-host@`+jumpDigest+
			`$`, `^cosign sign-blob `,
		`^gh release create v9\.8\.7 --verify-tag --notes-file \S+/notes\.md out/release/SHA256SUMS out/release/SHA256SUMS\.sigstore\.json out/release/sipgen\.rb notes: `,
		"ghcr.io/airshipit/sipgen:v9.8.7@"+sipgenDigest+"`\n.*ghcr.io/airshipit/sipgen/jump-host:v9.8.7@"+jumpDigest)

	// What would be published elsewhere, or without notes, stops before anything is made.
	check := job.Steps[slices.IndexFunc(job.Steps,
		func(s githubStep) bool { return strings.HasPrefix(s.Name, "Check") })].Run
	for why, change := range map[string]map[string]string{
		"hack/cut-release.sh v1.0.0 moves": {"GITHUB_REF_NAME": "v1.0.0"},
		"want ghcr.io/fork/sipgen":         {"IMAGES": "ghcr.io/fork/sipgen"},
	} {
		own := maps.Clone(env)
		maps.Copy(own, change)
		code, log := shell(t, folder, own, "bash", "-eo", "pipefail", "-c", check)
		assert.Truef(t, code != 0 && strings.Contains(log, why), "%v: exit %d\n%s\nwant %s", change, code, log, why)
	}
}

// TestReleaseOnGitLab: a mirror's job has GitLab's keywords alone, and does the same in the mirror's registries.
func TestReleaseOnGitLab(t *testing.T) {
	needs(t, "git")
	t.Parallel()
	var jobs map[string]struct {
		gitlabJob
		IDTokens  map[string]struct{ Aud string } `json:"id_tokens"`
		Variables map[string]string               `json:"variables"`
		Artifacts struct {
			Paths []string `json:"paths"`
		} `json:"artifacts"`
	}
	require.NoError(t, yaml.UnmarshalStrict(need.Read(t, "../../ci/gitlab/release.gitlab-ci.yml"), &jobs))
	job := jobs["release"]
	require.Len(t, jobs, 1)
	require.Len(t, job.Rules, 1)
	assert.Truef(t, strings.HasPrefix(job.Rules[0].If, "$CI_COMMIT_TAG =~ "), "found %+v", job.Rules)
	assert.Equal(t, "sigstore", job.IDTokens["SIGSTORE_ID_TOKEN"].Aud)
	assert.Equal(t, "golang:"+strings.TrimPrefix(runtime.Version(), "go")+"-trixie", job.Image)
	folder, calls, env := releaseProject(t)
	maps.Copy(env, map[string]string{"CI_COMMIT_TAG": "v9.8.7", "CI_REGISTRY": "registry.example.org",
		"CI_REGISTRY_USER": "ada", "CI_REGISTRY_PASSWORD": "secret", "CI_JOB_TOKEN": token,
		"CI_REGISTRY_IMAGE": "registry.example.org/mirror/sipgen", "CI_API_V4_URL": "https://gitlab.example.org/api/v4",
		"CI_PROJECT_ID": "11", "CI_PROJECT_URL": "https://gitlab.example.org/mirror/sipgen"})
	for key, value := range job.Variables {
		env[key] = os.Expand(value, func(name string) string { return env[name] })
	}
	code, log := shell(t, folder, env, "bash", "-eo", "pipefail", "-c", strings.Join(job.Script, "\n"))
	require.Truef(t, code == 0 && !strings.Contains(log, token), "exit %d\n%s", code, log)
	inOrder(t, string(need.Read(t, calls)), `^go install github\.com/sigstore/cosign/`,
		`^cosign login --username ada --password-stdin registry\.example\.org <<< secret$`,
		`^make release VERSION=v9\.8\.7 PUSH=registry\.example\.org/mirror/sipgen:v9\.8\.7 PUSH_JUMP=registry\.example\.org/mirror/sipgen/jump-host:v9\.8\.7$`,
		`^cosign sign --yes registry\.example\.org/mirror/sipgen@`+sipgenDigest+
			` registry\.example\.org/mirror/sipgen/jump-host@`+jumpDigest+`$`, `^cosign sign-blob `,
		`^curl [^\n]*--upload-file out/release/SHA256SUMS https://gitlab\.example\.org/api/v4/projects/11/packages/generic/sipgen/v9\.8\.7/SHA256SUMS `,
		`^curl [^\n]*--upload-file out/release/sipgen\.rb `,
		`^curl [^\n]*tag_name=v9\.8\.7 [^\n]*/projects/11/releases [^\n]*notes: .*`+jumpDigest)
}
