//go:build linux

package main

import "strings"

// The services of a site that is valid, for somebody to change one thing in.
const securityServices = `  services:
    ironic:
    - name: ironic
      namespace: bmo
      spec:
        version: "35.0"
        networking: {interface: eth1, ipAddress: 172.22.0.2, dhcp: {networkCIDR: 172.22.0.0/24, rangeBegin: 172.22.0.10, rangeEnd: 172.22.0.99}}
        deployRamdisk: {sshKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKHEChAJ3WN0D2e1oCQzdH3JUDJGzkBlzMDqjuUMkh4C ops@example"}
        images: {ironic: quay.example.org/metal3/ironic}
    virtualHosts:
    - name: vms
      namespace: vino
      hostNamespace: metal3
      credentialsSecret: vino-bmc
      nodes: [{name: n1, address: 192.0.2.101, labels: {rack: r1}}]
      spec:
        nodeSelector: {matchLabels: {vino: 'yes'}}
        configuration: {cpuExclude: 0-1}
        pxeBootImageHost: boot.example.org
        daemonSetOptions: {libvirtImage: quay.example.org/vino/libvirt}
        networks:
        - {name: mgmt, subnet: 192.168.2.0/24, dhcpAllocationStart: 192.168.2.128, dhcpAllocationStop: 192.168.2.255, staticAllocationStart: 192.168.2.10, staticAllocationStop: 192.168.2.99, macPrefix: '52:54:00:06:00:00', physicalInterface: eth2, routes: [{network: 10.0.0.0, netmask: 255.0.0.0, gateway: $vinobridge}]}
        nodes:
        - {name: worker, count: 2, rootDeviceName: /dev/vda, bmhLabels: {role: worker}, networkDataTemplate: {name: t, namespace: vino}, bootInterfaceName: eth0, networkInterfaces: [{name: eth0, network: mgmt}]}
    placement:
    - name: placement
      namespace: openstack
      spec: {databaseInstance: db, secret: placement-secret, customServiceConfig: "debug = true", override: {service: {public: {endpointURL: 'https://placement.example.org', metadata: {annotations: {metallb.io/loadBalancerIPs: 198.51.100.5}}}}}}
    networks:
    - {name: storage, namespace: openstack, attachment: '{"type": "macvlan", "ipam": {"type": "whereabouts", "range": "198.51.100.64/28"}}'}
    - {name: oam, namespace: metallb-system, pool: {addresses: [198.51.100.0/28]}}
`

// ofService is the site with its services, where old is new.
func ofService(old, new string) map[string]string {
	if strings.Count(securityServices, old) != 1 {
		panic("not once among the services: " + old)
	}
	return map[string]string{"site.yaml": securityFiles["site.yaml"] + strings.Replace(securityServices, old, new, 1)}
}

