package validation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const repositoryLine = "  repository: {url: 'https://git.example.org/a.git'}\n"

func TestTenantsHaveDefaults(t *testing.T) {
	site, err := parse(t, repositoryLine+
		"  maxHostsPerTenant: 7\n  tenants:\n  - {name: bank, namespaces: [bank]}\n  - {name: edge, namespaces: [edge], hosts: {max: 3}}\n")
	require.NoError(t, err)
	bank, edge := site.Spec.Tenants[0], site.Spec.Tenants[1]
	assert.Truef(t,
		bank.Patches == v1alpha1.PatchesNone && *bank.Hosts.Max == 7 && *bank.Hosts.MaxStandby == 7 &&
			bank.MaxPriority == 0,
		"found %+v", bank)
	assert.Truef(t, *edge.Hosts.Max == 3 && *edge.Hosts.MaxStandby == 3,
		"found max %d, standby %d, want standby to be max", *edge.Hosts.Max, *edge.Hosts.MaxStandby)
	site, err = parse(t, repositoryLine)
	assert.Truef(t, err == nil && site.Spec.Tenants == nil && *site.Spec.MaxHostsPerTenant == 100,
		"without tenants: found %v, %+v", err, site)
}

func TestTenantsAreRead(t *testing.T) {
	if _, err := parse(t, repositoryLine+`  tenants:
  - name: bank
    specs: [tenants/bank, more/bank.yaml]
    namespaces: [bank, bank-test]
    hosts: {selector: {matchLabels: {pool: finance}}, max: 24, maxStandby: 4}
    maxPriority: 10
    nodePorts: [{start: 30000, end: 30099}, {start: 30050, end: 30060}, {start: 31000, end: 31000}]
    maxClusters: 3
    loadBalancerClasses: [kube-vip.io/kube-vip-class, bgp]
    addressPools: [bank-*, edge.1, '*']
    addresses: [203.0.113.16/28, 203.0.113.17/32, '2001:db8::/64']
    issuerDomains: [bank.example.org, dex.bank.example.org, 192.0.2.1]
    certificateIssuers: [ClusterIssuer/site-ca, Issuer/*, awspca.cert-manager.io/AWSPCAIssuer/bank-*]
    images: [registry.example.org/bank/*, 'registry.example.org:5000/haproxy']
    networkAttachments: [bank/*, networks/storage-*]
    patches: any
  - name: edge
    specs: [tenants/bank-two, '-']
    namespaces: [edge]
    nodePorts: [{start: 30100, end: 30199}]
    addresses: [203.0.113.32/28]
    issuerDomains: [notbank.example.org, 192.0.2.10]
`); err != nil {
		t.Error(err)
	}
}

// TestTenantsWithoutMore: where leaving a field out grants nothing, it may be empty as well.
func TestTenantsWithoutMore(t *testing.T) {
	_, err := parse(t, repositoryLine+"  tenants:\n  - {name: a, namespaces: [a], addresses: [], images: [], nodePorts: []}\n")
	require.NoError(t, err)
}

