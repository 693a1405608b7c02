package render

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"path"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
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
	// Site is what the decisions were made under.
	Site  AssignmentsSite `json:"site"`
	Hosts []AssignedHost  `json:"hosts"`
	// Releasing are hosts whose patch drops our labels.
	Releasing []ReleasingHost `json:"releasing,omitempty"`
	// Leaving: the cluster leaves, with or without its spec, until it has no host any more.
	Leaving bool `json:"leaving,omitempty"`
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
	// Use is what used the host when its release was approved, of a host that has another use now and whose approval was not taken back.
	Use string `json:"use,omitempty"`
	// Addresses by network id, as they were when the host was handed out: on the networks that the cluster's services use, and on others that a
	// service may use later. They are kept as long as the cluster has the host, since who consumes a host replaces its network data.
	Addresses map[string][]netip.Addr `json:"addresses,omitempty"`
}

// ReleasingHost is a host that is being given back.
type ReleasingHost struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
	Role      string `json:"role"`
	// Use is what used the host when its release was approved, empty if it was not: an approval is of one use.
	Use string `json:"use,omitempty"`
	// Addresses as of an assigned host: the release is off if somebody begins to use the host before its labels are gone.
	Addresses map[string][]netip.Addr `json:"addresses,omitempty"`
}

