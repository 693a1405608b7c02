// Package capi renders the configuration with which Cluster API and its provider for metal3 use the assigned hosts: a
// kustomize component for Cluster API objects that operators or tools write. Nothing in the tree applies it.
//
// It is pure: the bytes depend only on the input.
package capi

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/render/object"
)

// Input is what the component of one cluster is rendered from.
type Input struct {
	Cluster *v1.SIPCluster
	// Keys are the labels that mark a host as assigned.
	Keys v1alpha1.LabelKeys
	// Domains are the values of FailureDomainLabel of the active control plane hosts, in any order.
	Domains []string
	// Placed is how many machines other roles have in the domains of their narrowest topology keys: by role and domain.
	Placed map[string]map[string]int
}

// Component renders the capi folder of a cluster, by paths relative to that folder, kustomization.yaml among them. It
// is empty for a cluster without roles.
func Component(in Input) (map[string][]byte, error) {
	if err := in.check(); err != nil || len(in.Cluster.Spec.Nodes) == 0 {
		return nil, err
	}
	c := &component{Input: in, files: map[string][]byte{}}
	roles := slices.Sorted(maps.Keys(in.Cluster.Spec.Nodes))
	names := fileNames(roles)
	// First: what follows labels the objects as this cluster's.
	c.refuse(roles)
	c.cluster()
	for _, role := range roles {
		set := in.Cluster.Spec.Nodes[role]
		active, _ := set.Want()
		c.machines(role, "metal3machinetemplate-"+names[role]+".yaml")
		if role == v1.RoleControlPlane {
			c.controlPlane(replicasFile(role, names[role]), active)
			continue
		}
		d := c.domainsOf(role)
		c.machinesByDomain(role, d)
		c.deployment(role)
		c.replicas(role, names[role], active, d)
	}
	if c.err != nil {
		return nil, c.err
	}
	content, err := object.Marshal(object.NewComponent(c.patches...))
	c.files["kustomization.yaml"] = content
	return c.files, err
}

// fileNames returns the parts of file names for roles: in lower case, because some file systems ignore case.
func fileNames(roles []string) map[string]string {
	count, names := map[string]int{}, map[string]string{}
	for _, role := range roles {
		count[strings.ToLower(role)]++
	}
	for _, role := range roles {
		names[role] = strings.ToLower(role)
		if count[names[role]] > 1 {
			digest := sha256.Sum256([]byte(role))
			names[role] += "-" + hex.EncodeToString(digest[:4])
		}
	}
	return names
}

// check refuses values from outside that break a selector or a patch.
func (in Input) check() error {
	var problems []error
	check := func(what, value string, messages []string) {
		for _, message := range messages {
			problems = append(problems, fmt.Errorf("%s %q: %s", what, value, message))
		}
	}
	check("metadata.namespace", in.Cluster.Namespace, validation.IsDNS1123Label(in.Cluster.Namespace))
	check("metadata.name", in.Cluster.Name, validation.IsDNS1123Label(in.Cluster.Name))
	for _, role := range slices.Sorted(maps.Keys(in.Cluster.Spec.Nodes)) {
		check("role", role, validation.IsValidLabelValue(role))
		if role == "" {
			check("role", role, []string{"want a name"})
		}
	}
	for _, domain := range in.Domains {
		check("failure domain", domain, validation.IsValidLabelValue(domain))
	}
	for _, role := range slices.Sorted(maps.Keys(in.Placed)) {
		d := in.domainsOf(role)
		if d.key == "" && len(d.names) == 0 {
			continue
		}
		check("topology key", d.key, validation.IsQualifiedName(d.key))
		for _, domain := range d.names {
			check(d.key, domain, validation.IsValidLabelValue(domain))
		}
	}
	return errors.Join(problems...)
}

// component gathers the patches of one cluster, and the first error.
type component struct {
	Input
	files   map[string][]byte
	patches []object.Patch
	err     error
}

// partial is as much of an object as a patch changes. It has no apiVersion: kustomize would write that of the patch
// into the object.
type partial struct {
	Kind     string         `json:"kind"`
	Metadata metadata       `json:"metadata"`
	Spec     map[string]any `json:"spec,omitempty"`
}

