package report

import (
	"fmt"

	"github.com/airshipit/sipgen/internal/text"
)

// ReplicaChange is a number of machines that a run changes in the component for Cluster API of a cluster that has one
// already.
type ReplicaChange struct {
	// Cluster is "namespace/name".
	Cluster string `json:"cluster"`
	// Role is empty where the role is gone, and with it File, in the folder of the component, which set its number.
	Role string `json:"role,omitempty"`
	File string `json:"file"`
	// From is nil if no file set a number before, and To if none does now.
	From *int `json:"from,omitempty"`
	To   *int `json:"to,omitempty"`
	// Domains are those whose own number changes, where the role had numbers of domains before and has some now.
	Domains []DomainReplicas `json:"domains,omitempty"`
}

// DomainReplicas is a number of machines that changes in one domain of a role.
type DomainReplicas struct {
	// Domain is a topology key and its value, such as rack=r1.
	Domain string `json:"domain"`
	From   int    `json:"from"`
	To     int    `json:"to"`
}

// grows reports whether no machine goes, and no file that somebody includes. A domain that gives a machine to another
// one has lost it already.
func (r *ReplicaChange) grows() bool { return r.To != nil && (r.From == nil || *r.To >= *r.From) }

// String describes the change for a reviewer.
func (r *ReplicaChange) String() string {
	words := r.Cluster + ": capi: "
	switch {
	case r.To == nil:
		return words + r.File + " is deleted: nothing sets the replicas of those machines, and a kustomization that includes the component does not build until their objects are removed from it"
	case r.From == nil:
		return fmt.Sprintf("%sreplicas of %s set to %d", words, r.Role, *r.To)
	case *r.To < *r.From:
		return fmt.Sprintf("%sreplicas of %s %d to %d: where the component is used, Cluster API deletes %s, and chooses which", words, r.Role, *r.From, *r.To, text.Count(*r.From-*r.To, "machine"))
	case *r.To > *r.From:
		return fmt.Sprintf("%sreplicas of %s %d to %d", words, r.Role, *r.From, *r.To)
	}
	var domains []string
	for _, d := range r.Domains {
		domains = append(domains, fmt.Sprintf("%s %d to %d", d.Domain, d.From, d.To))
	}
	return words + "replicas of " + r.Role + " by domain: " + some(domains)
}