// assignmentsOf is the assignments.yaml of a cluster; spec is nil for one that is gone.
func assignmentsOf(site *v1alpha1.Site, c *schedule.Cluster, spec *v1.SIPCluster, leaving bool) ([]byte, error) {
	file := Assignments{
		APIVersion: v1alpha1.APIVersion,
		Kind:       AssignmentsKind,
		Metadata:   AssignmentsMetadata{Namespace: c.Key.Namespace, Name: c.Key.Name},
		Site:       assignmentsSite(site),
		Hosts:      []AssignedHost{},
		Leaving:    leaving,
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
				Role: role.Name, Domain: a.Domain, Standby: a.Standby, Pending: a.Pending, Use: a.Use,
				Addresses: addressesToKeep(a.Host, networks),
			})
		}
		for _, r := range role.Releasing {
			file.Releasing = append(file.Releasing, ReleasingHost{
				Namespace: r.Host.Namespace, Name: r.Host.Name, UID: r.Host.UID, Role: role.Name, Use: r.Use,
				Addresses: addressesToKeep(r.Host, networks),
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

// maxUnserved is on how many networks that no service uses a host's addresses are kept: its network data is of any size.
const maxUnserved = 32

// addressesToKeep are a host's addresses on the networks of the cluster's services, those that the previous tree had kept, and those that a
// service may need later, when they cannot be read any more.
func addressesToKeep(host *inventory.Host, networks []string) map[string][]netip.Addr {
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

// lasting says whether an address from a source is the host's own for as long as a cluster has it. Network data of a host in use may be its
// consumer's (Cluster API's metal3 provider replaces it), and what inspection found may be a lease.
func lasting(host *inventory.Host, origin inventory.AddressOrigin) bool {
	switch origin {
	case inventory.FromHostAnnotation, inventory.FromPreviousTree, inventory.FromPreprovisioning:
		return true
	case inventory.FromNetworkData:
		//guard: an address that a host's consumer wrote is kept as the host's own
		return !host.State.InUse()
	}
	return false
}

// Previous reads the claims out of a previous tree's assignments.yaml files. where is what the
// tree is called in messages. A file that was edited by hand is a problem, and so is one that was deleted while its cluster has patches:
// hosts would change hands without being released. A tree that was made for a site that is not this one in what AssignmentsSite holds is
// a problem too. Every problem is reported: a claim that is not understood must not be forgotten.
func Previous(where string, tree Tree, site *v1alpha1.Site) (schedule.Previous, error) {
	return previous(where, tree, site, func(siteChange) bool { return false })
}

// Former is Previous for a tree in another folder, which may have been made for another engine or another namespace of the engine: nothing prunes
// there what a new folder lacks.
func Former(where string, tree Tree, site *v1alpha1.Site) (schedule.Previous, error) {
	return previous(where, tree, site, siteChange.ofEngine)
}

// previous is Previous. The changes of the site that may be are no problem.
func previous(where string, tree Tree, site *v1alpha1.Site, may func(siteChange) bool) (schedule.Previous, error) {
	var (
		previous schedule.Previous
		problems manifest.Problems
		paths    []string
		changed  siteChanges
	)
	for path := range tree {
		if strings.HasPrefix(path, "clusters/") && strings.HasSuffix(path, "/assignments.yaml") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	//guard: claims are forgotten with a deleted file, and the hosts go to others
	problems.Add(missingAssignments(where, tree))
	for _, path := range paths {
		docs, err := manifest.Parse(where+"/"+path, tree[path])
		if err != nil {
			problems.Add(err)
			continue
		}
		// A file without content would be a cluster without hosts, and a second document one that nobody sees.
		//guard: of two documents in assignments.yaml one counts, and the other's hosts are forgotten
		if len(docs) != 1 || docs[0].Prefix != "" {
			problems.Add(fmt.Errorf("%s/%s: found %s, want one document of kind %s: %s", where, path, found(docs), AssignmentsKind, restoring))
			continue
		}
		file, err := readAssignments(&docs[0], path)
		problems.Add(err)
		if err == nil {
			//guard: a running tree is made for another engine, or with other label keys: assigned hosts look free
			changed.add(docs[0].File, slices.DeleteFunc(file.changes(site), may))
		}
		previous.Claims = append(previous.Claims, file.claims(docs[0].File)...)
		if file.Leaving {
			if previous.Leaving == nil {
				previous.Leaving = map[schedule.ClusterKey]bool{}
			}
			previous.Leaving[file.cluster()] = true
		}
	}
	problems.Add(changed.problems(site))
	return previous, problems.Err()
}

// found says what a file holds that is not one document.
func found(docs []manifest.Document) string {
	switch {
	case len(docs) == 0:
		return "nothing"
	case docs[0].Prefix != "":
		return "a List"
	}
	return fmt.Sprintf("%d documents", len(docs))
}

// IsAssignments says whether a path in a tree is, or looks like, a file that says who has which host: in another case, with
// another ending, or at another depth. It is neither read nor ignored where sipgen did not write it.
func IsAssignments(name string) bool {
	if !strings.HasPrefix(name, "clusters/") {
		return false
	}
	switch strings.ToLower(path.Base(name)) {
	case "assignments.yaml", "assignments.yml", "assignments.json":
		return true
	}
	return false
}

// HostsOf gives the folder of a cluster whose host patches a path is the kustomization of, "" if it is none.
func HostsOf(name string) string {
	folder, ok := strings.CutSuffix(name, "/hosts/kustomization.yaml")
	if !ok || !strings.HasPrefix(folder, "clusters/") {
		return ""
	}
	return folder
}

// restoring: a single file of the last commit may not fit the others.
const restoring = `sipgen help runbook restore-the-tree has the commands`

// missingAssignments finds clusters whose hosts' patches are there and whose assignments.yaml is not.
func missingAssignments(where string, tree Tree) error {
	var problems manifest.Problems
	for _, path := range slices.Sorted(maps.Keys(tree)) {
		folder := HostsOf(path)
		if _, there := tree[folder+"/assignments.yaml"]; folder != "" && !there {
			problems.Add(fmt.Errorf("%s/%s/assignments.yaml: missing, and %s is there: %s", where, folder, path, restoring))
		}
	}
	return problems.Err()
}

func readAssignments(doc *manifest.Document, path string) (Assignments, error) {
	//guard: decisions of a later version are read as if they were today's
	if doc.Kind != AssignmentsKind || doc.APIVersion != v1alpha1.APIVersion {
		return Assignments{}, doc.Problem("", "found %s %s, want %s %s", doc.APIVersion, doc.Kind, v1alpha1.APIVersion, AssignmentsKind)
	}
	var file Assignments
	if err := doc.Decode(&file); err != nil {
		return Assignments{}, err
	}
	//guard: an edit of assignments.yaml by hand is obeyed
	if want, err := file.digest(); err != nil || file.Digest != want {
		return Assignments{}, doc.Problem("digest", "does not match the content: the file was edited by hand; make such changes in the SIPCluster; %s", restoring)
	}
	//guard: decisions of one cluster in the folder of another are obeyed
	if want := Folder(file.cluster()) + "/assignments.yaml"; want != path {
		return Assignments{}, doc.Problem("metadata", "found cluster %s, want the one whose folder it is", file.cluster())
	}
	return file, nil
}

func (a *Assignments) cluster() schedule.ClusterKey {
	return schedule.ClusterKey{Namespace: a.Metadata.Namespace, Name: a.Metadata.Name}
}

// claims of the cluster, as source says them.
func (a *Assignments) claims(source string) []schedule.PreviousClaim {
	var claims []schedule.PreviousClaim
	for _, h := range a.Hosts {
		claims = append(claims, schedule.PreviousClaim{
			Host: schedule.HostKey{Namespace: h.Namespace, Name: h.Name}, UID: h.UID, Cluster: a.cluster(),
			Role: h.Role, Domain: h.Domain, Standby: h.Standby, Pending: h.Pending, Use: h.Use, Addresses: h.Addresses, Source: source,
		})
	}
	for _, h := range a.Releasing {
		claims = append(claims, schedule.PreviousClaim{
			Host: schedule.HostKey{Namespace: h.Namespace, Name: h.Name}, UID: h.UID, Cluster: a.cluster(),
			Role: h.Role, Releasing: true, Use: h.Use, Addresses: h.Addresses, Source: source,
		})
	}
	return claims
}
