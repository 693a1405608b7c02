// Package assignments has the file of each cluster in the tree with its hosts: the decisions of a run, which the next
// one reads.
package assignments

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/netip"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/object"
	"github.com/airshipit/sipgen/schedule"
)

// Kind is the kind of a cluster's assignments.yaml, in sipgen's own group.
const Kind = "Assignments"

// File is a cluster's assignments.yaml: which hosts it has, and which it is giving back.
// The next run reads it as the decisions that may not have been synced yet.
type File struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   Metadata `json:"metadata"`
	// Site is what the decisions were made under.
	Site  Conditions     `json:"site"`
	Hosts []AssignedHost `json:"hosts"`
	// Releasing are hosts whose patch drops sipgen's labels.
	Releasing []ReleasingHost `json:"releasing,omitempty"`
	// Empty are the active slots whose hosts are gone, and that no other host has got.
	Empty []EmptySlots `json:"empty,omitempty"`
	// Leaving: the cluster leaves, with or without its spec, until it has no host.
	Leaving bool `json:"leaving,omitempty"`
	// AcceptedLoss is the digest of the text in the spec's annotation accept-loss that a loss has used up, until the
	// annotation is another one.
	AcceptedLoss string `json:"acceptedLoss,omitempty"`
	// Digest is of everything above. These are decisions, and an edit by hand would be obeyed: it is refused.
	Digest string `json:"digest"`
}

// Seal sets the digest.
func (a *File) Seal() (err error) {
	a.Digest, err = a.digest()
	return err
}

// digest is of the file without its digest.
func (a File) digest() (string, error) {
	a.Digest = ""
	text, err := json.Marshal(a)
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:]), err
}

// Metadata names the cluster.
type Metadata struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// EmptySlots is how many active slots of a role are empty because their hosts are gone.
type EmptySlots struct {
	Role  string `json:"role"`
	Slots int    `json:"slots"`
}

// AssignedHost is a host in a slot.
type AssignedHost struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
	Role      string `json:"role"`
	Domain    string `json:"domain,omitempty"`
	Standby   bool   `json:"standby,omitempty"`
	// Pending: the host is to be released, once its user is gone or the release is approved.
	Pending bool `json:"pending,omitempty"`
	// Replaced: another host got its slot, and its release is pending.
	Replaced bool `json:"replaced,omitempty"`
	// Use is read, and no longer written: what used the host when its release was approved.
	Use string `json:"use,omitempty"`
	// Approval is what the cluster's approval of a release covers: the host's uid and use in the run that first read
	// the approval, or void.
	Approval string `json:"approval,omitempty"`
	// Addresses by network id, as they were when the host was handed out: on the networks that the cluster's services
	// use, and on others that a service may use later. They are kept as long as the cluster has the host, since who
	// consumes a host replaces its network data.
	Addresses map[string][]netip.Addr `json:"addresses,omitempty"`
}

// ReleasingHost is a host that is being released.
type ReleasingHost struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
	Role      string `json:"role"`
	// Use is what used the host when its release was approved, empty if it was not: an approval is of one use.
	Use string `json:"use,omitempty"`
	// Approval is as that of an AssignedHost.
	Approval string `json:"approval,omitempty"`
	// Addresses as of an assigned host: the release is cancelled if the host is used again before its labels are
	// gone.
	Addresses map[string][]netip.Addr `json:"addresses,omitempty"`
}