func TestBadTenants(t *testing.T) {
	const good = "name: a, namespaces: [a]"
	one := func(fields string) string { return "  tenants:\n  - {" + good + ", " + fields + "}\n" }
	two := func(a, b string) string {
		return "  tenants:\n  - {" + good + ", " + a + "}\n  - {name: b, namespaces: [b], " + b + "}\n"
	}
	for _, row := range []struct{ why, spec, want string }{
		{"nobody could have anything, by an oversight", "  tenants: []\n", "spec.tenants: is empty: list tenants"},
		{"a tenant without a name", "  tenants:\n  - {namespaces: [a]}\n", "spec.tenants[0].name: missing"},
		{"a name that is none", "  tenants:\n  - {name: A, namespaces: [a]}\n", `spec.tenants[0].name: found "A"`},
		{"a namespace that is none", "  tenants:\n  - {name: a, namespaces: ['*']}\n",
			`spec.tenants[0].namespaces[0]: found "*"`},
		{"a field that nobody knows", one("privileged: true"), "spec.tenants[0].privileged: unknown field"},
		{"the same name twice", "  tenants:\n  - {name: a, namespaces: [a]}\n  - {name: a, namespaces: [b]}\n",
			`spec.tenants[1].name: "a" is the name of spec.tenants[0], too`},
		{"one namespace of two", two("patches: none", "patches: any") + "  - {name: c, namespaces: [d, a]}\n",
			`spec.tenants[2].namespaces[1]: "a" is spec.tenants[0].namespaces[0] (a) already`},
		{"specs of all folders", one("specs: [../..]"), `spec.tenants[0].specs[0]: found "../.."`},
		{"specs out of the folder, from within", one("specs: [a/../b]"), `spec.tenants[0].specs[0]: found "a/../b"`},
		{"specs of the machine", one("specs: [/b]"), `spec.tenants[0].specs[0]: found "/b"`},
		{"a folder in another's, above the Site's", two("specs: [../x/a]", "specs: [../x]"),
			`spec.tenants[0].specs[0]: "../x/a" lies in, or is, "../x" of spec.tenants[1].specs[0] (b)`},
		{"specs everywhere", one("specs: [.]"), `spec.tenants[0].specs[0]: found "."`},
		{"specs of nothing", one("specs: ['']"), `spec.tenants[0].specs[0]: found nothing`},
		{"the same folder for two", two("specs: [x/a]", "specs: [x/a]"),
			`spec.tenants[1].specs[0]: "x/a" lies in, or is, "x/a" of spec.tenants[0].specs[0] (a)`},
		{"a folder in another's, which comes later", two("specs: [x/a/b]", "specs: [other, x/a]"),
			`spec.tenants[0].specs[0]: "x/a/b" lies in, or is, "x/a" of spec.tenants[1].specs[1] (b)`},
		{"a selector that is none", one("hosts: {selector: {matchExpressions: [{key: a, operator: Near}]}}"),
			`spec.tenants[0].hosts.selector: not a valid selector: "Near" is not a valid label selector operator, want In, `},
		{"a namespace of hosts that is none", one("hosts: {namespaces: [A]}"),
			`spec.tenants[0].hosts.namespaces[0]: found "A"`},
		{"hosts of another site's namespace",
			"  hosts: {namespaces: [metal3]}\n" + one("hosts: {namespaces: [metal3, racks]}"),
			`spec.tenants[0].hosts.namespaces[1]: found "racks", which is none of spec.hosts.namespaces`},
		{"less than nothing", one("hosts: {max: -1}"), "spec.tenants[0].hosts.max: found -1"},
		{"more standby than hosts", one("hosts: {max: 2, maxStandby: 3}"),
			"spec.tenants[0].hosts.maxStandby: found 3, want 0 to 2"},
		{"most clusters that are null", one("maxClusters: null"),
			"spec.tenants[0].maxClusters: has no value: give it one, or remove the field, which means the site's maxClustersPerTenant"},
		{"every class", one("loadBalancerClasses: ['*']"),
			`spec.tenants[0].loadBalancerClasses[0]: found "*", want the name of a class`},
		{"a pool that is no name", one("addressPools: [Bank_1]"),
			`spec.tenants[0].addressPools[0]: found "Bank_1", want the name of an address pool, in which * stands for anything`},
		{"ports upside down", one("nodePorts: [{start: 30010, end: 30000}]"),
			"spec.tenants[0].nodePorts[0]: found 30010 to 30000"},
		{"ports below the site's", one("nodePorts: [{start: 22, end: 30000}]"),
			"spec.tenants[0].nodePorts[0]: found 22 to 30000, want a range within 30000 to 32767"},
		{"a port of two tenants", two("nodePorts: [{start: 30000, end: 30010}]",
			"nodePorts: [{start: 30010, end: 30020}]"),
			"spec.tenants[1].nodePorts[0]: 30010 to 30020 and 30000 to 30010 of spec.tenants[0].nodePorts[0] (a) overlap"},
		{"a range in another's, behind a small one",
			two("nodePorts: [{start: 30000, end: 30100}, {start: 30001, end: 30001}]",
				"nodePorts: [{start: 30050, end: 30051}]"),
			"spec.tenants[1].nodePorts[0]: 30050 to 30051 and 30000 to 30100"},
		{"no network", one("addresses: [203.0.113.1]"),
			`spec.tenants[0].addresses[0]: found "203.0.113.1", want a network in CIDR notation`},
		{"bits behind the prefix", one("addresses: [203.0.113.1/28]"), "want 203.0.113.0/28"},
		{"every address", one("addresses: [0.0.0.0/0]"),
			"spec.tenants[0].addresses[0]: found 0.0.0.0/0, of which 0.0.0.0/8"},
		{"the node itself", one("addresses: [127.0.0.0/24]"), "spec.tenants[0].addresses[0]: found 127.0.0.0/24"},
		{"an address of two tenants", two("addresses: [203.0.113.0/24]", "addresses: [203.0.113.16/28]"),
			"spec.tenants[1].addresses[0]: 203.0.113.16/28 and 203.0.113.0/24 of spec.tenants[0].addresses[0] (a) overlap"},
		{"an address of two tenants, IPv6", two("addresses: ['2001:db8:1::/48']", "addresses: ['2001:db8::/32']"),
			"spec.tenants[0].addresses[0]: 2001:db8:1::/48 and 2001:db8::/32 of spec.tenants[1]"},
		{"a domain that is none", one("issuerDomains: ['*.example.org']"),
			`spec.tenants[0].issuerDomains[0]: found "*.example.org", want a domain`},
		{"a domain below another's", two("issuerDomains: [a.example.org]",
			"issuerDomains: [b.example.org, example.org]"),
			`spec.tenants[0].issuerDomains[0]: "a.example.org" lies in, or is, "example.org" of spec.tenants[1].issuerDomains[1] (b)`},
		{"an issuer without its kind", one("certificateIssuers: [site-ca]"),
			`spec.tenants[0].certificateIssuers[0]: found "site-ca", want KIND/NAME`},
		{"any kind of issuer", one("certificateIssuers: ['*/site-ca']"),
			`spec.tenants[0].certificateIssuers[0]: found "*/site-ca"`},
		{"an image with its tag", one("images: ['registry.example.org/haproxy:3.2']"),
			`spec.tenants[0].images[0]: found "registry.example.org/haproxy:3.2", want the name of an image without tag`},
		{"an image of a file", one("images: ['file:///etc']"), `spec.tenants[0].images[0]: found "file:///etc"`},
		{"an attachment without its namespace", one("networkAttachments: ['*']"),
			`spec.tenants[0].networkAttachments[0]: found "*", want NAMESPACE/NAME`},
		{"patches that nobody knows", one("patches: all"), `spec.tenants[0].patches: found "all", want none or any`},
		{"all tenants commented out", "  tenants:\n  # - {name: a, namespaces: [a]}\n",
			"line 6: spec.tenants: has no value: list tenants, or remove the field, which makes every namespace a tenant"},
		{"a tenant that is null", "  tenants:\n  - {" + good + "}\n  -\n", "spec.tenants[1]: has no value"},
		{"all folders commented out", one("specs: null"),
			"spec.tenants[0].specs: has no value: give it one, or remove the field, which means any file"},
		{"hosts that are null", one("hosts: null"),
			"spec.tenants[0].hosts: has no value: give it one, or remove the field, which means all hosts"},
		{"a selector that is null", one("hosts: {selector: null}"), "spec.tenants[0].hosts.selector: has no value"},
		{"labels that are null", one("hosts: {selector: {matchLabels: null}}"),
			"spec.tenants[0].hosts.selector.matchLabels: has no value"},
		{"no label's value", one("hosts: {selector: {matchLabels: {pool: null}}}"),
			"spec.tenants[0].hosts.selector.matchLabels.pool: has no value"},
		{"most hosts that are null", one("hosts: {max: null}"),
			"spec.tenants[0].hosts.max: has no value: give it one, or remove the field, which means the site's maxHostsPerTenant"},
		{"a selector without labels", one("hosts: {selector: {}}"),
			"spec.tenants[0].hosts.selector: is empty: fill it in, or remove the field, which means all hosts"},
		{"expressions without one", one("hosts: {selector: {matchExpressions: []}}"),
			"spec.tenants[0].hosts.selector.matchExpressions: is empty"},
		{"labels without one beside an expression",
			one("hosts: {selector: {matchLabels: {}, matchExpressions: [{key: a, operator: Exists}]}}"),
			"spec.tenants[0].hosts.selector.matchLabels: is empty"},
		{"no host namespaces", one("hosts: {namespaces: [], max: 50}"),
			"spec.tenants[0].hosts.namespaces: is empty: fill it in, or remove the field, which means all of the site's host namespaces"},
		{"limits without a field", one("limitRange: {}"),
			"spec.tenants[0].limitRange: is empty: fill it in, or remove the field, which means no LimitRange"},
		{"no maximum limits", one("limitRange: {max: {}}"),
			"spec.tenants[0].limitRange.max: is empty: fill it in, or remove the field, which means no maximum"},
		{"hosts without a field", one("hosts: {}"),
			"spec.tenants[0].hosts: is empty: fill it in, or remove the field, which means all hosts"},
		{"specs without one", one("specs: []"),
			"spec.tenants[0].specs: is empty: fill it in, or remove the field, which means any file"},
	} {
		t.Run(row.why, func(t *testing.T) {
			site, err := parse(t, repositoryLine+row.spec)
			assert.Truef(t, site == nil && err != nil && strings.Contains(err.Error(), row.want), "found %v\nwant  %s",
				err, row.want)
			if row.why == "less than nothing" && strings.Contains(err.Error(), "maxStandby") {
				t.Errorf("found %v, and maxStandby was not given", err)
			}
		})
	}
}

// TestManyTenants: a Site with as many tenants as it may have is checked at once, and what two of them share is found.
func TestManyTenants(t *testing.T) {
	var spec strings.Builder
	spec.WriteString("  tenants:\n")
	for i := range 1_000 {
		fmt.Fprintf(&spec, "  - {name: t%d, namespaces: [n%d], specs: [s%d], addresses: [10.%d.%d.0/24], nodePorts: [{start: %d, end: %d}], issuerDomains: [d%d.example.org]}\n",
			i, i, i, i/250, i%250, 30000+2*i, 30001+2*i, i)
	}
	_, err := parse(t, repositoryLine+spec.String())
	require.NoError(t, err)
	shared := strings.Replace(spec.String(), "start: 31998, end: 31999", "start: 30500, end: 30500", 1)
	_, err = parse(t, repositoryLine+shared)
	assert.ErrorContains(t, err,
		"spec.tenants[999].nodePorts[0]: 30500 to 30500 and 30500 to 30501 of spec.tenants[250]")
}
