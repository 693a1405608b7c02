package render

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/render/object"
	"github.com/airshipit/sipgen/schedule"
)

// releasedFile has the hosts that clusters have released with something on them. No cluster can have the name.
const releasedFile = "clusters/released.yaml"

// ReleasedHostsKind is the kind of releasedFile, in sipgen's own group.
const ReleasedHostsKind = "ReleasedHosts"

// ReleasedHosts are hosts without labels that are in use still, and the clusters that released them: what a tenant may have counts them.
type ReleasedHosts struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Hosts      []ReleasedHost `json:"hosts"`
	// Digest is of everything above: an edit by hand is refused.
	Digest string `json:"digest"`
}

// ReleasedHost is one of them.
type ReleasedHost struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
	// Cluster that released it.
	Cluster AssignmentsMetadata `json:"cluster"`
	// Consumer that it has, "Kind namespace/name".
	Consumer string `json:"consumer,omitempty"`
}

// digest is of the file without its digest.
func (r ReleasedHosts) digest() (string, error) {
	r.Digest = ""
	text, err := json.Marshal(r)
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:]), err
}

// released writes releasedFile, if there are such hosts.
func (s *site) released() error {
	if len(s.Placement.StillUsed) == 0 || s.preview {
		return nil
	}
	file := ReleasedHosts{APIVersion: v1alpha1.APIVersion, Kind: ReleasedHostsKind}
	for _, u := range s.Placement.StillUsed {
		file.Hosts = append(file.Hosts, ReleasedHost{
			Namespace: u.Host.Namespace, Name: u.Host.Name, UID: u.UID,
			Cluster: AssignmentsMetadata{Namespace: u.Cluster.Namespace, Name: u.Cluster.Name}, Consumer: u.Consumer,
		})
	}
	var err error
	if file.Digest, err = file.digest(); err != nil {
		return err
	}
	s.tree[releasedFile], err = object.Marshal(file)
	return err
}

// stillUsed reads releasedFile out of a previous tree. It is read as strictly as the claims: what is forgotten is not counted.
func stillUsed(where string, tree Tree) ([]schedule.StillUsed, error) {
	content, there := tree[releasedFile]
	if !there {
		return nil, nil
	}
	docs, err := manifest.Parse(where+"/"+releasedFile, content)
	if err != nil {
		return nil, err
	}
	if len(docs) != 1 || docs[0].Prefix != "" {
		return nil, fmt.Errorf("%s/%s: found %s, want one document of kind %s: restore it from the last commit", where, releasedFile, found(docs), ReleasedHostsKind)
	}
	doc := &docs[0]
	if doc.Kind != ReleasedHostsKind || doc.APIVersion != v1alpha1.APIVersion {
		return nil, doc.Problem("", "found %s %s, want %s %s", doc.APIVersion, doc.Kind, v1alpha1.APIVersion, ReleasedHostsKind)
	}
	var file ReleasedHosts
	if err := doc.Decode(&file); err != nil {
		return nil, err
	}
	//guard: an edit of the tree takes machines off a tenant's count
	if want, err := file.digest(); err != nil || file.Digest != want {
		return nil, doc.Problem("digest", "does not match the content: the file was edited by hand; restore it from the last commit")
	}
	var out []schedule.StillUsed
	for _, h := range file.Hosts {
		out = append(out, schedule.StillUsed{
			Host: schedule.HostKey{Namespace: h.Namespace, Name: h.Name}, UID: h.UID,
			Cluster: schedule.ClusterKey{Namespace: h.Cluster.Namespace, Name: h.Cluster.Name}, Consumer: h.Consumer,
		})
	}
	return out, nil
}
