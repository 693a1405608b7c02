// Package api reads the specs of sipgen: SIPClusters (api/v1) and the Site (api/v1alpha1), from files or documents,
// decoded strictly and valid.
package api

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// LoadClusters reads the SIPClusters of files, of folders (every .yaml, .yml and .json below them) and of stdin for
// "-", decodes them strictly and validates each by itself; validation.ValidateClusters compares them. It skips
// documents of other kinds and sorts by namespace and name. The error joins all problems, each with its file,
// document, line and field; with an error there is no result.
func LoadClusters(paths []string, stdin io.Reader) ([]v1.SIPCluster, error) {
	docs, err := manifest.Read(paths, stdin)
	if err != nil {
		return nil, err
	}
	return ClustersFromDocuments(docs)
}

// ParseClusters is LoadClusters for the text of one file, YAML documents or JSON. file is its name in problems.
func ParseClusters(file string, text []byte) ([]v1.SIPCluster, error) {
	docs, err := manifest.Parse(file, text)
	if err != nil {
		return nil, err
	}
	return ClustersFromDocuments(docs)
}

// ClustersFromDocuments decodes and validates the SIPClusters among docs, skips documents of other kinds, and sorts
// by namespace and name. The error joins all problems.
func ClustersFromDocuments(docs []manifest.Document) ([]v1.SIPCluster, error) {
	var (
		clusters []v1.SIPCluster
		problems manifest.Problems
		seen     = map[string]string{}
	)
	for _, d := range DecodeClusters(docs) {
		for _, err := range d.Errs {
			problems.Add(err)
		}
		if d.Cluster == nil {
			continue
		}
		if first, twice := seen[d.Cluster.Key()]; twice {
			problems.Add(d.Document.Problem("metadata.name", "%s", d.Twice(first)))
			continue
		}
		seen[d.Cluster.Key()] = d.Cluster.Source.String()
		clusters = append(clusters, *d.Cluster)
	}
	slices.SortFunc(clusters, compareKeys)
	return clusters, problems.Err()
}

// DecodedCluster is a document that is a SIPCluster, or nearly one: with a wrong kind or apiVersion.
type DecodedCluster struct {
	Document *manifest.Document
	// Cluster is nil if the document cannot be decoded, or if a list in it is longer than allowed.
	Cluster *v1.SIPCluster
	// Errs are the problems of the document by itself.
	Errs []error
}

// Twice returns the problem that the cluster of the document is defined at first already. Its field is metadata.name.
func (d *DecodedCluster) Twice(first string) string {
	return redact.Sprintf("SIPCluster %s/%s is a duplicate, first defined at %s: delete one of them, or rename it",
		d.Document.Namespace, d.Document.Name, first)
}

// Leaving returns the cluster of a document that cannot be decoded, without a spec, if its metadata lets the cluster
// leave: that needs no spec. It is nil for every other document.
func (d *DecodedCluster) Leaving() *v1.SIPCluster {
	var head struct {
		Metadata struct {
			DeletionTimestamp any            `json:"deletionTimestamp"`
			Annotations       map[string]any `json:"annotations"`
		} `json:"metadata"`
	}
	if d.Cluster != nil || json.Unmarshal(d.Document.JSON, &head) != nil {
		return nil
	}
	c := &v1.SIPCluster{Source: d.Document.Place(), Document: d.Document}
	c.Namespace, c.Name = d.Document.Namespace, d.Document.Name
	if at, is := head.Metadata.DeletionTimestamp.(string); is {
		if time, err := time.Parse(time.RFC3339, at); err == nil {
			c.DeletionTimestamp = &metav1.Time{Time: time}
		}
	}
	for key, value := range head.Metadata.Annotations {
		if text, is := value.(string); is {
			metav1.SetMetaDataAnnotation(&c.ObjectMeta, key, text)
		}
	}
	if !c.Leaves() {
		return nil
	}
	return c
}

// DecodeClusters decodes and validates the SIPClusters among docs, each by itself, in the order of docs. It keeps
// duplicates.
func DecodeClusters(docs []manifest.Document) []DecodedCluster {
	var out []DecodedCluster
	for i := range docs {
		d := DecodedCluster{Document: &docs[i]}
		doc := d.Document
		switch {
		case doc.Kind == "" && doc.APIVersion == "":
			d.Errs = append(d.Errs, doc.Problem("", "no apiVersion and no kind: not a Kubernetes object"))
		case doc.NoKind():
			d.Errs = append(d.Errs, doc.Problem("kind", "missing, want %q or another object's", v1.Kind))
		case IsManifest(doc): // a Vino has the apiVersion of a SIPCluster
			continue
		case doc.APIVersion == v1.APIVersion && doc.Kind != v1.Kind:
			d.Errs = append(d.Errs, doc.Problem("kind", "found %q, want %q", doc.Kind, v1.Kind))
		case doc.Kind == v1.Kind && doc.APIVersion != v1.APIVersion:
			d.Errs = append(d.Errs, doc.Problem("apiVersion", "found %q, want %q", doc.APIVersion, v1.APIVersion))
		case doc.Kind != v1.Kind:
			continue
		default:
			d.Cluster, d.Errs = validation.Decode(doc)
		}
		out = append(out, d)
	}
	return out
}

func compareKeys(a, b v1.SIPCluster) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
