package takeover

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// Installation is what was read of an installation of SIP.
type Installation struct {
	Engine v1alpha1.Engine
	Specs  []*Converted
	// Objects are Deployments and Services that have the names of tenants' services.
	Objects []inventory.ServiceObject
	Hosts   []inventory.Host
	Keys    holdings.LabelKeys
}

// handOver begins a line with the command that makes the engine the owner of an object of SIP's. docs/from-sip.md looks for it.
const handOver = "# hand over: "

// Write prints each tenant's spec with, as comments before it, what became of its fields, its hosts, and what changes for its services. Without
// specs it prints the comments alone.
func (in *Installation) Write(w io.Writer, specs bool) error {
	var out bytes.Buffer
	slices.SortFunc(in.Specs, func(a, b *Converted) int { return strings.Compare(a.Key(), b.Key()) })
	known := map[string]bool{}
	for i, spec := range in.Specs {
		known[spec.Key()] = true
		if i > 0 && specs {
			fmt.Fprintln(&out, "---")
		}
		for _, line := range in.of(spec) {
			// Names of fields and the like are others': none may end its line.
			fmt.Fprintln(&out, "# "+text.Line(line))
		}
		for _, command := range in.handOvers(spec) {
			fmt.Fprintln(&out, handOver+text.Line(command))
		}
		if specs && spec.Cluster != nil {
			out.Write(spec.YAML)
		}
	}
	foreign := map[string]bool{}
	for i := range in.Hosts {
		labels := holdings.LabelsOf(&in.Hosts[i], in.Keys)
		if key := labels.Cluster.String(); labels.Cluster.Name != "" && !known[key] && !foreign[key] {
			foreign[key] = true
			fmt.Fprintf(&out, "# hosts carry the labels of cluster %s, which has no spec here: they are left alone\n", text.Line(key))
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// of is what a reader should know of a tenant.
func (in *Installation) of(spec *Converted) []string {
	lines := []string{spec.Key()}
	roles := map[string]int{}
	for i := range in.Hosts {
		labels := holdings.LabelsOf(&in.Hosts[i], in.Keys)
		if labels.Cluster == (holdings.ClusterKey{Namespace: spec.Namespace, Name: spec.Name}) {
			roles[cmp.Or(labels.Role, "without a role")]++
		}
	}
	var held []string
	for role, n := range roles { // sorted below
		held = append(held, fmt.Sprintf("%d %s", n, role))
	}
	slices.Sort(held)
	lines = append(lines, "hosts that stay, by their labels: "+cmp.Or(strings.Join(held, ", "), "none"))
	for _, name := range services(spec.Cluster) {
		objects := in.objects(spec, name)
		if slices.ContainsFunc(objects, func(o inventory.ServiceObject) bool { return o.Owners == nil }) {
			lines = append(lines, "service "+name+": sipgen does not know who owns its fields: read the installation with -f cluster, or from files with managedFields "+
				"(kubectl get -o yaml --show-managed-fields)")
		}
		if len(objects) == 0 {
			lines = append(lines, "service "+name+": not found, and made by the first sync")
			continue
		}
		lines = append(lines, "service "+name+": the Deployment and the Service stay, with uid, addresses and ports; the pods lose SIP's node selector for masters, its Secret and "+
			"its init container, and a load balancer gets two pods")
	}
	for _, note := range spec.Notes {
		lines = append(lines, "spec: "+strings.TrimPrefix(note.Path, ".")+": "+note.Text)
	}
	for _, problem := range spec.Problems {
		lines = append(lines, "PROBLEM, set right by hand: "+problem)
	}
	return lines
}

// handOvers are the commands for the objects of a tenant that another controller owns.
func (in *Installation) handOvers(spec *Converted) []string {
	var out []string
	for _, name := range services(spec.Cluster) {
		for _, object := range in.objects(spec, name) {
			if command := preflight.HandOver(in.Engine, &object); command != "" {
				out = append(out, command)
			}
		}
	}
	return out
}

func (in *Installation) objects(spec *Converted, name string) (out []inventory.ServiceObject) {
	for _, object := range in.Objects {
		if object.Namespace == spec.Namespace && object.Name == name {
			out = append(out, object)
		}
	}
	return out
}

// services are the names of a tenant's services; of a spec that cannot be read there are none, as names that are not checked are in no command.
func services(cluster *v1.SIPCluster) []string {
	if cluster == nil {
		return nil
	}
	return preflight.ServiceNames(cluster)
}
