package render_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/inventory/files"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// From specs and hosts to the tree. Its files are the input of the next run, as the decisions that were made.
func ExampleSite() {
	site, err := api.LoadSite("../examples/single/site.yaml", os.Stdin)
	if err != nil {
		fmt.Println(err)
		return
	}
	clusters, err := api.LoadClusters([]string{"../examples/single/cluster.yaml"}, os.Stdin)
	if err != nil {
		fmt.Println(err)
		return
	}
	hosts, err := files.Load([]string{"../examples/single/hosts.yaml"}, os.Stdin)
	if err != nil {
		fmt.Println(err)
		return
	}
	keys := site.Spec.LabelKeys
	placement, err := schedule.Plan(clusters, hosts.Hosts, schedule.Previous{},
		schedule.Options{Keys: schedule.LabelKeys{
			ClusterNamespace: keys.ClusterNamespace, ClusterName: keys.ClusterName, NodeType: keys.NodeType,
			Standby: keys.Standby,
		}})
	if err != nil {
		fmt.Println(err)
		return
	}
	tree, _, err := render.Site(render.Input{Site: site, Clusters: clusters, Placement: placement})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range slices.Sorted(maps.Keys(tree)) {
		if strings.HasPrefix(path, "clusters/lab/lab/hosts/") {
			fmt.Println(path)
		}
	}
	previous, err := render.Previous("the tree", tree, site)
	fmt.Println(len(previous.Claims), "claims", err)
	// Output:
	// clusters/lab/lab/hosts/kustomization.yaml
	// clusters/lab/lab/hosts/metal3.server-1.yaml
	// clusters/lab/lab/hosts/metal3.server-2.yaml
	// clusters/lab/lab/hosts/metal3.server-3.yaml
	// 3 claims <nil>
}
