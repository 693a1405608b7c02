package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/fleet"
)

// writeSites writes the Sites of a fleet into the present folder, each with 5 hosts and a cluster with three services,
// and returns their names. The BMCs and networks of all Sites have the same addresses.
func writeSites(tb testing.TB, sites int) (names []string) {
	tb.Helper()
	here, err := os.Getwd()
	require.NoError(tb, err)
	for i := range sites {
		name := fmt.Sprintf("s%05d", i)
		names = append(names, name)
		folder := filepath.Join("sites", name)
		require.NoError(tb, os.MkdirAll(folder, 0o755))
		var hosts bytes.Buffer
		for j := range 5 {
			kind := "cp"
			if j > 2 {
				kind = "wk"
			}
			fmt.Fprintf(&hosts, `---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  namespace: metal3
  name: n%[1]d
  uid: uid-%[2]d-%[1]d
  labels: {kind: %[3]s, rack: r%[1]d}
  managedFields:
  - {manager: people, operation: Update, apiVersion: metal3.io/v1alpha1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {}}}
spec:
  online: true
  bmc: {address: "redfish://10.0.0.%[4]d/redfish/v1/Systems/1", credentialsName: bmc-%[1]d}
  bootMACAddress: 02:00:00:00:00:0%[4]d
  networkData: {name: net-%[1]d}
status:
  {operationalStatus: OK, errorCount: 0, errorMessage: "", poweredOn: true, provisioning: {ID: "", state: available}}
---
apiVersion: v1
kind: Secret
metadata: {name: net-%[1]d, namespace: metal3}
type: Opaque
stringData:
  networkData: |
    links:
    - {id: nic0, type: phy, ethernet_mac_address: "02:00:00:00:00:0%[4]d"}
    networks:
    - {id: oam, type: ipv4, link: nic0, ip_address: 10.1.0.%[4]d, netmask: 255.255.255.0}
    services: []
`, j, i, kind, j+1)
		}
		for file, text := range map[string]string{
			"site.yaml": fmt.Sprintf(`apiVersion: sipgen.airshipit.org/v1alpha1
kind: Site
metadata: {name: %[1]s, labels: {wave: "%[2]d"}}
spec:
  repository: {url: 'file://%[3]s/fleet.git', path: sites/%[1]s}
  inputs: {specs: [first.yaml], inventory: hosts.yaml}
  hosts: {namespaces: [metal3]}
  images: {haproxy: "registry.example.org/haproxy:3.2.1", jumpHost: "registry.example.org/jump-host:1"}
`, name, i%10, here),
			"first.yaml": `apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: tenant-a, name: first}
spec:
  nodes:
    ControlPlane: {labelSelector: {matchLabels: {kind: cp}}, topologyKey: rack, count: {active: 3}}
    Worker: {labelSelector: {matchLabels: {kind: wk}}, count: {active: 2}}
  services:
    loadBalancerControlPlane: [{nodeInterfaceId: oam, nodePort: 30001}]
    loadBalancerWorker: [{nodeInterfaceId: oam, nodePortRange: {start: 30010, end: 30011}}]
    jumpHost:
    - nodeInterfaceId: oam
      nodePort: 30003
      sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJV2sKLfRsLRTfHnVKDiL/cHSNFxW3vGdnpYOZjJQIZX a@b]
`,
			"hosts.yaml": hosts.String(),
		} {
			require.NoError(tb, os.WriteFile(filepath.Join(folder, file), []byte(text), 0o644))
		}
	}
	return names
}

