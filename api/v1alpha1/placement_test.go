package v1alpha1

import (
	"strings"
	"testing"
)

// placementSite has the examples of placement-operator's README (at 8f5b392): a NetworkAttachmentDefinition, an IPAddressPool, and a PlacementAPI
// with both.
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
	if err != nil || len(site.Warnings) > 0 {
		t.Fatal(err, site)
	}
	if spans := site.Spec.Services.Networks[0].Spans(); len(spans) != 1 || spans[0].String() != "172.18.0.50-172.18.0.100" {
		t.Errorf("found %v", spans)
	}
	service := site.Spec.Services.Placement[0].Spec.Override.Service["internal"]
	if vips := service.VIPs(); len(vips) != 1 || vips[0] != "172.17.0.202" {
		t.Errorf("found %v", vips)
	}
	site, err = parse(t, strings.Replace(placementSite, "networkAttachments:", "networkAttachents:", 1))
	if err != nil || len(site.Warnings) != 1 || !strings.Contains(site.Warnings[0], "line 18: spec.services.placement[0].spec.networkAttachents: the API has it as networkAttachments") ||
		site.Spec.Services.Placement[0].Spec.NetworkAttachments[0] != "storage" {
		t.Errorf("the README's own spelling: %v, %+v", err, site)
	}
}

func TestBadPlacement(t *testing.T) {
	for _, row := range []struct{ why, old, new, want string }{
		{"no database", "        databaseInstance: openstack\n", "", "spec.services.placement[0].spec.databaseInstance: missing"},
		{"no Secret", "        secret: placement-secret\n", "", "spec.services.placement[0].spec.secret: missing"},
		{"a Secret that is none", "placement-secret", "Placement_Secret", `spec.secret: found "Placement_Secret"`},
		{"an impatient timeout", "        secret:", "        apiTimeout: 5\n        secret:", "spec.apiTimeout: found 5, want 10 seconds or more"},
		{"too many replicas", "        secret:", "        replicas: 33\n        secret:", "spec.replicas: found 33, want 0 to 32"},
		{"an image that is none", "quay.io/podified", "quay io", `spec.containerImage: found`},
		{"a password in the configuration", "debug = true", "password = hunter2", "spec.customServiceConfig: sets option password in its line 2, which would be committed"},
		{"another file", "        secret:", "        defaultConfigOverwrite: {api.conf: x}\n        secret:", `spec.defaultConfigOverwrite: found "api.conf", want policy.yaml alone`},
		{"another namespace's topology", "        secret:", "        topologyRef: {name: t, namespace: x}\n        secret:", `spec.topologyRef.namespace: found "x"`},
		{"an endpoint that is none", "            internal:", "            admin:", `spec.override.service.admin: found "admin", want internal or public`},
		{"a type that is none", "{type: LoadBalancer}", "{type: Balancer}", `override.service.internal.spec.type: found "Balancer"`},
		{"a pool that is none", "address-pool: osp-internalapi", "address-pool: osp-internal", `names the address pool "osp-internal", which spec.services.networks does not have`},
		{"a VIP that is none", "172.17.0.202", "172.17.0", `annotations: found "172.17.0", want an IP address`},
		{"a network that is none", "networkAttachments: [storage]", "networkAttachments: [storge]", `spec.networkAttachments[0]: found "storge", want one of spec.services.networks in namespace openstack: storage`},
		{"both spellings", "networkAttachments: [storage]", "networkAttachments: [storage]\n        networkAttachents: [storage]", "spec.networkAttachents: given beside networkAttachments"},
		{"an unknown field", "databaseInstance", "databaseInstanze", `spec.databaseInstanze: unknown field, did you mean "databaseInstance"?`},
		{"a range upside down", "172.17.0.200-172.17.0.210", "172.17.0.210-172.17.0.200", "spec.services.networks[1].pool.addresses[0]: found"},
		{"a pool of nothing", "[172.17.0.200-172.17.0.210]", "[]", "spec.services.networks[1].pool.addresses: missing"},
		{"neither nor", ", pool: {addresses: [172.17.0.200-172.17.0.210], autoAssign: false}", "", "spec.services.networks[1]: want attachment or pool, one of them"},
		{"no JSON", `'{"cniVersion"`, `'{cniVersion"`, "spec.services.networks[0].attachment: is no JSON object"},
		{"no type", `"type": "macvlan", `, "", "spec.services.networks[0].attachment: has no type and no plugins"},
		{"addresses that are none", `"range_start": "172.18.0.50"`, `"range_start": "172.18.0"`, "spec.services.networks[0].attachment: ipam: range: found"},
		{"an attachment twice", "    placement:\n", "    - {name: storage, namespace: openstack, attachment: '{\"type\": \"x\"}'}\n    placement:\n", `spec.services.networks[2].name: found "storage", which spec.services.networks[0] is`},
	} {
		t.Run(row.why, func(t *testing.T) {
			if strings.Count(placementSite, row.old) < 1 {
				t.Fatalf("%q is not in the Site", row.old)
			}
			_, err := parse(t, strings.Replace(placementSite, row.old, row.new, 1))
			if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "hunter2") || !strings.HasPrefix(err.Error(), "site.yaml: document 1: line ") {
				t.Errorf("found %v\nwant  %s", err, row.want)
			}
		})
	}
}
