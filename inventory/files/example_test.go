package files_test

import (
	"fmt"

	"github.com/airshipit/sipgen/inventory/files"
)

// Hosts are read from BareMetalHosts as kubectl prints them, and their addresses from the Secrets that they name.
func ExampleParse() {
	found, err := files.Parse("hosts.yaml", []byte(`
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {namespace: metal3, name: server-1, labels: {size: large}}
spec: {online: true, networkData: {name: server-1-net}}
status: {operationalStatus: OK, provisioning: {state: available}}
---
apiVersion: v1
kind: Secret
metadata: {namespace: metal3, name: server-1-net}
stringData: {networkData: '{"networks": [{"id": "oam", "type": "ipv4", "ip_address": "192.0.2.7/24"}]}'}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range found.Hosts {
		host := &found.Hosts[i]
		fmt.Println(host.Key(), host.State.Provisioning, host.On("oam"))
	}
	// Output:
	// metal3/server-1 available [192.0.2.7]
}