// TestFleetIsAsManyRuns: several Sites in one run are as many runs (contract 33): each Site's lines are those of its
// own run, whatever the command and the format, and a Site with a fault changes nothing for the others.
func TestFleetIsAsManyRuns(t *testing.T) {
	t.Setenv("SIPGEN_PREVIOUS", "")
	t.Chdir(t.TempDir())
	names := writeSites(t, 7)
	git(t, "init", "-q", "--bare", "-b", "main", "fleet.git")
	for _, name := range names[:5] { // two are new
		code, _, said := ran(t, "publish", "--site", "sites/"+name+"/site.yaml")
		require.Equal(t, exitDone, code, said)
	}
	edit(t, "sites/s00001/first.yaml", "active: 2", "active: 3")                       // short
	edit(t, "sites/s00002/first.yaml", "nodePort: 30001", "nodePort: 1")               // frozen
	edit(t, "sites/s00003/site.yaml", "spec:", "spec:\n  nothing: 1")                  // fails
	edit(t, "sites/s00004/hosts.yaml", `"redfish://10.0.0.1/`, `"redfish://10.0.0.2/`) // a finding
	edit(t, "sites/s00005/site.yaml", "haproxy:3.2.1", "haproxy:3.2.2")                // new, and others
	edit(t, "sites/s00000/site.yaml", "haproxy:3.2.1", "haproxy:3.2.2")                // changed
	for _, command := range []string{"plan -o wide", "plan -o json", "plan tenant-a/first -o wide",
		"lint", "lint -o json", "lint -o github", "diff", "diff -o json", "diff -o markdown", "status", "status -o json", "hosts",
		"hosts -o csv", "capacity --by kind", "capacity -o json", "history tenant-a/first", "history n1 -o json", "tenants",
		"tenants -o json", "plan --without rack=r1"} {
		args := strings.Fields(command)
		format := "table"
		if at := len(args) - 1; at > 0 && args[at-1] == "-o" {
			format = args[at]
		}
		var wantOut, wantSaid strings.Builder
		var tally fleet.Tally
		for i, name := range names {
			code, out, said := ran(t, append(args, "--site", "sites/"+name+"/site.yaml")...)
			tally.Add(name, code)
			if format == "json" && out == "" {
				fault := siteFault{"sipgen.airshipit.org/v1alpha1", "Fault", name, []string{}}
				for line := range strings.Lines(said) {
					if !strings.HasPrefix(line, "sipgen: hint: ") {
						fault.Errors = append(fault.Errors, strings.TrimSpace(strings.TrimPrefix(line, "sipgen: ")))
					}
				}
				text, err := json.Marshal(fault)
				require.NoError(t, err)
				out = string(text) + "\n"
			} else if format == "json" {
				var line bytes.Buffer
				require.NoError(t, json.Compact(&line, []byte(out)), command)
				if out = line.String() + "\n"; !strings.Contains(out, `"site":`) {
					out = `{"site":"` + name + `",` + out[1:]
				}
			}
			switch {
			case out == "" || format == "json" || format == "github":
			case format == "csv":
				rows := strings.SplitAfter(strings.TrimSuffix(out, "\n"), "\n")
				if i == 0 {
					wantOut.WriteString("SITE," + rows[0])
				}
				out = name + "," + strings.Join(rows[1:], name+",") + "\n"
			case format == "markdown":
				out = "## Site " + name + "\n\n" + out + "\n"
			default:
				out = "Site " + name + "\n" + out + "\n"
			}
			wantOut.WriteString(out)
			wantSaid.WriteString(strings.ReplaceAll("\n"+said, "\nsipgen: ", "\nsipgen: "+name+": ")[1:])
		}
		code, out, said := ran(t, append(args, "--site", "sites/*/site.yaml")...)
		if plans := []string{"plan -o", "plan tenant", "lint", "diff"}; slices.ContainsFunc(plans, func(p string) bool {
			return strings.HasPrefix(command, p)
		}) { // equal addresses of BMCs are one line, and no other
			shared := "sipgen: warning: 5 BMC addresses are at several Sites (s00000, "
			at := strings.Index(said, shared)
			if assert.GreaterOrEqual(t, at, 0, command+": "+said) {
				end := at + strings.Index(said[at:], "\n") + 1
				said = said[:at] + said[end:]
			}
		}
		if command == "plan -o json" { // the review is last
			last := strings.LastIndex(strings.TrimSuffix(out, "\n"), "\n") + 1
			assert.Contains(t, out[last:], `"kind":"Review","sites":7,"changed":5,"failed":1,`)
			out = out[:last]
		}
		assert.Equal(t, wantOut.String(), out, command)
		assert.Equal(t, wantSaid.String()+"sipgen: "+tally.String()+"\n", said, command)
		assert.Equal(t, tally.Code(), code, command)
	}
}

