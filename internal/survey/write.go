package survey

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/internal/text"
)

// Answers are what an inventory does not show.
type Answers struct {
	// Site is the Site's name, Repository the URL of its git repository, and Branch the one that has the tree.
	Site, Repository, Branch string
	// SSH: the repository is reached by ssh. Trial: it is a folder on this machine.
	SSH, Trial bool
	// Base is the folder of the hosts' manifests in the repository, empty for hosts with a uid. Guessed: it may be
	// another one.
	Base    string
	Guessed bool
	// Engine is flux or argocd, and EngineWhy how that was found.
	Engine, EngineWhy string
	// ClusterAPI: the cluster has Cluster API.
	ClusterAPI bool
	// Inventory and Specs are where hosts and specs are, as the Site has them.
	Inventory, Specs string
	// Namespace and Name are those of the first cluster, NodePort the port of its load balancer.
	Namespace, Name string
	NodePort        int32
}

// FirstNodePort is the first node port to propose. LowestNodePort and HighestNodePort are the ends of Kubernetes' own
// range, which is the default of a Site's, too.
const (
	FirstNodePort   = 30643
	LowestNodePort  = 30000
	HighestNodePort = 32767
)

// FreeNodePort returns the first port from FirstNodePort on that is not taken, beginning again at the lowest one behind
// the highest. Without one it returns FirstNodePort and false.
func FreeNodePort(taken map[int32]bool) (port int32, found bool) {
	const ports = HighestNodePort - LowestNodePort + 1
	for i := range int32(ports) {
		if port := LowestNodePort + (FirstNodePort-LowestNodePort+i)%ports; !taken[port] {
			return port, true
		}
	}
	return FirstNodePort, false
}

// page is YAML with comments, line by line.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// scalar returns a text as YAML takes it for one: "true" and "12" in quotes.
func scalar(text string) string {
	out, err := yaml.Marshal(text)
	if err != nil || strings.Contains(strings.TrimSpace(string(out)), "\n") {
		return fmt.Sprintf("%q", text)
	}
	return strings.TrimSpace(string(out))
}

// SchemaFolder is the folder of the JSON Schemas beside a Site: site.json and sipcluster.json. SIPClusters are in a
// folder beside it. Its name begins with a dot, so that no command reads it as an input.
const SchemaFolder = ".schemas"

// SiteYAML returns a first Site, with comments.
func SiteYAML(found *Found, a Answers) []byte {
	var p page
	p.line("# yaml-language-server: $schema=%s/site.json", SchemaFolder)
	p.line("# The Site is sipgen's own configuration: one management cluster, one inventory, one rendered tree.")
	p.line("# sipgen fields site.spec lists its fields; what is not here has a default.")
	p.line("apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata:")
	p.line("  # Part of the names of the objects that sipgen renders.\n  name: %s\nspec:", scalar(a.Site))
	p.line("  # Where the specs and the hosts are: paths next to this file, or the word cluster for the live cluster.")
	p.line("  inputs:\n    specs: [%s]\n    inventory: %s", scalar(a.Specs), scalar(a.Inventory))
	p.line("  # Where the tree is published to, and what the engine syncs.")
	if a.Trial {
		p.line("  # This repository is on this machine, for a trial: no engine reads it. Push it to a server, and write its URL here.")
	}
	p.line("  repository:\n    url: %s\n    branch: %s", scalar(a.Repository), scalar(a.Branch))
	if a.Base != "" {
		p.line("    # The tree's own folder: the hosts' manifests are beside it.\n    path: %s", treeBeside(a.Base))
	}
	why := ""
	if a.EngineWhy != "" {
		why = " Chosen: " + a.EngineWhy + "."
	}
	p.line("  # What syncs the tree: flux or argocd.%s", why)
	p.line("  engine: %s", scalar(a.Engine))
	if a.Engine == "flux" {
		p.credentials(a)
	}
	if a.Engine == "argocd" {
		p.line("  # Argo CD does not wait with a host's labels until its tenant's services are ready. This accepts it;")
		p.line("  # with waves it waits (docs/argocd.md).")
		p.line("  argocd:\n    order: none")
	}
	if a.ClusterAPI {
		p.line("  # Cluster API is installed on the cluster: each SIPCluster gets a component for its Cluster API objects.")
		p.line("  clusterAPI: {}")
	}
	p.line("  # Which namespaces have the site's hosts.\n  hosts:\n    namespaces:")
	for _, n := range found.Namespaces {
		p.line("      - %s # %s", scalar(n.Name), text.Count(n.Hosts, "host"))
	}
	if a.Base != "" {
		p.line("    # The manifests have no metadata.uid: the engine applies them from git, and sipgen patches them there.")
		p.line("    # With hosts of a live cluster (inventory: cluster) leave out apply, base and the repository's path.")
		p.line("    apply: overlay")
		p.line("    # Their folder in the repository, with a kustomization.yaml, outside the tree.")
		if a.Guessed {
			p.line("    # It is a guess: the manifests that were read are in no folder of their own.")
		}
		p.line("    base: %s", scalar(a.Base))
	}
	p.line("  # The tenants, and their limits. Without this list every namespace is a tenant with narrow rights.")
	p.line("  # sipgen tenants --suggest prints what today's specs need; below is how it begins.")
	p.line("  # tenants:\n  # - name: %s\n  #   namespaces: [%s]", scalar(a.Namespace), scalar(a.Namespace))
	return []byte(p.String())
}