// securityOfServices are what the services of a site may not be made to do: its author is trusted, what he copies from elsewhere is not.
func securityOfServices() []attack {
	const at = "spec.services."
	key := `deployRamdisk: {sshKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKHEChAJ3WN0D2e1oCQzdH3JUDJGzkBlzMDqjuUMkh4C ops@example"}`
	many := func(n int) string { return strings.Repeat("x", n) }
	return []attack{
		{why: "nothing wrong", files: ofService("name: ironic\n", "name: ironic\n"), want: "in site/virtual-hosts/vino.vms/vino.yaml: password: ${sipgen_quote}${bmc_password}${sipgen_quote}",
			argo: "not in site/virtual-hosts/vino.vms/vino.yaml: bmcCredentials"},
		{why: "a folder for a name", files: ofService("name: ironic\n", "name: ../../policy/x\n"), want: at + "ironic[0].name: "},
		{why: "a folder for a namespace", files: ofService("namespace: bmo", "namespace: ../bmo"), want: at + "ironic[0].namespace: "},
		{why: "an object more in a name", files: ofService("name: vms\n", "name: \"vms\\n---\\nkind: Secret\"\n"), want: at + "virtualHosts[0].name: "},
		{why: "a folder for a Vino", files: ofService("namespace: vino\n      hostNamespace", "namespace: ..\n      hostNamespace"), want: at + "virtualHosts[0].namespace: "},
		{why: "a name beyond bounds", files: ofService("name: placement\n", "name: "+many(300)+"\n"), want: at + "placement[0].name: "},
		{why: "a folder for a network", files: ofService("name: storage,", "name: ../storage,"), want: at + "networks[0].name: "},
		{why: "a password among Ironic's options", files: ofService(key, "extraConfig: [{group: database, name: connection_password, value: hunter2}]"), want: at + "ironic[0].spec.extraConfig[0]"},
		{why: "a private key", files: ofService("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKHEChAJ3WN0D2e1oCQzdH3JUDJGzkBlzMDqjuUMkh4C ops@example", `-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2`), want: "sshKey: "},
		{why: "a login for images", files: ofService("ironic: quay.example.org/metal3/ironic", "deployRamdiskBranch: x, ironic: 'robot:hunter2@quay.example.org/ironic'"), want: at + "ironic[0].spec.images.ironic: "},
		{why: "a password in a container's environment", files: ofService("images: {ironic: quay.example.org/metal3/ironic}", "overrides: {containers: [{name: x, image: quay.example.org/x, env: [{name: DB_PASSWORD, value: hunter2}]}]}"), want: "overrides.containers[0].env[0].value: is of DB_PASSWORD and would be committed"},
		{why: "the BMCs' password", files: ofService("        configuration:", "        bmcCredentials: {username: admin, password: hunter2}\n        configuration:"), want: "bmcCredentials: given, and would be committed"},
		{why: "the BMCs' password for a Secret's name", files: ofService("credentialsSecret: vino-bmc", "credentialsSecret: admin:hunter2"), want: at + "virtualHosts[0].credentialsSecret: "},
		{why: "a password in Placement's options", files: ofService("debug = true", `[database]\nconnection = mysql://p:hunter2@db/p`), want: at + "placement[0].spec.customServiceConfig"},
		{why: "a password for Placement, by its name", files: ofService("debug = true", "[keystone_authtoken]\\npassword = hunter2"), want: "sets option password in its line 2, which would be committed"},
		{why: "a login in an endpoint", files: ofService("https://placement.example.org", "https://admin:hunter2@placement.example.org"), want: "endpointURL: "},
		{why: "a password in an attachment", files: ofService(`"type": "macvlan", `, `"type": "macvlan", "password": "hunter2", `), want: at + "networks[0].attachment: "},
		{why: "a variable of Flux", files: ofService("boot.example.org", "${bmc_password}"), want: "has ${ in it, which Flux would replace", argo: "pxeBootImageHost: "},
		{why: "a variable of Flux for a key", files: ofService("{role: worker}", "{'${bmc_password}': x}"), want: "bmhLabels"},
		{why: "a variable of Flux in a gateway", files: ofService("gateway: $vinobridge", "gateway: '${vinobridge}'"), want: "has ${ in it, which Flux would replace", argo: "routes[0].gateway: "},
		{why: "a variable with a default", files: ofService("rootDeviceName: /dev/vda", "rootDeviceName: '/dev/${x:=vda}'"), want: "has ${ in it, which Flux would replace", argo: "rootDeviceName: "},
		{why: "a command for an interface", files: ofService("physicalInterface: eth2", "physicalInterface: 'eth2; reboot'"), want: "physicalInterface: "},
		{why: "a command for a device", files: ofService("/dev/vda", "/dev/vda;reboot"), want: "rootDeviceName: "},
		{why: "a file of the node", files: ofService("bootInterfaceName: eth0,", "bootInterfaceName: eth0, diskDrives: [{name: d, path: /var/../etc/shadow}],"), want: "diskDrives[0].path: "},
		{why: "a line more for Ironic", files: ofService("interface: eth1", `interface: "eth1\nx"`), want: "networking.interface: "},
		{why: "an image of anybody's", files: ofService("quay.example.org/vino/libvirt", "'*'"), want: "daemonSetOptions.libvirtImage: "},
		{why: "the labels that say whose a host is", files: ofService("{role: worker}", "{sip.airshipit.org/cluster-name: a}"), want: "which sipgen writes"},
		{why: "a label with a line in it", files: ofService("{rack: r1}", `{rack: "r1\nx"}`), want: "labels: "},
		{why: "machines without end", files: ofService("count: 2", "count: 1000000000"), want: "count: found 1000000000"},
		{why: "two hundred thousand machines and more", files: ofService("nodes: [{name: n1, address: 192.0.2.101, labels: {rack: r1}}]",
			"nodes: ["+manyNodes(201)+"]"), want: "too few"},
		{why: "a network without end", files: ofService("192.168.2.0/24, dhcpAllocationStart: 192.168.2.128, dhcpAllocationStop: 192.168.2.255", "0.0.0.0/0, instanceSubnetBitStep: 1, dhcpAllocationStart: 193.0.0.0, dhcpAllocationStop: 255.255.255.255"), want: "overlaps"},
		{why: "an attachment of a megabyte", files: ofService(`"type": "macvlan", `, `"type": "macvlan", "x": "`+many(1<<20)+`", `), want: at + "networks[0].attachment: found"},
		{why: "an address that is none", files: ofService("metallb.io/loadBalancerIPs: 198.51.100.5", `metallb.io/loadBalancerIPs: "198.51.100.5\nx"`), want: "annotations: found"},
		{why: "a pool of everything", files: ofService("198.51.100.0/28", "0.0.0.0/0"), want: "which is every address"},
		{why: "the hosts' addresses, for Ironic", files: ofService("networkCIDR: 172.22.0.0/24, rangeBegin: 172.22.0.10, rangeEnd: 172.22.0.99", "networkCIDR: 172.22.0.0/24, rangeBegin: 172.22.0.1, rangeEnd: 172.22.0.99"), want: "overlaps"},
		{why: "more of the same", files: ofService("    networks:\n    - {name: storage", "    networks:\n    - {name: oam, namespace: metallb-system, pool: {addresses: [10.0.0.0/8]}}\n    - {name: storage"), want: at + "networks[2].name: "},
		{why: "a tenant that is none", files: ofService("credentialsSecret:", "tenants: ['bank\\n']\n      credentialsSecret:"), want: at + "virtualHosts[0].tenants[0]: "},
		{why: "a network that never meets what it is", files: ofService("    networks:\n    - {name: storage", "    addressSpaces: [{name: \"a\\nb\", networks: [bmc]}]\n    networks:\n    - {name: storage"), want: at + "addressSpaces[0].name: "},
	}
}

func manyNodes(n int) string {
	var out strings.Builder
	for i := range n {
		out.WriteString("{name: n" + strings.Repeat("x", i%40) + string(rune('a'+i/40)) + "}, ")
	}
	return out.String()
}
