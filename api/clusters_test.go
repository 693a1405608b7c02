package api

import (
	"fmt"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const goodCluster = `apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata:
  namespace: lab
  name: one
spec:
  nodes:
    Worker:
      labelSelector:
        matchLabels:
          size: large
      topologyKey: rack
      count:
        active: 1
`

func parse(t *testing.T, text string) ([]v1.SIPCluster, error) {
	t.Helper()
	docs, err := manifest.Parse("f.yaml", []byte(text))
	require.NoError(t, err)
	return ClustersFromDocuments(docs)
}

// Specs as they were written for the SIP operator: its field names, a stray nodePort, auth, no count, a status.
func TestSpecsForTheSIPOperatorLoad(t *testing.T) {
	clusters, err := parse(t, `
apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {name: sipcluster-system, namespace: sipcluster-system, finalizers: [sip.airship.airshipit.org/finalizer]}
spec:
  nodes:
    ControlPlane:
      labelSelector: {matchLabels: {vino.airshipit.org/flavor: control-plane}}
      topologyKey: vino.airshipit.org/rack
      count: {active: 1, standby: 1}
    Worker:
      labelSelector: {matchExpressions: [{key: vino.airshipit.org/flavor, operator: In, values: [worker]}]}
      topologyKey: kubernetes.io/hostname
  services:
    loadBalancerControlPlane:
    - {image: haproxy:2.3.2, nodeLabels: {node-type: infra}, nodePort: 30000, nodeInterfaceId: oam-ipv4, clusterIP: 10.96.0.7}
    loadBalancerWorker:
    - {image: haproxy:2.3.2, nodePort: 30001, nodePortRange: {start: 30002, end: 30010}, nodeInterfaceId: oam-ipv4}
    jumpHost:
    - {image: quay.io/airshipit/jump-host, nodePort: 30011, nodeInterfaceId: oam-ipv4, bmc: {proxy: false}, sshAuthorizedKeys: [],
       nodeSSHPrivateKeys: keys}
    auth: [{image: 'auth:1'}]
status: {conditions: []}
`)
	require.NoError(t, err)
	c := clusters[0]
	worker := c.Spec.Nodes[v1.RoleWorker]
	active, standby := worker.Want()
	assert.Truef(t, active == 0 && standby == 0, "a missing count wants %d and %d, want none", active, standby)
	found := c.Networks(v1.RoleControlPlane)
	assert.Truef(t, len(found) == 1 && found[0] == "oam-ipv4", "found networks %v", found)
	assert.Equal(t, 9, c.Spec.Services.LoadBalancerWorker[0].NodePortRange.Len())
}

func TestBadClusters(t *testing.T) {
	for name, c := range map[string]struct{ old, text, want string }{
		"another version": {"airshipit.org/v1", "airshipit.org/v2",
			`f.yaml: document 1: line 1: apiVersion: found "airship.airshipit.org/v2", want "airship.airshipit.org/v1"`},
		"another kind": {"kind: SIPCluster", "kind: SIPClusters",
			`line 2: kind: found "SIPClusters", want "SIPCluster"`},
		"no kind at all": {"apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\n", "",
			`no apiVersion and no kind`},
		"an apiVersion alone": {"kind: SIPCluster\n", "",
			`f.yaml: document 1: line 1: kind: missing, want "SIPCluster" or another object's`},
		"another's version alone": {"apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\n",
			"apiVersion: airship.airshipit.org/v2\n", `f.yaml: document 1: line 1: kind: missing, want "SIPCluster"`},
		"a name that is a path": {"name: one", "name: ../one", `line 5: metadata.name: found "../one"`},
		"a name with a line end": {"name: one", `name: "one\ntwo"`,
			`metadata.name: found a value of 7 characters (not shown): a lowercase RFC 1123 label`},
		"no name":                {"  name: one\n", "", `line 3: metadata.name: missing`},
		"a namespace with a dot": {"namespace: lab", "namespace: a.b", `metadata.namespace: found "a.b"`},
		"a role that is no label": {"Worker:", `"Work er":`,
			`line 8: spec.nodes["Work er"]: the role's name becomes a label value: found "Work er", want at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends; did you mean "Worker"?`},
		"a role that is too long": {"Worker:", strings.Repeat("w", 64) + ":",
			`with a letter or digit at both ends`},
		"an operator not known": {"matchLabels:\n          size: large",
			"matchExpressions: [{key: a, operator: Near}]",
			`spec.nodes.Worker.labelSelector: not a valid selector: "Near" is not a valid label selector operator, want In, NotIn, Exists or DoesNotExist`},
		"a topology key no label": {"topologyKey: rack", "topologyKey: a b",
			`spec.nodes.Worker.topologyKey: found "a b"`},
		"a namespace twice": {"topologyKey: rack",
			"topologyKey: rack\n      hostNamespaces: [metal3, metal3]",
			`spec.nodes.Worker.hostNamespaces[1]: "metal3" is a duplicate`},
		"a namespace that is a path": {"topologyKey: rack",
			"topologyKey: rack\n      hostNamespaces: [../kube-system]",
			`spec.nodes.Worker.hostNamespaces[0]: found "../kube-system"`},
		"a namespace as a label": {"size: large", "metadata.namespace: metal3",
			`spec.nodes.Worker.labelSelector.matchLabels: metadata.namespace is not a label: want hostNamespaces`},
		"one as an expression": {"matchLabels:\n          size: large",
			"matchExpressions: [{key: metadata.namespace, operator: Exists}]",
			`labelSelector.matchExpressions[0].key: metadata.namespace is not a label: want hostNamespaces`},
		"both topology keys": {"topologyKey: rack", "topologyKey: rack\n      topologyKeys: [row]",
			`spec.nodes.Worker.topologyKeys: not together with topologyKey`},
		"a topology key twice": {"topologyKey: rack", "topologyKeys: [row, row]",
			`topologyKeys[1]: "row" is a duplicate`},
		"no hardware": {"topologyKey: rack", "topologyKey: rack\n      hardware: {}",
			`spec.nodes.Worker.hardware: found no requirement, want at least one of cpus, memory, architecture, vendor, model, disks, nics`},
		"no vendor": {"topologyKey: rack",
			"topologyKey: rack\n      hardware: {cpus: 1, vendor: ' '}",
			`spec.nodes.Worker.hardware.vendor: found an empty name, want one that metal3 reports`},
		"a list without a vendor": {"topologyKey: rack", "topologyKey: rack\n      hardware: {vendor: []}",
			`spec.nodes.Worker.hardware: found no requirement`},
		"a model that is a number": {"topologyKey: rack", "topologyKey: rack\n      hardware: {model: 740}",
			`line 13: spec.nodes.Worker.hardware.model: found a whole number, want a string, or a list of strings`},
		"a number among models": {"topologyKey: rack", "topologyKey: rack\n      hardware: {model: [R640, 740]}",
			`line 13: spec.nodes.Worker.hardware.model[1]: found a whole number, want a string`},
		"a mapping among vendors": {"topologyKey: rack",
			"topologyKey: rack\n      hardware: {vendor: [{a: b}, HPE]}",
			`spec.nodes.Worker.hardware.vendor[0]: found a mapping, want a string`},
		"a model of two lines": {"topologyKey: rack",
			"topologyKey: rack\n      hardware: {model: [R640, \"R\\n740\"]}",
			`spec.nodes.Worker.hardware.model[1]: found a character that cannot be printed`},
		"no amount of memory": {"topologyKey: rack", "topologyKey: rack\n      hardware: {memory: 256GiB}",
			`spec.nodes.Worker.hardware.memory: `},
		"less than no memory": {"topologyKey: rack", "topologyKey: rack\n      hardware: {memory: -1Gi}",
			`spec.nodes.Worker.hardware.memory: found -1Gi, want more than 0`},
		"a disk of another type": {"topologyKey: rack",
			"topologyKey: rack\n      hardware: {disks: [{}, {type: NVMe}]}",
			`spec.nodes.Worker.hardware.disks[1].type: found "NVMe", want hdd, ssd or nvme, did you mean "nvme"?`},
		"a disk of less than nothing": {"topologyKey: rack", "topologyKey: rack\n      hardware: {disks: [{size: -1}]}",
			`spec.nodes.Worker.hardware.disks[0].size: found -1, want more than 0`},
		"maxPerDomain by itself": {"topologyKey: rack", "maxPerDomain: 2", `maxPerDomain: needs topologyKey`},
		"a spread of nothing": {"topologyKey: rack", "spread: {}",
			`spec.nodes.Worker.spread.topologyKey: missing, want the label of the domains, as in topology.kubernetes.io/rack`},
		"maxPerDomain of several": {"topologyKey: rack", "topologyKeys: [row, rack]\n      maxPerDomain: 2",
			`maxPerDomain: needs topologyKey, the label whose values are the domains; with topologyKeys, use maxPerDomainByKey`},
		"a limit by no key": {"topologyKey: rack",
			"topologyKeys: [row, rack]\n      maxPerDomainByKey: {zone: 2}",
			`spec.nodes.Worker.maxPerDomainByKey: "zone" is not a topology key of the role`},
		"both kinds of limits": {"topologyKey: rack",
			"topologyKey: rack\n      maxPerDomain: 2\n      maxPerDomainByKey: {rack: 2}",
			`spec.nodes.Worker.maxPerDomainByKey: not together with maxPerDomain`},
		"a limit that is a text": {"topologyKey: rack",
			"topologyKeys: [row, rack]\n      maxPerDomainByKey: {row: two}",
			`spec.nodes.Worker.maxPerDomainByKey.row: `},
	} {
		t.Run(name, func(t *testing.T) {
			require.Truef(t, strings.Contains(goodCluster, c.old), "no %q in the good cluster", c.old)
			_, err := parse(t, strings.Replace(goodCluster, c.old, c.text, 1))
			need.Error(t, "", err, c.want)
		})
	}
	_, err := parse(t, goodCluster)
	require.NoError(t, err)
}

// TestOneMessageAValue: a value that is wrong in two ways, or a second time, is said once.
func TestOneMessageAValue(t *testing.T) {
	for _, row := range []struct{ spec, at, want string }{
		{`nodes: {Worker: {hostNamespaces: ["A b", "A b"]}}`, "nodes.Worker.hostNamespaces[1]", `"A b" is a duplicate`},
		{`nodes: {Worker: {topologyKeys: ["A b", "A b"]}}`, "nodes.Worker.topologyKeys[1]", `"A b" is a duplicate`},
		{`services: {dex: [{connectors: [{id: "A b"}, {id: "A b"}]}]}`, "services.dex[0].connectors[1].id",
			`"A b" is the id of connectors[0] already`},
		{`services: {dex: [{connectors: [{name: x}, {name: x}]}]}`, "services.dex[0].connectors[1].id", "missing"},
		{`services: {dex: [{staticClients: [{id: "A b"}, {id: "A b"}]}]}`, "services.dex[0].staticClients[1].id",
			`found "A b", want letters, digits and ._-`},
		{`services: {dex: [{staticClients: [{name: x}, {name: x}]}]}`, "services.dex[0].staticClients[1].id",
			"missing"},
		{`services: {dex: [{staticClients: [{id: x}, {id: x}]}]}`, "services.dex[0].staticClients[1].id",
			`"x" is a duplicate`},
		{`services: {auth: [{networkAttachments: [{name: x, interface: "A ` + strings.Repeat("b", 20) + `"}]}]}`,
			"services.auth[0].networkAttachments[0].interface",
			"found 22 characters, want at most 15: an interface name of at most 15 letters, digits and ._-"},
		{`services: {loadBalancerControlPlane: [{healthCheck: {path: "A ` + strings.Repeat("b", 200) + `"}}]}`,
			"services.loadBalancerControlPlane[0].healthCheck.path",
			"found 202 characters, want at most 200: an absolute path of letters, digits and ._~/?=&-"},
	} {
		_, err := parse(t, "apiVersion: "+v1.APIVersion+
			"\nkind: SIPCluster\nmetadata: {namespace: a, name: b}\nspec: {"+row.spec+"}\n")
		var found []string
		for line := range strings.SplitSeq(fmt.Sprint(err), "\n") {
			if _, words, is := strings.Cut(line, ": spec."+row.at+": "); is {
				found = append(found, words)
			}
		}
		assert.Equal(t, []string{row.want}, found, row.at)
	}
}

func TestOtherKindsAreLeftAlone(t *testing.T) {
	clusters, err := parse(t, goodCluster+"---\napiVersion: v1\nkind: Secret\nmetadata: {name: x}\n")
	assert.Truef(t, err == nil && len(clusters) == 1, "found %d clusters, %v", len(clusters), err)
}

func TestClustersAreSortedAndUnique(t *testing.T) {
	two := strings.Replace(goodCluster, "name: one", "name: a-two", 1)
	clusters, err := parse(t, goodCluster+"---\n"+two)
	assert.Truef(t, err == nil && clusters[0].Name == "a-two", "found %v, %v", clusters, err)
	_, err = parse(t, goodCluster+"---\n"+goodCluster)
	want := "f.yaml: document 2: line 20: metadata.name: SIPCluster lab/one is a duplicate, first defined at f.yaml: document 1: line 1: delete one of them, or rename it"
	assert.Truef(t, err != nil && err.Error() == want, "found %v\nwant  %s", err, want)
}

// TestAnnotations: a cluster leaves by its own name alone, and a loss is accepted by a number.
func TestAnnotations(t *testing.T) {
	for _, row := range []struct {
		annotation, wrong string
		leaves            bool
		accepts           int
	}{
		{"{}", "", false, -1},
		{v1.DecommissionAnnotation + ": lab/one", "", true, -1},
		{v1.DecommissionAnnotation + ": lab/two",
			`decommission]: found "lab/two", want the cluster's own name, "lab/one", or no annotation`, false, -1},
		{v1.DecommissionAnnotation + `: ""`, `decommission]: found "", want`, false, -1},
		{v1.AcceptLossAnnotation + `: "3"`, "", false, 3},
		{v1.AcceptLossAnnotation + ": three", `accept-loss]: found "three", want how many hosts may go, as a number`,
			false, -1},
		{v1.AcceptLossAnnotation + `: "-3"`, `accept-loss]: found "-3", want`, false, -1},
	} {
		docs, err := manifest.Parse("f.yaml",
			[]byte(strings.Replace(goodCluster, "  name: one\n",
				"  name: one\n  annotations:\n    "+row.annotation+"\n", 1)))
		require.NoError(t, err)
		found := DecodeClusters(docs)[0]
		var wrong string
		for _, err := range found.Errs {
			wrong += err.Error()
		}
		assert.Truef(t, (row.wrong == "") == (wrong == "") && strings.Contains(wrong, row.wrong),
			"%s: found %q, want %q", row.annotation, wrong, row.wrong)
		assert.Truef(t, found.Cluster.Leaves() == row.leaves && found.Cluster.AcceptedLoss() == row.accepts,
			"%s: leaves %t and accepts %d", row.annotation, found.Cluster.Leaves(), found.Cluster.AcceptedLoss())
	}
}

// TestLeavesWithoutASpec: a document that cannot be decoded lets its cluster leave, if its metadata can be read.
func TestLeavesWithoutASpec(t *testing.T) {
	for _, row := range []struct {
		why, kind, metadata, spec string
		leaves                    bool
		accepts                   int
	}{
		{"an unknown field", "SIPCluster", "annotations: {%s: a/b, %s: '2 rack 7'}", "node: {}", true, 2},
		{"a wrong kind", "SIPClustr", "annotations: {%s: a/b}", "nodes: {}", true, -1},
		{"a list that is too long", "SIPCluster", "annotations: {%s: a/b}",
			"nodes: {Worker: {topologyKeys: [" + strings.Repeat("k, ", 9) + "]}}", true, -1},
		{"another annotation is a number", "SIPCluster", "annotations: {%s: a/b, %s: 2}", "nodes: {}", true, -1},
		{"it is being deleted", "SIPCluster", "deletionTimestamp: '2026-01-01T00:00:00Z'", "node: {}", true, -1},
		{"another cluster's name", "SIPCluster", "annotations: {%s: a/c}", "node: {}", false, 0},
		{"a time that is none", "SIPCluster", "deletionTimestamp: soon", "node: {}", false, 0},
		{"annotations that are none", "SIPCluster", "annotations: '%s: a/b'", "node: {}", false, 0},
		{"nothing of it", "SIPCluster", "labels: {a: b}", "node: {}", false, 0},
		{"a spec that can be decoded", "SIPCluster", "annotations: {%s: a/b}", "nodes: {}", false, 0},
	} {
		metadata := row.metadata
		for _, key := range []string{v1.DecommissionAnnotation, v1.AcceptLossAnnotation} {
			metadata = strings.Replace(metadata, "%s", key, 1)
		}
		docs, err := manifest.Parse("a.yaml", []byte("apiVersion: airship.airshipit.org/v1\nkind: "+row.kind+
			"\nmetadata: {namespace: a, name: b, "+metadata+"}\nspec: {"+row.spec+"}\n"))
		require.NoError(t, err)
		found := DecodeClusters(docs)[0]
		c := found.Leaving()
		assert.Truef(t, (c != nil) == row.leaves, "%s: leaving is %v, want %t", row.why, c, row.leaves)
		if c != nil {
			assert.Equal(t, "a/b", c.Key(), row.why)
			assert.Equal(t, row.accepts, c.AcceptedLoss(), row.why)
		}
	}
}

// TestLimitsComeFirst: what a spec with too much asks for is not looked at any more.
func TestLimitsComeFirst(t *testing.T) {
	for n, left := range map[int]bool{8: true, 9: false} {
		var keys []string
		for i := range n {
			keys = append(keys, fmt.Sprint("k", i))
		}
		docs, err := manifest.Parse("a.yaml",
			[]byte("apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: a, name: b}\nspec: {nodes: {Worker: {topologyKeys: ["+strings.Join(keys, ", ")+"]}}}\n"))
		require.NoError(t, err)
		if found := DecodeClusters(docs); len(found) != 1 || (found[0].Cluster != nil) != left {
			t.Errorf("%d keys: found %+v, want a cluster: %t", n, found, left)
		}
	}
}

// TestFirstProblems: of a spec in which everything is wrong, the first problems are said, and how many more there are.
func TestFirstProblems(t *testing.T) {
	cluster := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b"}}
	for n, want := range map[int]string{200: "spec: and 180 more problems", 21: "spec: and 1 more problem"} {
		cluster.Spec.Services.JumpHost = []v1.JumpHost{{NodeInterface: "oam", SSHAuthorizedKeys: make([]string, n)}}
		errs := validation.ValidateCluster(&cluster)
		if len(errs) != validation.MaxProblems+1 || errs[0].Path != "spec.services.jumpHost[0].sshAuthorizedKeys[0]" ||
			errs[validation.MaxProblems].Error() != want {
			t.Errorf("found %d: %v", len(errs), errs[len(errs)-1])
		}
	}
	text := "apiVersion: " + v1.APIVersion + "\nkind: SIPCluster\nmetadata: {namespace: a, name: b}\nspec:\n"
	for why, row := range map[string]struct{ before, each, after, one, many string }{
		"unknown fields":   {"  nodes: {W: {", "x%d: 1, ", "}}", "and 1 more problem", "and 40 more problems"},
		"values of a type": {"  services: {jumpHost: [", "%d, ", "]}", "and 1 more problem", "and 40 more problems"},
		"open secrets": {"  nodes: {W: {labelSelector: {matchExpressions: [{key: a, operator: In, values: [",
			"ghp_0123456789012345678901234567%08d, ", "]}]}}}",
			"and 1 more value like this", "and 40 more values like these"},
	} {
		for n, want := range map[int]string{60: row.many, 21: row.one} {
			spec := row.before
			for i := range n {
				spec += fmt.Sprintf(row.each, i)
			}
			_, err := ParseClusters("a.yaml", []byte(text+spec+row.after))
			assert.Truef(t,
				err != nil && strings.HasSuffix(err.Error(), want) && strings.Count(err.Error(),
					"\n") <= 2*validation.MaxProblems,
				"%s: got %v, want %q at its end", why, err, want)
		}
	}
}

// TestWarnsOfATimeOfDeletion: a file that has one releases hosts, and says so. A live object has it from the API
// server.
func TestWarnsOfATimeOfDeletion(t *testing.T) {
	clusters, err := ParseClusters("a.yaml",
		[]byte("apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata:\n  namespace: a\n  name: a\n  deletionTimestamp: \"2026-01-02T03:04:05Z\"\nspec: {}\n"))
	require.NoError(t, err)
	found := validation.Warnings(&clusters[0])
	require.Truef(t, len(found) == 1, "got %v, want one warning", found)
	got := clusters[0].Problem(found[0].Path, "%s", found[0].Message).Error()
	assert.Truef(t, strings.HasPrefix(got, "a.yaml: document 1: line 6: metadata.deletionTimestamp: a/a: "), "got %s",
		got)
	clusters[0].Document.Live = true
	assert.Len(t, validation.Warnings(&clusters[0]), 0, "a live object: got")
}
