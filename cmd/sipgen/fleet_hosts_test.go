package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHostIsOneSites: a host, by its uid, is the one Site's that has it in its tree, else the first's by name. The
// other leaves it out, and says so (contract 35). That a Site cannot be planned gives its hosts to no other.
func TestHostIsOneSites(t *testing.T) {
	t.Setenv("SIPGEN_PREVIOUS", "")
	t.Chdir(t.TempDir())
	writeSites(t, 3)
	git(t, "init", "-q", "--bare", "-b", "main", "fleet.git")
	twin := strings.ReplaceAll(read(t, "sites/s00000/hosts.yaml"), "uid-0-2", "uid-1-2") // but one
	require.NoError(t, os.WriteFile("sites/s00001/hosts.yaml", []byte(twin), 0o644))
	both := []string{"--site", "sites/*/site.yaml"}
	const says = "SIP080: BareMetalHost metal3/n0: Site %s of this run has the host, by its uid uid-0-0: it is " +
		"left out here"
	has := func(site string) string {
		t.Helper()
		return git(t, "-C", "fleet.git", "show", "main:sites/"+site+"/clusters/tenant-a/first/assignments.yaml")
	}
	empty := strings.TrimSpace(git(t, "-C", "fleet.git", "commit-tree", "-m", "empty",
		strings.TrimSpace(git(t, "-C", "fleet.git", "hash-object", "-t", "tree", "-w", "/dev/null"))))
	git(t, "-C", "fleet.git", "update-ref", "refs/heads/main", empty)

	code, out, said := ran(t, append([]string{"plan", "-o", "json"}, both...)...)
	assert.Equal(t, exitFinding, code, said)
	assert.Equal(t, 1, strings.Count(out, `"host":"metal3/n0","uid":"uid-0-0"`), "a slot in one Site")
	assert.Contains(t, said, "sipgen: s00001: warning: "+fmt.Sprintf(says, "s00000"))

	_, out, _ = ran(t, append([]string{"plan"}, both...)...)
	assert.Contains(t, out, "problem: s00001: host metal3/n0: Site s00000 of this run has the host", "the review")

	code, _, said = ran(t, append([]string{"publish"}, both...)...)
	assert.Equal(t, exitFinding, code, said)
	assert.Contains(t, said, fmt.Sprintf(says, "s00000"))
	assert.NotContains(t, said, "sipgen: s00000: warning")
	assert.Contains(t, said, "; 1 with findings: s00001\n")
	assert.Contains(t, has("s00000"), "uid-0-0")

	// The other way round: the tree decides, and not the name, also while the Site that has it cannot be planned.
	git(t, "-C", "fleet.git", "update-ref", "refs/heads/main", empty)
	code, _, said = ran(t, "publish", "--site", "sites/s00001/site.yaml")
	require.Equal(t, exitDone, code, said)
	before := has("s00001")
	edit(t, "sites/s00001/site.yaml", "inventory: hosts.yaml", "inventory: nothing.yaml")
	for _, command := range []string{"plan", "diff", "lint", "hosts"} {
		code, out, said = ran(t, append([]string{command}, both...)...)
		assert.Equal(t, exitFinding, code, said)
		assert.Contains(t, out+said, fmt.Sprintf(says, "s00001"), command)
	}
	for range 2 {
		code, _, said = ran(t, append([]string{"publish"}, both...)...)
		assert.Equal(t, exitFinding, code, said)
		assert.Contains(t, said, fmt.Sprintf(says, "s00001"))
		assert.Equal(t, before, has("s00001"))
		require.NoError(t, os.WriteFile("sites/s00001/nothing.yaml", []byte(twin), 0o644)) // the next time
	}

	// A refused Site assigns nothing, and the next by name gets the host, in each command alike.
	git(t, "-C", "fleet.git", "update-ref", "refs/heads/main", empty)
	git(t, "clone", "-q", "fleet.git", "foreign")
	require.NoError(t, os.MkdirAll("foreign/sites/s00000/clusters", 0o755))
	require.NoError(t, os.WriteFile("foreign/sites/s00000/clusters/mine.yaml", []byte("kind: Secret\n"), 0o644))
	git(t, "-C", "foreign", "add", ".")
	git(t, "-C", "foreign", "commit", "-q", "-m", "foreign")
	git(t, "-C", "foreign", "push", "-q", "origin", "HEAD:main")
	code, out, said = ran(t, append([]string{"plan", "-o", "json"}, both...)...)
	assert.Equal(t, exitFinding, code, said)
	assert.NotContains(t, said, "of this run has the host", "plan")
	assert.Equal(t, 2, strings.Count(out, `"host":"metal3/n0","uid":"uid-0-0"`),
		"the slot of the refused Site, and the other")
	code, _, said = ran(t, append([]string{"publish"}, both...)...)
	assert.Equal(t, exitFinding, code, said)
	assert.NotContains(t, said, "of this run has the host", "publish")
	assert.Contains(t, has("s00001"), "uid-0-0")

	// In the trees of both: each keeps it, and the run says so.
	git(t, "-C", "fleet.git", "update-ref", "refs/heads/main", empty)
	for _, site := range []string{"s00000", "s00001"} {
		code, _, said = ran(t, "publish", "--site", "sites/"+site+"/site.yaml")
		require.Equal(t, exitDone, code, said)
	}
	before = git(t, "-C", "fleet.git", "rev-parse", "main:sites/s00000", "main:sites/s00001")
	code, _, said = ran(t, append([]string{"publish"}, both...)...)
	assert.Equal(t, exitDone, code, said)
	assert.Contains(t, said, "sipgen: danger: a host is in the trees of 2 Sites: s00000, s00001 (uid uid-0-0); "+
		"release it in")
	assert.Equal(t, before, git(t, "-C", "fleet.git", "rev-parse", "main:sites/s00000", "main:sites/s00001"))
}