// TestInOrder: at most so many Sites run or wait for their turn, their results are handed over by name, and nothing
// begins after an error.
func TestInOrder(t *testing.T) {
	sites := make([]fleet.Site, 40)
	for i := range sites {
		sites[i].Name = fmt.Sprintf("s%02d", i)
	}
	for _, most := range []int{1, 3, 50} {
		var kept, beyond atomic.Int64
		var order []string
		err := inOrder(t.Context(), sites, most, func(_ context.Context, s *fleet.Site) *siteOutput {
			if kept.Add(1) > int64(most) {
				beyond.Add(1)
			}
			time.Sleep(time.Duration(len(s.Name)*7%5) * time.Microsecond)
			return &siteOutput{site: s, code: exitFinding}
		}, func(done *siteOutput) error {
			kept.Add(-1)
			order = append(order, done.site.Name)
			return nil
		})
		require.NoError(t, err)
		assert.Len(t, order, len(sites))
		assert.IsIncreasing(t, order)
		assert.Zero(t, beyond.Load(), "Sites that ran or waited beyond %d", most)
	}
	var began atomic.Int64
	full := errors.New("full")
	err := inOrder(t.Context(), sites, 2, func(_ context.Context, s *fleet.Site) *siteOutput {
		began.Add(1)
		return &siteOutput{site: s}
	}, func(*siteOutput) error { return full })
	assert.ErrorIs(t, err, full)
	assert.LessOrEqual(t, began.Load(), int64(2))
	ended, end := context.WithCancel(t.Context())
	end()
	err = inOrder(ended, sites, 2, func(_ context.Context, s *fleet.Site) *siteOutput { return &siteOutput{site: s} },
		func(*siteOutput) error { return nil })
	assert.ErrorIs(t, err, context.Canceled)
}