// treeBeside returns a folder for the tree that is not that of the hosts' manifests.
func treeBeside(base string) string {
	if first, _, _ := strings.Cut(base, "/"); first == "tree" {
		return "rendered"
	}
	return "tree"
}

// credentials names the Secret that Flux reads the repository with: by ssh it needs one.
func (p *page) credentials(a Answers) {
	name := scalar(a.Site + "-git")
	if a.SSH {
		p.line("  # The Secret in Flux's namespace that it reads the repository with. By ssh it needs one: PLAN.md has the command.")
		p.line("  flux:\n    secretName: %s", name)
		return
	}
	p.line("  # If the repository is private: the Secret in Flux's namespace that it reads it with. PLAN.md has the command.")
	p.line("  # flux:\n  #   secretName: %s", name)
}

// ClusterYAML returns a first SIPCluster that the hosts can carry, with comments.
func ClusterYAML(found *Found, proposal Proposal, a Answers) []byte {
	var p page
	p.line("# yaml-language-server: $schema=../%s/sipcluster.json", SchemaFolder)
	p.line("# A SIPCluster describes one tenant cluster: hosts by role, and the services around them.")
	p.line("# sipgen fields sipcluster.spec lists its fields.")
	p.line("apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata:")
	p.line("  # The namespace of the tenant's services. It must exist: sipgen renders no namespaces.")
	p.line("  namespace: %s\n  name: %s\nspec:\n  nodes:", scalar(a.Namespace), scalar(a.Name))
	for _, r := range proposal.Roles {
		p.line("    # A role. Its name becomes a label of its hosts.\n    %s:", r.Name)
		if r.Key == "" {
			p.line("      # Every host matches: name labels here to exclude some.\n      labelSelector: {}")
		} else {
			p.line("      # %s.\n      labelSelector:\n        matchLabels:\n          %s: %s",
				text.Plural(r.Hosts, "free host matches", "free hosts match"), scalar(r.Key), scalar(r.Value))
		}
		if r.TopologyKey != "" {
			p.line("      # At most one host of the role for each value of this label; there are %d.\n"+
				"      # maxPerDomain: 2 allows two, and distributes them evenly.\n      topologyKey: %s",
				r.Domains, scalar(r.TopologyKey))
		}
		p.line("      count:\n        active: %d", r.Active)
	}
	if proposal.Network != "" {
		p.line("  services:\n    # HAProxy in front of the tenant's API servers.\n    loadBalancerControlPlane:")
		p.line("      # The network at whose addresses the hosts are reached, and the port on the management cluster's nodes.")
		if proposal.Inspected {
			p.line("      # Only the inspection saw it, so its addresses may be leases: better declare them")
			p.line("      # (network data, or the annotation sip.airshipit.org/address.NETWORK), and name that network here.")
		}
		if proposal.Off > 0 {
			p.line("      # A host without an address on it is not chosen: %s.", text.Count(proposal.Off, "free host"))
		}
		if others := found.others(proposal.Network); len(others) > 0 {
			p.line("      # The network is a guess: the hosts are also on others. Found: %s.", strings.Join(others, ", "))
		}
		p.line("      - nodeInterfaceId: %s\n        nodePort: %d", scalar(proposal.Network), a.NodePort)
	}
	return []byte(p.String())
}

// others returns the networks except one, as YAML lists their names.
func (f *Found) others(than string) []string {
	var names []string
	for _, n := range f.Networks {
		if n.Name != than {
			names = append(names, scalar(n.Name))
		}
	}
	return names
}