// Of returns the assignments.yaml of a cluster; spec is nil for one that is gone. accepted is its AcceptedLoss.
func Of(
	site *v1alpha1.Site, c *schedule.Cluster, spec *v1.SIPCluster, leaving bool, accepted string,
) ([]byte, error) {
	file := File{
		APIVersion: v1alpha1.APIVersion,
		Kind:       Kind,
		Metadata:   Metadata{Namespace: c.Key.Namespace, Name: c.Key.Name},
		Site:       conditionsOf(site),
		Hosts:      []AssignedHost{},
		Leaving:    leaving, AcceptedLoss: accepted,
	}
	for i := range c.Roles {
		role := &c.Roles[i]
		var networks []string
		if spec != nil {
			networks = spec.Networks(role.Name)
		}
		for _, a := range role.Assigned {
			file.Hosts = append(file.Hosts, AssignedHost{
				Namespace: a.Host.Namespace, Name: a.Host.Name, UID: a.Host.UID,
				Role: role.Name, Domain: a.Domain, Standby: a.Standby, Pending: a.Pending, Approval: a.Approval,
				Replaced: a.HasSuccessor, Addresses: Kept(a.Host, networks),
			})
		}
		if role.Empty > 0 {
			file.Empty = append(file.Empty, EmptySlots{role.Name, role.Empty})
		}
		for _, r := range role.Releasing {
			file.Releasing = append(file.Releasing, ReleasingHost{
				Namespace: r.Host.Namespace, Name: r.Host.Name, UID: r.Host.UID, Role: role.Name, Use: r.Use,
				Approval: r.Approval, Addresses: Kept(r.Host, networks),
			})
		}
	}
	slices.SortFunc(file.Hosts, func(a, b AssignedHost) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	slices.SortFunc(file.Releasing, func(a, b ReleasingHost) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	if err := file.Seal(); err != nil {
		return nil, err
	}
	return object.Rows(file)
}

// maxUnserved is on how many networks that no service uses a host's addresses are kept: its network data is of any
// size.
const maxUnserved = 32

// Kept returns a host's addresses on the networks of the cluster's services, those that the previous tree had kept,
// and those that a service may need later, when they cannot be read.
func Kept(host *inventory.Host, networks []string) map[string][]netip.Addr {
	var kept map[string][]netip.Addr
	unserved := 0
	for _, a := range host.Addresses {
		addresses := host.On(a.Network)
		if _, done := kept[a.Network]; done || len(addresses) == 0 {
			continue
		}
		if !slices.Contains(networks, a.Network) {
			if !lasting(host, a.Origin) || unserved == maxUnserved {
				continue
			}
			unserved++
		}
		if kept == nil {
			kept = map[string][]netip.Addr{}
		}
		kept[a.Network] = addresses
	}
	return kept
}

// lasting reports whether an address from a source is the host's own for as long as a cluster has it. Network data of
// a host in use may be its consumer's (Cluster API's metal3 provider replaces it), and what inspection found may be a
// lease.
func lasting(host *inventory.Host, origin inventory.AddressOrigin) bool {
	switch origin {
	case inventory.FromHostAnnotation, inventory.FromPreviousTree, inventory.FromPreprovisioning:
		return true
	case inventory.FromNetworkData:
		return !host.State.InUse()
	}
	return false
}

func (a *File) cluster() schedule.ClusterKey {
	return schedule.ClusterKey{Namespace: a.Metadata.Namespace, Name: a.Metadata.Name}
}

// claims returns the claims of the cluster. source is their Source.
func (a *File) claims(source string) []schedule.PreviousClaim {
	var claims []schedule.PreviousClaim
	for _, h := range a.Hosts {
		claims = append(claims, schedule.PreviousClaim{
			Host: schedule.HostKey{Namespace: h.Namespace, Name: h.Name}, UID: h.UID, Cluster: a.cluster(),
			Role: h.Role, Domain: h.Domain, Standby: h.Standby, Pending: h.Pending, Approval: noted(h.Approval, h.UID, h.Use),
			Replaced: h.Replaced, Addresses: h.Addresses, Source: source,
		})
	}
	for _, h := range a.Releasing {
		claims = append(claims, schedule.PreviousClaim{
			Host: schedule.HostKey{Namespace: h.Namespace, Name: h.Name}, UID: h.UID, Cluster: a.cluster(),
			Role: h.Role, Releasing: true, Use: h.Use, Approval: noted(h.Approval, h.UID, h.Use),
			Addresses: h.Addresses, Source: source,
		})
	}
	return claims
}

// noted returns what an approval covers. Trees of earlier versions note the use alone.
func noted(approval, uid, use string) string {
	if approval == "" && use != "" {
		return uid + "/" + use
	}
	return approval
}
