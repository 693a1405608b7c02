package schedule_test

import (
	"fmt"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// Two workers in different racks are asked for; three hosts in two racks are there.
func ExamplePlan() {
	clusters, err := api.ParseClusters("lab.yaml", []byte(`
apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: lab, name: lab}
spec:
  nodes:
    Worker:
      labelSelector: {matchLabels: {size: large}}
      topologyKey: example.org/rack
      count: {active: 2, standby: 1}
  services: {}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	var hosts []inventory.Host
	for name, rack := range map[string]string{"a": "r1", "b": "r1", "c": "r2"} {
		hosts = append(hosts, inventory.Host{
			Namespace: "metal3", Name: name, Labels: map[string]string{"size": "large", "example.org/rack": rack},
			State: inventory.State{Provisioning: "available", Operational: "OK", Online: true},
		})
	}
	placement, err := schedule.Plan(clusters, hosts, schedule.Previous{}, schedule.Options{Keys: schedule.LabelKeys{
		ClusterNamespace: "example.org/namespace", ClusterName: "example.org/cluster", NodeType: "example.org/role",
		Standby: "example.org/standby",
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, role := range placement.Clusters[0].Roles {
		for _, assigned := range role.Assigned {
			fmt.Println(role.Name, assigned.Host.Key(), assigned.Domain)
		}
		fmt.Println("short of standby hosts:", role.ShortStandby)
	}
	// Output:
	// Worker metal3/a r1
	// Worker metal3/c r2
	// short of standby hosts: 1
}