// TestFleetPublish: the Sites of one branch are one commit (contract 33), with the trees that each Site's own run
// makes. A Site with a fault keeps its tree (contract 34), and the commit and the exit code say so.
func TestFleetPublish(t *testing.T) {
	t.Setenv("SIPGEN_PREVIOUS", "")
	t.Chdir(t.TempDir())
	names := writeSites(t, 6)
	publish := func(want int, args ...string) (out, said string) {
		t.Helper()
		code, out, said := ran(t, append([]string{"publish", "--site", "sites/*/site.yaml"}, args...)...)
		require.Equal(t, want, code, said)
		return out, said
	}
	tree := func(at string) string { return git(t, "-C", "fleet.git", "rev-parse", at) }
	alone := func(sites ...string) string { // the tree that single runs make on top of the branch
		t.Helper()
		for _, name := range sites {
			code, _, said := ran(t, "publish", "--site", "sites/"+name+"/site.yaml")
			require.NotEqual(t, exitError, code, said)
		}
		return tree("main:")
	}
	back := func(to string) { git(t, "-C", "fleet.git", "update-ref", "refs/heads/main", strings.TrimSpace(to)) }
	git(t, "init", "-q", "--bare", "-b", "main", "fleet.git")
	edit(t, "sites/s00005/site.yaml", "fleet.git'", "other.git'") // another repository
	git(t, "init", "-q", "--bare", "-b", "main", "other.git")

	out, said := publish(exitDone)
	first := tree("main")
	assert.Equal(t, first, strings.SplitAfter(out, "\n")[0])
	assert.Contains(t, said, "sipgen: 6 Sites\n")
	assert.Equal(t, "1\n", git(t, "-C", "fleet.git", "rev-list", "--count", "main"))
	assert.Equal(t, "1\n", git(t, "-C", "other.git", "rev-list", "--count", "main"))
	together := tree("main:")
	git(t, "-C", "fleet.git", "update-ref", "-d", "refs/heads/main")
	assert.Equal(t, alone(names[:5]...), together)
	back(first)

	_, said = publish(exitDone)
	assert.Contains(t, said, "nothing to commit, up to date at "+first)

	edit(t, "sites/s00000/first.yaml", "active: 2", "active: 3")            // short: the rest is written
	edit(t, "sites/s00001/site.yaml", "spec:", "spec:\n  nothing: 1")       // fails
	require.NoError(t, os.WriteFile("sites/s00002/hosts.yaml", nil, 0o644)) // loses its hosts
	for _, name := range names[2:5] {
		edit(t, "sites/"+name+"/site.yaml", "haproxy:3.2.1", "haproxy:3.2.2")
	}
	_, out, _ = ran(t, "plan", "--site", "sites/*/site.yaml")
	assert.Regexp(t, `^6 sites: 3 changed, 1 unchanged, 2 failed; `, out, "as publish has it")
	_, said = publish(exitFinding, "--dry-run")
	assert.Contains(t, said, "nothing is pushed")
	assert.Equal(t, first, tree("main"))
	_, said = publish(exitFinding)
	assert.Contains(t, said, "; 1 with findings: s00000; 2 failed: s00001, s00002\n")
	together = tree("main:")
	message := git(t, "-C", "fleet.git", "log", "-1", "--format=%B", "main")
	assert.Regexp(t, `^5 sites: 3 changed, 0 unchanged, 2 failed; .*\n\n`, message)
	assert.Regexp(t, `(?m)^danger: s00000: `, message)
	assert.Regexp(t, `(?m)^2 sites \(s00003, s00004\):$`, message)
	assert.Regexp(t, `(?m)^s00003: 1 cluster, 5 hosts assigned \(0 new\)\. \d+ files changed$`, message)
	assert.Equal(t, tree(first[:40]+":sites/s00002"), tree("main:sites/s00002"))
	back(first)
	assert.Equal(t, alone("s00000", "s00003", "s00004"), together)

	// A proposal is one fleet's, and replaced by the next.
	back(first)
	publish(exitFinding, "--propose", "fleet")
	assert.Equal(t, together, tree("fleet:"))
	assert.Equal(t, first, tree("main"))
	edit(t, "sites/s00003/site.yaml", "haproxy:3.2.2", "haproxy:3.2.3")
	publish(exitFinding, "--propose", "fleet")
	assert.Equal(t, first, tree("fleet^"))
	code, _, said := ran(t, "publish", "--site", "sites/s00003/site.yaml", "--propose", "fleet")
	assert.Equal(t, exitError, code, "a Site's proposal in place of the fleet's: %s", said)
}

// TestLossFlag: a wrong number is an error, and is never taken for none.
func TestLossFlag(t *testing.T) {
	for _, row := range []struct {
		given []string
		want  string
	}{
		{[]string{"3"}, ""},
		{[]string{"0"}, ""},
		{[]string{"dc1=3", "dc2=0", "dc1=3"}, ""},
		{[]string{"-1"}, "want a whole number of hosts"},
		{[]string{"dc1=-1"}, "want a whole number of hosts"},
		{[]string{"dc1=x"}, "want a whole number of hosts"},
		{[]string{"dc1="}, "want a whole number of hosts"},
		{[]string{"1.5"}, "want a whole number of hosts"},
		{[]string{"99999999999"}, "want a whole number of hosts"},
		{[]string{"dc1=1", "dc1=2"}, "want one number for a Site, and it has 1 already"},
	} {
		var losses lossFlag
		var err error
		for _, text := range row.given {
			err = errors.Join(err, losses.Set(text))
		}
		need.Error(t, row.given, err, row.want)
	}
}
