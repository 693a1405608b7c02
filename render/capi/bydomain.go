package capi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/render/object"
)

// roleDomains are the domains of a role by which its workers may be divided.
type roleDomains struct {
	// key is the narrowest topology key, empty where the role has none. An object of the role that has it as a label is
	// for the label's domain alone.
	key string
	// names are the domains with machines, sorted, and machines how many each has.
	names    []string
	machines map[string]int
}

func (in Input) domainsOf(role string) roleDomains {
	set := in.Cluster.Spec.Nodes[role]
	d := roleDomains{machines: in.Placed[role]}
	if keys := set.Keys(); len(keys) > 0 {
		d.key = keys[len(keys)-1]
	}
	for _, name := range slices.Sorted(maps.Keys(d.machines)) {
		if name != "" {
			d.names = append(d.names, name)
		}
	}
	return d
}

// the returns the objects of a role that are for one domain, "" for those without the label.
func (d roleDomains) the(target object.PatchTarget, domain string) object.PatchTarget {
	switch {
	case d.key == "":
	case domain == "":
		target.LabelSelector += ",!" + d.key
	default:
		target.LabelSelector += "," + d.key + "=" + domain
	}
	return target
}

// others returns the objects of a role that are for domains without machines. notin alone selects those without the
// label, too.
func (d roleDomains) others(target object.PatchTarget) object.PatchTarget {
	target.LabelSelector += "," + d.key
	if len(d.names) > 0 {
		target.LabelSelector += "," + d.key + " notin (" + strings.Join(d.names, ",") + ")"
	}
	return target
}

// machinesByDomain narrows the selectors of templates to their domains. Those of domains without machines select no
// host of the role.
func (c *component) machinesByDomain(role string, d roleDomains) {
	if d.key == "" {
		return
	}
	patch := func(target object.PatchTarget, selector map[string]any) {
		c.always(target, map[string]any{"template": map[string]any{"spec": map[string]any{"hostSelector": selector}}})
	}
	target := c.ofRole(machineTemplate, role)
	for _, domain := range d.names {
		patch(d.the(target, domain), map[string]any{"matchLabels": map[string]string{d.key: domain}})
	}
	expressions := []metav1.LabelSelectorRequirement{c.notStandby()}
	if len(d.names) > 0 {
		expressions = append(expressions, metav1.LabelSelectorRequirement{Key: d.key, Operator: metav1.LabelSelectorOpNotIn,
			Values: d.names})
	}
	patch(d.others(target), map[string]any{"matchExpressions": expressions})
}

// replicas sets how many machines a role has: in its one MachineDeployment, or in one for each domain. Where the
// cluster autoscaler sets the number, the object keeps its own.
//
// The build fails where two objects would ask for the same hosts. No patch compares objects, but a strategic merge
// patch fails if two objects have one name. So each is called as its domain is, and the one without a domain as each of
// them in turn, until all get their names back. Two versions of the kind are two kinds to kustomize: they pass.
func (c *component) replicas(role, name string, active int, d roleDomains) {
	target := c.ofRole(machineDeployment, role)
	target.AnnotationSelector = "!" + autoscaled
	all := d.the(target, "")
	set := func(file string, target object.PatchTarget, labels map[string]string, replicas int) {
		c.file(file, target, partial{Kind: target.Kind, Metadata: metadata{Name: c.Cluster.Name, Labels: labels},
			Spec: map[string]any{"replicas": replicas}})
	}
	// The message. kustomize keeps former names and namespaces in lists with commas, so it has none.
	words := fmt.Sprintf("SIPCluster %s: label %s=%s: want one MachineDeployment", c.Cluster.Key(), c.Keys.NodeType, role)
	if d.key != "" {
		words += " or one per value of label " + d.key
	}
	const saved, called = "/sipgen", "/metadata/name"
	save := []operation{
		{Op: "copy", From: "/metadata", Path: saved},
		{Op: "add", Path: "/metadata/namespace", Value: words},
	}
	back := operation{Op: "move", From: saved, Path: "/metadata"}
	c.operations(all, append(save, operation{Op: "replace", Path: called, Value: role})...)
	labeled := target
	if d.key != "" {
		labeled.LabelSelector += "," + d.key + "," + d.key + "!="
		label := "/metadata/labels/" + strings.ReplaceAll(d.key, "/", "~1")
		c.operations(labeled, append(save, operation{Op: "copy", From: label, Path: called})...)
		c.always(d.others(target), map[string]any{"replicas": 0})
	}
	set(replicasFile(role, name), all, nil, active)
	files := fileNames(d.names)
	for _, domain := range d.names {
		c.operations(all, operation{Op: "replace", Path: called, Value: domain})
		set(deploymentPrefix+name+"/domain-"+files[domain]+".yaml", d.the(target, domain), map[string]string{d.key: domain}, d.machines[domain])
	}
	c.operations(all, back)
	if d.key != "" {
		c.operations(labeled, back)
	}
}
