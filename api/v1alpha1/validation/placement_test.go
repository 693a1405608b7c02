package validation_test

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// placementSite has the examples of placement-operator's README (at 8f5b392): a NetworkAttachmentDefinition, an
// IPAddressPool, and a PlacementAPI with both.
const placementSite = `  repository: {url: 'https://git.example.org/a.git'}
  services:
    networks:
    - {name: storage, namespace: openstack, attachment: '{"cniVersion": "0.3.1", "name": "storage", "type": "macvlan", "master": "enp7s0.21", "ipam": {"type": "whereabouts", "range": "172.18.0.0/24", "range_start": "172.18.0.50", "range_end": "172.18.0.100"}}'}
    - {name: osp-internalapi, namespace: metallb-system, pool: {addresses: [172.17.0.200-172.17.0.210], autoAssign: false}}
    placement:
    - name: placement
      namespace: openstack
      spec:
        containerImage: quay.io/podified-antelope-centos9/openstack-placement-api:current-podified
        databaseInstance: openstack
        secret: placement-secret
        customServiceConfig: "[DEFAULT]\ndebug = true\n"
        networkAttachments: [storage]
        override:
          service:
            internal:
              metadata:
                annotations:
                  metallb.universe.tf/address-pool: osp-internalapi
                  metallb.universe.tf/allow-shared-ip: internalapi
                  metallb.universe.tf/loadBalancerIPs: 172.17.0.202
              spec: {type: LoadBalancer}
`

func TestPlacementIsRead(t *testing.T) {
	site, err := parse(t, placementSite)
	require.Truef(t, err == nil && len(site.Warnings) <= 0, "%v %v", err, site)
	spans := site.Spec.Services.Networks[0].Spans()
	assert.Truef(t, len(spans) == 1 && spans[0].String() == "172.18.0.50-172.18.0.100", "found %v", spans)
	service := site.Spec.Services.Placement[0].Spec.Override.Service["internal"]
	vips := service.VIPs()
	assert.Truef(t, len(vips) == 1 && vips[0] == "172.17.0.202", "found %v", vips)
	site, err = parse(t, strings.Replace(placementSite, "networkAttachments:", "networkAttachents:", 1))
	if err != nil || len(site.Warnings) != 1 ||
		!strings.Contains(site.Warnings[0].Error(),
			"line 18: spec.services.placement[0].spec.networkAttachents: today's API has it as networkAttachments") ||
		site.Spec.Services.Placement[0].Spec.NetworkAttachments[0] != "storage" {
		t.Errorf("the README's own spelling: %v, %+v", err, site)
	}
}

