package report

import (
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/text"
)

// ComponentChange is a change, other than of replicas, in the components for Cluster API that a cluster has already.
type ComponentChange struct {
	// Cluster is "namespace/name".
	Cluster string `json:"cluster"`
	// What is one of the words below.
	What string `json:"what"`
	// Files are those that change, or the component of a Dex, in the folder capi.
	Files []string `json:"files,omitempty"`
	// From and To are empty where nothing is set.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Deleted: the component of a Dex goes.
	Deleted bool `json:"deleted,omitempty"`
}

// The kinds of changes in a component.
const (
	ComponentAuthentication = "authentication"
	ComponentEndpoint       = "controlPlaneEndpoint"
	ComponentDomains        = "failureDomains"
	ComponentPatches        = "patches"
	ComponentDeleted        = "deleted"
)

// String describes the change for a reviewer.
func (c *ComponentChange) String() string {
	words := c.Cluster + ": capi: "
	switch {
	case c.What == ComponentAuthentication && c.Deleted:
		return words + strings.Join(c.Files, ", ") + " is deleted: a kustomization that includes that component does not build until the component is removed from it; then the control plane machines are replaced one by one, and authentication by Dex is lost"
	case c.What == ComponentAuthentication:
		return words + "the authentication changes (" + strings.Join(c.Files, ", ") +
			"), which decides who may log in; where the component is used, the control plane machines are replaced " +
			"one by one"
	case c.What == ComponentDeleted:
		return words + "the component is deleted, because the Site has no spec.clusterAPI: a kustomization that " +
			"includes it fails to build"
	case c.What == ComponentEndpoint:
		return words + "controlPlaneEndpoint" + c.fromTo() +
			": where the component is used, a running cluster cannot change it, because certificates and kubeconfigs contain it"
	case c.What == ComponentDomains:
		return words + "failureDomains" + c.fromTo() +
			": where the component is used, Cluster API puts new control plane machines there"
	}
	return words + some(slices.Clone(c.Files)) + sentence.Verb(len(c.Files), " changes", " change") +
		": where the component is used, the objects that it patches also change"
}

func (c *ComponentChange) fromTo() string {
	switch {
	case c.From == "":
		return " set to " + text.Truncate(c.To, maxValue)
	case c.To == "":
		return " " + text.Truncate(c.From, maxValue) + " is unset"
	}
	return " " + text.Truncate(c.From, maxValue) + " to " + text.Truncate(c.To, maxValue)
}

// maxValue is the longest value in a danger.
const maxValue = 200