// TestHostIsOneSitesOfManyBranches: the Sites of a run may be in several repositories, of which one is pushed after the
// other: who has a host is as with one (contract 35), and the Sites get what plan says.
func TestHostIsOneSitesOfManyBranches(t *testing.T) {
	t.Setenv("SIPGEN_PREVIOUS", "")
	t.Chdir(t.TempDir())
	writeSites(t, 3)
	git(t, "init", "-q", "--bare", "-b", "main", "fleet.git")
	git(t, "init", "-q", "--bare", "-b", "main", "a-first.git") // which is pushed first
	hosts := func(site, others string) {
		t.Helper()
		require.NoError(t, os.WriteFile("sites/"+site+"/hosts.yaml", []byte(read(t, "sites/"+others+"/hosts.yaml")),
			0o644))
	}
	has := func(repository, site string) string {
		t.Helper()
		command := exec.Command("git", "-C", repository, "show",
			"main:sites/"+site+"/clusters/tenant-a/first/assignments.yaml")
		text, _ := command.Output() // no host is no file
		return string(text)
	}
	publish := func(taken, by string) {
		t.Helper()
		_, _, said := ran(t, "plan", "--site", "sites/*/site.yaml")
		words := fmt.Sprintf("sipgen: %s: warning: SIP080: BareMetalHost metal3/n0: Site %s of this run has the host",
			taken, by)
		assert.Contains(t, said, words)
		code, _, said := ran(t, "publish", "--site", "sites/*/site.yaml")
		assert.Equal(t, exitFinding, code, said)
		assert.Contains(t, said, words)
	}

	// The first by name gets it: s00001 is in the repository that is pushed first.
	edit(t, "sites/s00001/site.yaml", "fleet.git'", "a-first.git'")
	hosts("s00001", "s00000")
	publish("s00001", "s00000")
	assert.Contains(t, has("fleet.git", "s00000"), "uid-0-0")
	assert.NotContains(t, has("a-first.git", "s00001"), "uid-0-0")

	// Who has it keeps it, against labels and the order of names, also if its Site cannot be planned.
	edit(t, "sites/s00000/site.yaml", "fleet.git'", "a-first.git'")
	hosts("s00000", "s00002")
	publish("s00000", "s00002")
	assert.NotContains(t, has("a-first.git", "s00000"), "uid-2-0")
	require.NoError(t, os.WriteFile("sites/s00002/hosts.yaml", nil, 0o644))
	publish("s00000", "s00002")
	assert.NotContains(t, has("a-first.git", "s00000"), "uid-2-0")
}

