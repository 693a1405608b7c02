package api_test

import (
	"fmt"

	"github.com/airshipit/sipgen/api"
	v1 "github.com/airshipit/sipgen/api/v1"
)

const spec = `
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
`

// A spec is read from a file's text. What is wrong with it is said with file, document, line and field.
func ExampleParseClusters() {
	clusters, err := api.ParseClusters("lab.yaml", []byte(spec))
	if err != nil {
		fmt.Println(err)
		return
	}
	worker := clusters[0].Spec.Nodes[v1.RoleWorker]
	fmt.Println(clusters[0].Key(), worker.Count.Active, "and", worker.Count.Standby, "by", worker.TopologyKey)

	_, err = api.ParseClusters("lab.yaml", []byte(spec+"  patch: []\n"))
	fmt.Println(err)
	// Output:
	// lab/lab 2 and 1 by example.org/rack
	// lab.yaml: document 1: line 12: spec.patch: unknown field, did you mean "patches"?
}

// A Site is read from a file's text, and has its defaults then.
func ExampleParseSite() {
	site, err := api.ParseSite("site.yaml", []byte(`
apiVersion: sipgen.airshipit.org/v1alpha1
kind: Site
metadata: {name: lab}
spec:
  repository: {url: ssh://git@git.example.org/fleet.git}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(site.Name, site.Spec.Engine, site.Spec.Repository.Branch)
	// Output:
	// lab flux main
}
