package main

import (
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDangersAreTheSame: what a reviewer reads in the comment of a pull request is what the commit and every other
// command lists, in the same order. Each row changes the two-tenants example after its first commit.
func TestDangersAreTheSame(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../examples/two-tenants")))
	t.Chdir(dir)
	t.Setenv("HOME", dir)
	all := []string{"--site", "site.yaml", "-f", "tenants", "--inventory", "hosts", "--repo", "fleet.git"}
	sipgen := func(code int, args ...string) (out, said string) {
		t.Helper()
		found, out, said := ran(t, append(args, all...)...)
		require.Truef(t, found == code, "sipgen %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), found, code,
			out, said)
		return out, said
	}
	git(t, "init", "-q", "--bare", "-b", "main", "fleet.git")
	// A runner takes its inputs from the cluster; the flags name others.
	site := strings.NewReplacer("specs: [tenants]", "specs: [cluster]", "inventory: hosts", "inventory: cluster").
		Replace(read(t, "site.yaml")) + "  tenants:\n" +
		"  - {name: red, namespaces: [tenant-a], patches: any, hosts: {max: 10}, nodePorts: [{start: 30000, end: 30000}, {start: 30100, end: 30109}]}\n" +
		"  - {name: blue, namespaces: [tenant-b], hosts: {max: 10}, nodePorts: [{start: 30001, end: 30001}, {start: 30110, end: 30119}]}\n"
	edgeA, edgeB := read(t, "tenants/edge-a.yaml"), read(t, "tenants/edge-b.yaml")
	require.NoError(t, os.WriteFile("site.yaml", []byte(site), 0o644))
	const spec = "\nspec:\n"
	services := "  services:\n"
	bare, _, found := strings.Cut(edgeB, services)
	assert.Truef(t, found, "edge-b has no services")
	require.NoError(t, os.WriteFile("tenants/edge-b.yaml", []byte(bare), 0o644))
	sipgen(0, "publish")
	for _, row := range []struct {
		why, site string
		edgeA     func(string) string
		edgeB     string
		used      bool // the hosts are in use
		want      []string
	}{
		{why: "nothing"},
		{why: "a group that the guards do not restrict", site: "  breakGlassGroups: [ops]\n",
			want: []string{"danger: the policies that guard the hosts change"}},
		{why: "a writer of labels", site: "  labelGuard: {writers: [bob]}\n",
			want: []string{"danger: the policies that guard the hosts change"}},
		{why: "claims", site: "  hosts: {namespaces: [vino-system], claimNamespaces: [platform]}\n",
			want: []string{"danger: other namespaces may claim hosts"}},
		{why: "a runner", site: "  runner: {schedule: '*/10 * * * *', image: 'registry.example.org/sipgen:v1.0.0'}\n",
			want: []string{"danger: the runner changes"}},
		{why: "first services of a cluster", edgeB: edgeB, want: []string{
			"danger: tenant-b/edge-b: RoleBinding tenant-b.edge-b.infra is new: it gives rights to an account",
			"danger: tenant-b/edge-b: Service loadbalancer-controlplane-edge-b is new; it is reached at "}},
		{why: "patches", edgeA: func(spec string) string {
			return spec + "  patches:\n  - target: {kind: Deployment, name: loadbalancer-controlplane-edge-a}\n    patch: |-\n" +
				"      - {op: replace, path: /spec/replicas, value: 3}\n"
		}, want: []string{"danger: tenant-a/edge-a has patches (its tenant's grant is patches: any)",
			"danger: tenant-a/edge-a: Deployment loadbalancer-controlplane-edge-a changes: spec.replicas 2 → 3"}},
		{why: "more and fewer hosts", edgeA: func(spec string) string {
			return strings.Replace(spec, "active: 4", "active: 3", 1)
		}, want: []string{"change: 1 host that nothing uses is released: vino-system/"}},
		{why: "a cluster that goes", edgeA: func(spec string) string {
			return strings.Replace(spec, "\nmetadata:\n",
				"\nmetadata:\n  annotations: {sip.airshipit.org/decommission: tenant-a/edge-a, "+
					"sip.airshipit.org/accept-loss: \"9\"}\n", 1)
		}, want: []string{"danger: tenant-a/edge-a is being decommissioned: 9 hosts released: vino-system/"}},
		{why: "a host in use, before its machine is gone", used: true, edgeA: func(spec string) string {
			return strings.Replace(spec, "active: 4", "active: 3", 1)
		}, want: []string{"danger: tenant-a/edge-a Worker gives up 1 host that is IN USE: vino-system/"}},
		{why: "a cluster in use", used: true, edgeA: func(spec string) string {
			return strings.Replace(spec, "\nmetadata:\n",
				"\nmetadata:\n  annotations: {sip.airshipit.org/decommission: tenant-a/edge-a, "+
					"sip.airshipit.org/accept-loss: \"9\"}\n", 1)
		}, want: []string{"danger: tenant-a/edge-a is being decommissioned: 9 hosts IN USE, with release pending: vino-system/"}},
	} {
		use(t, row.used)
		require.NoError(t, os.WriteFile("site.yaml", []byte(site), 0o644))
		if strings.HasPrefix(row.site, "  hosts:") {
			require.NoError(t,
				os.WriteFile("site.yaml",
					[]byte(strings.Replace(site, "  hosts:\n    namespaces: [vino-system]\n", row.site, 1)), 0o644))
		} else if row.site != "" {
			require.NoError(t, os.WriteFile("site.yaml", []byte(strings.Replace(site, spec, spec+row.site, 1)), 0o644))
		}
		for name, text := range map[string]string{"edge-a": edgeA, "edge-b": bare} {
			if name == "edge-a" && row.edgeA != nil {
				text = row.edgeA(edgeA)
				assert.Truef(t, text != edgeA, "%s: the spec is as it was", row.why)
			}
			if name == "edge-b" && row.edgeB != "" {
				text = row.edgeB
			}
			require.NoError(t, os.WriteFile(filepath.Join("tenants", name+".yaml"), []byte(text), 0o644))
		}
		out, _ := sipgen(0, "plan", "-o", "json")
		var plan struct{ Dangers, Changes []string }
		require.NoError(t, json.Unmarshal([]byte(out), &plan))
		var want []string
		for _, words := range plan.Dangers {
			want = append(want, "danger: "+words)
		}
		for _, words := range plan.Changes {
			want = append(want, "change: "+words)
		}
		require.Truef(t, len(row.want) == 0 == (len(want) == 0), "%s: plan -o json has %q", row.why, want)
		for _, words := range row.want {
			assert.Contains(t, "\n"+strings.Join(want, "\n"), "\n"+words, row.why)
		}
		table, _ := sipgen(0, "plan")
		code := 1
		if len(want) == 0 {
			code = 0
		}
		_, difference := sipgen(code, "diff")
		_, dry := sipgen(0, "publish", "--dry-run")
		same := map[string]string{"plan": table, "diff": difference, "publish --dry-run": dry}
		if len(want) > 0 {
			sipgen(0, "publish", "--propose", "next")
			same["the commit"] = git(t, "-C", "fleet.git", "log", "-1", "--format=%B", "next")
			git(t, "-C", "fleet.git", "branch", "-q", "-D", "next")
		}
		for output, said := range same {
			var found []string
			for line := range strings.Lines(said) {
				line = strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "sipgen: ")
				if strings.HasPrefix(line, "danger: ") || strings.HasPrefix(line, "change: ") {
					found = append(found, line)
				}
			}
			assert.Equal(t, want, found, row.why+": "+output)
		}
		comment, _ := sipgen(0, "plan", "-o", "markdown")
		comment = strings.NewReplacer("`", "", `\`, "").Replace(html.UnescapeString(comment))
		page, _ := sipgen(0, "plan", "-o", "html")
		for _, words := range want {
			words = words[len("danger: "):]
			assert.Contains(t, comment, "\n- "+words+"\n", row.why+": the comment")
		}
		for _, words := range plan.Dangers {
			assert.Contains(t, html.UnescapeString(page), "danger: "+words, row.why+": the page")
		}
	}
}

// use has all hosts in use, or none.
func use(t *testing.T, used bool) {
	t.Helper()
	files, err := filepath.Glob("hosts/*.yaml")
	require.NoError(t, err)
	was, is := "state: available", "state: provisioned"
	if !used {
		was, is = is, was
	}
	for _, file := range files {
		require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(read(t, file), was, is)), 0o644))
	}
}
