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
}

// grows reports whether no machine goes, and no file that somebody includes.
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
	}
	return fmt.Sprintf("%sreplicas of %s %d to %d", words, r.Role, *r.From, *r.To)
}