// TestRefusedSiteOfManyBranches: a host of which the first Site by name is refused is the next one's by name, also if
// that is in a repository that is pushed later, as plan says (contract 35).
func TestRefusedSiteOfManyBranches(t *testing.T) {
	t.Setenv("SIPGEN_PREVIOUS", "")
	for why, file := range map[string]string{
		"a folder of others":                         "mine.txt",
		"a file that the engine would apply as well": "clusters/mine.yaml",
	} {
		t.Run(why, func(t *testing.T) {
			t.Chdir(t.TempDir())
			writeSites(t, 3)
			git(t, "init", "-q", "--bare", "-b", "main", "fleet.git")
			git(t, "init", "-q", "--bare", "-b", "main", "a-first.git") // which is pushed first
			for _, site := range []string{"s00001", "s00002"} {
				require.NoError(t, os.WriteFile("sites/"+site+"/hosts.yaml", []byte(read(t, "sites/s00000/hosts.yaml")),
					0o644))
			}
			for _, site := range []string{"s00000", "s00002"} {
				edit(t, "sites/"+site+"/site.yaml", "fleet.git'", "a-first.git'")
			}
			git(t, "clone", "-q", "a-first.git", "foreign")
			need.Write(t, "foreign/sites/s00000/"+file, "kind: Secret\n")
			git(t, "-C", "foreign", "add", ".")
			git(t, "-C", "foreign", "commit", "-q", "-m", "foreign")
			git(t, "-C", "foreign", "push", "-q", "origin", "HEAD:main")
			const words = "sipgen: s00002: warning: SIP080: BareMetalHost metal3/n0: " +
				"Site s00001 of this run has the host"
			for _, command := range []string{"plan", "diff", "publish"} {
				_, _, said := ran(t, command, "--site", "sites/*/site.yaml")
				assert.Contains(t, said, words, command)
				assert.NotContains(t, said, "s00001: warning: SIP080", command)
			}
			assert.Contains(t, git(t, "-C", "fleet.git", "show",
				"main:sites/s00001/clusters/tenant-a/first/assignments.yaml"), "uid-0-0")
		})
	}
}

// TestHostIsCountedOnce: the commands that assign no host, or suppose another site, give a host to one Site as a plan
// does; one that no Site has, to the first by name (contract 35).
func TestHostIsCountedOnce(t *testing.T) {
	t.Setenv("SIPGEN_PREVIOUS", "")
	t.Chdir(t.TempDir())
	writeSites(t, 3)
	git(t, "init", "-q", "--bare", "-b", "main", "fleet.git")
	twin := read(t, "sites/s00001/hosts.yaml")
	require.NoError(t, os.WriteFile("sites/s00000/hosts.yaml", []byte(twin), 0o644))
	edit(t, "sites/s00001/first.yaml", "count: {active: 2}", "count: {active: 1}")
	code, _, said := ran(t, "publish", "--site", "sites/s00001/site.yaml")
	require.Equal(t, exitDone, code, said)
	of := func(command ...string) (out, said string) {
		t.Helper()
		_, out, said = ran(t, append(command, "--site", "sites/s0000[01]/site.yaml")...)
		return out, said
	}

	out, said := of("hosts", "-o", "csv")
	var found []string
	for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
		cells := strings.Split(line, ",")
		found = append(found, strings.Join(cells[:3], " "))
	}
	assert.Equal(t, []string{"s00000 metal3/n4 free", "s00001 metal3/n0 held", "s00001 metal3/n1 held",
		"s00001 metal3/n2 held", "s00001 metal3/n3 held"}, found, "n4 is in no tree")
	const other = "%s: warning: SIP080: BareMetalHost metal3/%s: Site %s of this run has the host"
	assert.Contains(t, said, fmt.Sprintf(other, "s00000", "n0", "s00001"))
	assert.Contains(t, said, fmt.Sprintf(other, "s00001", "n4", "s00000"))
	out, _ = of("hosts", "--state", "held", "-o", "json")
	assert.Equal(t, 4, strings.Count(out, `"host":`))

	out, _ = of("capacity", "-o", "json")
	assert.Equal(t, 1, strings.Count(out, `"total":1,`), out)
	assert.Equal(t, 1, strings.Count(out, `"total":4,`), out)
	_, said = of("capacity", "--min-free", "=2")
	assert.Contains(t, said, "s00000: --min-free \"\": found 1 free")

	out, said = of("plan", "--count", "tenant-a/first/Worker=1", "-o", "json")
	assert.Equal(t, 1, strings.Count(out, `"uid":"uid-1-0"`), "a slot in one Site")
	assert.Contains(t, said, "s00000: warning: SIP080: BareMetalHost metal3/n0")

	edit(t, "sites/s00001/first.yaml", "count: {active: 1}", "count: {active: 2}")
	code, _, said = ran(t, "publish", "--site", "sites/s00001/site.yaml")
	require.Equal(t, exitDone, code, said)
	_, said = of("tenants")
	assert.Contains(t, said, "sipgen: s00000: tenant-a/first: sites/s00000/first.yaml: document 1: line 9: "+
		"spec.services.loadBalancerControlPlane[0].nodeInterfaceId: network \"oam\": no host", "it has no hosts")
}