func TestBadPlacement(t *testing.T) {
	for _, row := range []struct{ why, old, new, want string }{
		{"no database", "        databaseInstance: openstack\n", "",
			"spec.services.placement[0].spec.databaseInstance: missing"},
		{"no Secret", "        secret: placement-secret\n", "", "spec.services.placement[0].spec.secret: missing"},
		{"a Secret that is none", "placement-secret", "Placement_Secret",
			`spec.secret: found a value that is not a valid Secret name (not shown`},
		{"an impatient timeout", "        secret:", "        apiTimeout: 5\n        secret:",
			"spec.apiTimeout: found 5, want it to be greater than or equal to 10"},
		{"an image that is none", "quay.io/podified", "quay io", `spec.containerImage: found`},
		{"a password for a key", "            internal:\n",
			"            'a:hunter2-Zt7Kw2Qp9Xv4Lm8R': x\n            internal:\n", "found a string, want a mapping"},
		{"a password in the configuration", "debug = true", "password = hunter2",
			"spec.customServiceConfig: sets option password in its line 2, which would be committed"},
		{"a pool that is none", "address-pool: osp-internalapi", "address-pool: osp-internal",
			`names the address pool "osp-internal", which spec.services.networks does not have`},
		{"a password in an attachment", `"type": "macvlan"`, `"type": "macvlan", "password": "hunter2"`,
			"spec.services.networks[0].attachment: has password in it, which would be committed"},
		{"a VIP that is none", "172.17.0.202", "172.17.0", `annotations: found "172.17.0", want an IP address`},
		{"a network that is none", "networkAttachments: [storage]", "networkAttachments: [storge]",
			`spec.networkAttachments[0]: found "storge", want one of spec.services.networks in namespace openstack: storage`},
		{"both spellings", "networkAttachments: [storage]",
			"networkAttachments: [storage]\n        networkAttachents: [storage]",
			"spec.networkAttachents: given beside networkAttachments"},
		{"an unknown field", "databaseInstance", "databaseInstanze",
			`refuses the object, did you mean "databaseInstance"?`},
		{"a range upside down", "172.17.0.200-172.17.0.210", "172.17.0.210-172.17.0.200",
			"spec.services.networks[1].pool.addresses[0]: found"},
		{"a pool of nothing", "[172.17.0.200-172.17.0.210]", "[]", "spec.services.networks[1].pool.addresses: missing"},
		{"a pool of every address", "172.17.0.200-172.17.0.210", "0.0.0.0/0",
			`spec.services.networks[1].pool.addresses[0]: found "0.0.0.0/0", which is every address`},
		{"a pool of every address, and what comes after it", "172.17.0.200-172.17.0.210", "0.0.0.0/0, bogus",
			`spec.services.networks[1].pool.addresses[1]: found "bogus", want a network`},
		{"neither nor", ", pool: {addresses: [172.17.0.200-172.17.0.210], autoAssign: false}", "",
			"spec.services.networks[1]: want attachment or pool, one of them"},
		{"no JSON", `'{"cniVersion"`, `'{cniVersion"`, "spec.services.networks[0].attachment: is no JSON object"},
		{"null", "    - {name: osp", "    - {name: none, namespace: openstack, attachment: 'null'}\n    - {name: osp",
			"spec.services.networks[1].attachment: is no JSON object"},
		{"two in a namespace", "    placement:\n", "    placement:\n    - {name: other, namespace: openstack, " +
			"spec: {databaseInstance: openstack, secret: placement-secret}}\n",
			`spec.services.placement[1].namespace: found "openstack", which has PlacementAPI "other": ` +
				"placement-operator makes the Services"},
		{"addresses that are none", `"range_start": "172.18.0.50"`, `"range_start": "172.18.0"`,
			"spec.services.networks[0].attachment: ipam: range: found"},
		{"an exception that is none", `"range_end": "172.18.0.100"`,
			`"range_end": "172.18.0.100", "exclude": ["172.18.0.60/33"]`,
			"spec.services.networks[0].attachment: ipam: exclude: found"},
		{"ranges without end", `"range_end": "172.18.0.100"`,
			`"range_end": "172.18.0.100", "ipRanges": [` + strings.Repeat(`{"range": "10.0.0.0/31"}, `,
				100) + `{"range": "10.0.0.0/31"}]`,
			"spec.services.networks[0].attachment: ipam: found 102 ranges of addresses, want at most 100"},
		{"an attachment twice", "    placement:\n",
			"    - {name: storage, namespace: openstack, attachment: '{\"type\": \"x\"}'}\n    placement:\n",
			`spec.services.networks[2].name: found "storage", which spec.services.networks[0] is`},
	} {
		t.Run(row.why, func(t *testing.T) {
			require.Truef(t, strings.Count(placementSite, row.old) >= 1, "%q is not in the Site", row.old)
			site, err := parse(t, strings.Replace(placementSite, row.old, row.new, 1))
			if err == nil {
				_, err = api.CompleteSite(site, nil)
			}
			assert.Truef(t,
				err != nil && strings.Contains(err.Error(), row.want) && !strings.Contains(err.Error(), "hunter2") &&
					strings.HasPrefix(err.Error(), "site.yaml: document 1: line "),
				"found %v\nwant  %s", err, row.want)
		})
	}
}

