package render

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/manifest"
	"github.com/airshipit/sipgen/render/object"
	"github.com/airshipit/sipgen/schedule"
)

// AssignmentsKind is the kind of a cluster's assignments.yaml, in sipgen's own group.
const AssignmentsKind = "Assignments"

// Assignments is a cluster's assignments.yaml: which hosts it has, and which it is giving back.
// The next run reads it as the decisions that may not have been synced yet.
type Assignments struct {
	APIVersion string              `json:"apiVersion"`
	Kind       string              `json:"kind"`
	Metadata   AssignmentsMetadata `json:"metadata"`
	Hosts      []AssignedHost      `json:"hosts"`
	// Releasing are hosts whose patch drops our labels.
	Releasing []ReleasingHost `json:"releasing,omitempty"`
	// Digest is of everything above. These are decisions, and an edit by hand would be obeyed: it is refused.
	Digest string `json:"digest"`
}

// digest is of the file without its digest.
func (a Assignments) digest() (string, error) {
	a.Digest = ""
	text, err := json.Marshal(a)
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:]), err
}

// AssignmentsMetadata names the cluster.
type AssignmentsMetadata struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// AssignedHost is a host in a slot.
type AssignedHost struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
	Role      string `json:"role"`
	Domain    string `json:"domain,omitempty"`
	Standby   bool   `json:"standby,omitempty"`
	// Pending: the host is to be released once it is let go, or its release approved.
	Pending bool `json:"pending,omitempty"`
	// Addresses by network id, those that the cluster's services use.
	Addresses map[string][]netip.Addr `json:"addresses,omitempty"`
}

// ReleasingHost is a host that is being given back.
type ReleasingHost struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
	Role      string `json:"role"`
}

// assignmentsOf is the assignments.yaml of a cluster; spec is nil for one that is gone.
func assignmentsOf(c *schedule.Cluster, spec *v1.SIPCluster) ([]byte, error) {
	file := Assignments{
		APIVersion: v1alpha1.APIVersion,
		Kind:       AssignmentsKind,
		Metadata:   AssignmentsMetadata{Namespace: c.Key.Namespace, Name: c.Key.Name},
		Hosts:      []AssignedHost{},
	}
	for i := range c.Roles {
		role := &c.Roles[i]
		for _, a := range role.Assigned {
			host := AssignedHost{
				Namespace: a.Host.Namespace, Name: a.Host.Name, UID: a.Host.UID,
				Role: role.Name, Domain: a.Domain, Standby: a.Standby, Pending: a.Pending,
			}
			if spec != nil {
				for _, network := range spec.Networks(role.Name) {
					if addresses := a.Host.On(network); len(addresses) > 0 {
						if host.Addresses == nil {
							host.Addresses = map[string][]netip.Addr{}
						}
						host.Addresses[network] = addresses
					}
				}
			}
			file.Hosts = append(file.Hosts, host)
		}
		for _, r := range role.Releasing {
			file.Releasing = append(file.Releasing, ReleasingHost{
				Namespace: r.Host.Namespace, Name: r.Host.Name, UID: r.Host.UID, Role: role.Name,
			})
		}
	}
	slices.SortFunc(file.Hosts, func(a, b AssignedHost) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	slices.SortFunc(file.Releasing, func(a, b ReleasingHost) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	var err error
	if file.Digest, err = file.digest(); err != nil {
		return nil, err
	}
	return object.Marshal(file)
}

// Previous reads the claims out of a previous tree's assignments.yaml files. where is what the
// tree is called in messages. A file that was edited by hand is a problem, and so is one that was deleted while its cluster has patches:
// hosts would change hands without being released. Every problem is reported: a claim that is not understood must not be forgotten.
func Previous(where string, tree Tree) (schedule.Previous, error) {
	var (
		previous schedule.Previous
		problems manifest.Problems
		paths    []string
	)
	for path := range tree {
		if strings.HasPrefix(path, "clusters/") && strings.HasSuffix(path, "/assignments.yaml") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	problems.Add(missingAssignments(where, tree))
	for _, path := range paths {
		docs, err := manifest.Parse(where+"/"+path, tree[path])
		if err != nil {
			problems.Add(err)
			continue
		}
		for i := range docs {
			claims, err := claimsOf(&docs[i], path)
			problems.Add(err)
			previous.Claims = append(previous.Claims, claims...)
		}
	}
	return previous, problems.Err()
}

// missingAssignments finds clusters whose hosts' patches are there and whose assignments.yaml is not.
func missingAssignments(where string, tree Tree) error {
	var problems manifest.Problems
	for _, path := range slices.Sorted(maps.Keys(tree)) {
		folder, found := strings.CutSuffix(path, "/hosts/kustomization.yaml")
		if _, there := tree[folder+"/assignments.yaml"]; found && strings.HasPrefix(path, "clusters/") && !there {
			problems.Add(fmt.Errorf("%s/%s/assignments.yaml: missing, and %s is there: restore it from the last commit", where, folder, path))
		}
	}
	return problems.Err()
}

func claimsOf(doc *manifest.Document, path string) ([]schedule.PreviousClaim, error) {
	if doc.Kind != AssignmentsKind || doc.APIVersion != v1alpha1.APIVersion {
		return nil, doc.Problem("", "found %s %s, want %s %s", doc.APIVersion, doc.Kind, v1alpha1.APIVersion, AssignmentsKind)
	}
	var file Assignments
	if err := doc.Decode(&file); err != nil {
		return nil, err
	}
	if want, err := file.digest(); err != nil || file.Digest != want {
		return nil, doc.Problem("digest", "does not fit: the file was edited by hand; restore it from the last commit, and say what you want in the SIPCluster")
	}
	cluster := schedule.ClusterKey{Namespace: file.Metadata.Namespace, Name: file.Metadata.Name}
	if want := Folder(cluster) + "/assignments.yaml"; want != path {
		return nil, doc.Problem("metadata", "found cluster %s, want the one whose folder it is", cluster)
	}
	var claims []schedule.PreviousClaim
	for _, h := range file.Hosts {
		claims = append(claims, schedule.PreviousClaim{
			Host: schedule.HostKey{Namespace: h.Namespace, Name: h.Name}, UID: h.UID, Cluster: cluster,
			Role: h.Role, Domain: h.Domain, Standby: h.Standby, Source: doc.File,
		})
	}
	for _, h := range file.Releasing {
		claims = append(claims, schedule.PreviousClaim{
			Host: schedule.HostKey{Namespace: h.Namespace, Name: h.Name}, UID: h.UID, Cluster: cluster,
			Role: h.Role, Releasing: true, Source: doc.File,
		})
	}
	return claims, nil
}