type metadata struct {
	// Name has to be there, and is not looked at where a patch has a target.
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
}

// own adds a strategic merge patch as a file, and marks the object with the cluster. A strategic merge creates
// missing parents.
func (c *component) own(file string, target object.PatchTarget, spec map[string]any) {
	c.file(file, target, c.owned(target.Kind, spec))
}

// owned is a patch that marks an object with the cluster.
func (c *component) owned(kind string, spec map[string]any) partial {
	return partial{Kind: kind, Spec: spec, Metadata: metadata{Name: c.Cluster.Name, Labels: map[string]string{
		c.Keys.ClusterNamespace: c.Cluster.Namespace, c.Keys.ClusterName: c.Cluster.Name,
	}}}
}

func (c *component) file(file string, target object.PatchTarget, patch partial) {
	content, err := object.Marshal(patch)
	c.err = cmp.Or(c.err, err)
	c.files[file] = content
	c.patches = append(c.patches, object.Patch{Path: file, Target: &target})
}

// always adds a strategic merge patch that is the same for every cluster.
func (c *component) always(target object.PatchTarget, spec map[string]any) {
	kind, _, _ := strings.Cut(target.Kind, "|") // of several kinds each keeps its own
	c.inline(target, partial{Kind: kind, Metadata: metadata{Name: c.Cluster.Name}, Spec: spec})
}

func (c *component) inline(target object.PatchTarget, patch partial) {
	text, err := object.Fragment(patch)
	c.err = cmp.Or(c.err, err)
	c.patches = append(c.patches, object.Patch{Target: &target, Patch: text})
}

// operations adds a JSON patch.
func (c *component) operations(target object.PatchTarget, operations ...operation) {
	text, err := object.Fragment(operations)
	c.err = cmp.Or(c.err, err)
	c.patches = append(c.patches, object.Patch{Target: &target, Patch: text})
}

// operation is one of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	From  string `json:"from,omitempty"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// ofRole returns the objects of a kind that a person labeled with the role.
func (c *component) ofRole(kind groupKind, role string) object.PatchTarget {
	return object.PatchTarget{Group: kind.group, Kind: kind.kind, LabelSelector: c.Keys.NodeType + "=" + role}
}

// refuse ends the build where the component would leave out an object, or change one of another cluster: a template
// without a hostSelector takes whatever host is in its namespace.
func (c *component) refuse(roles []string) {
	workers := slices.DeleteFunc(slices.Clone(roles), func(role string) bool { return role == v1.RoleControlPlane })
	for _, k := range []struct {
		kind  groupKind
		roles []string
	}{{machineTemplate, roles}, {machineDeployment, workers}} {
		selector, words := c.Keys.NodeType+" notin ("+strings.Join(k.roles, ",")+")", "want "+strings.Join(k.roles, " or ")
		if len(k.roles) == 0 {
			selector, words = "", "want none, there is no such role"
		}
		c.fail(object.PatchTarget{Group: k.kind.group, Kind: k.kind.kind, LabelSelector: selector}, k.kind.kind,
			c.Keys.NodeType, words)
	}
	kinds := strings.Join([]string{infraCluster.kind, machineTemplate.kind, controlPlanes,
		machineDeployment.kind}, "|")
	for _, own := range []struct{ key, value string }{{c.Keys.ClusterNamespace, c.Cluster.Namespace},
		{c.Keys.ClusterName, c.Cluster.Name}} {
		c.fail(object.PatchTarget{Kind: kinds, LabelSelector: own.key + "," + own.key + "!=" + own.value}, "an object",
			own.key,
			"found another cluster's, want a kustomization for each")
	}
}

// fail makes the build fail with a message if an object matches the target. kustomize has no such function; but a
// test of a field that no object has fails, and its error contains the field's path.
func (c *component) fail(target object.PatchTarget, what, label, words string) {
	path := fmt.Sprintf("SIPCluster %s: %s: label %s: %s", c.Cluster.Key(), what, label, words)
	c.operations(target, operation{Op: "test", Path: "/" + strings.ReplaceAll(path, "/", "~1"), Value: true})
}