// An attachment gives out what its ipam part says, in the three ways in which there is one, without what it leaves
// out.
func TestAttachmentSpans(t *testing.T) {
	for _, row := range []struct{ ipam, want string }{
		{`{"type": "whereabouts", "range": "10.0.0.0/29"}`, "10.0.0.0-10.0.0.7"},
		{`{"type": "whereabouts", "range": "10.0.0.4-10.0.0.9/24"}`, "10.0.0.4-10.0.0.9"},
		{`{"type": "whereabouts", "range": "10.0.0.0/24", "range_start": "10.0.0.9", "range_end": "10.0.0.12", "exclude": ["10.0.0.10/32"]}`, "10.0.0.9 10.0.0.11-10.0.0.12"},
		{`{"type": "whereabouts", "range": "10.0.0.0/30", "exclude": ["10.0.0.0/31", "10.0.0.2/31"]}`, ""},
		{`{"type": "whereabouts", "ipRanges": [{"range": "10.0.0.0/31"}, {"range": "2001:db8::/127"}]}`,
			"10.0.0.0-10.0.0.1 2001:db8::-2001:db8::1"},
		{`{"type": "host-local", "ranges": [[{"subnet": "10.0.0.0/24", "rangeStart": "10.0.0.3", "rangeEnd": "10.0.0.4"}], [{"subnet": "10.1.0.0/31"}]]}`, "10.0.0.3-10.0.0.4 10.1.0.0-10.1.0.1"},
		{`{"type": "host-local", "subnet": "10.0.0.0/31"}`, "10.0.0.0-10.0.0.1"},
		{`{"type": "static", "addresses": [{"address": "10.0.0.7/24"}]}`, "10.0.0.7"},
		{`{"type": "dhcp"}`, ""},
	} {
		n := v1alpha1.Network{Attachment: `{"type": "macvlan", "ipam": ` + row.ipam + `}`}
		var found []string
		for _, s := range n.Spans() {
			found = append(found, s.String())
		}
		assert.Equal(t, row.want, strings.Join(found, " "), row.ipam)
	}
}

func TestBadAddressSpaces(t *testing.T) {
	spaces := func(text string) string {
		return strings.Replace(placementSite, "  services:\n", "  services:\n    addressSpaces: "+text+"\n", 1)
	}
	_, err := parse(t, spaces("[{name: a, networks: [networks/openstack/storage, hosts/storage, bmc]}]"))
	require.NoError(t, err)
	const at = "site.yaml: document 1: line 7: spec.services.addressSpaces"
	for _, row := range []struct{ why, spaces, want string }{
		{"no name", "[{networks: [bmc]}]", at + `[0].name: found ""`},
		{"a name that is none", "[{name: A B, networks: [bmc]}]", at + `[0].name: found "A B"`},
		{"a name twice", "[{name: a, networks: [bmc]}, {name: a, networks: [hosts/a]}]",
			at + `[1].name: found "a", which spec.services.addressSpaces[0] is`},
		{"a network twice", "[{name: a, networks: [bmc]}, {name: b, networks: [bmc]}]",
			at + `[1].networks[0]: found "bmc", which is spec.services.addressSpaces[0].networks[0] already`},
		{"a network that the Site has not", "[{name: a, networks: [networks/openstack/storge]}]",
			at + `[0].networks[0]: found "networks/openstack/storge", want hosts/ID, bmc, or one of the Site's`},
		{"hosts of no network", "[{name: a, networks: [hosts/]}]", at + `[0].networks[0]: found "hosts/"`},
		{"an unknown field", "[{name: a, network: [bmc]}]", at + "[0].network: unknown field"},
		{"no list", "{name: a}", at + ": "},
	} {
		_, err := parse(t, spaces(row.spaces))
		assert.Truef(t, err != nil && strings.Contains(err.Error(), row.want), "%s: found %v\nwant %s", row.why, err,
			row.want)
	}
}
