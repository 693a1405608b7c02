package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/api"
	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/kustomization"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/inventory/bmh"
	"github.com/airshipit/sipgen/schedule"
)

// specs are the documents of the specs.
type specs struct {
	decoded []spec
	// broken are the files that could not be read completely.
	broken []admit.Problem
	// empty are about the files without a document.
	empty []error
	// secrets are the names of the Secrets in the files, "namespace/name".
	secrets []string
	// files: some specs are files. hosts are the BareMetalHosts in them, which are not read. sites are the files with
	// a Site, as messages name them.
	files bool
	hosts int
	sites []string
	// paths maps the files, as messages name them, to the paths that package tenancy gives them.
	paths map[string]string
	// unread are as in Loaded.
	unread []string
	// manifests are the specs of the site's services.
	manifests []manifest.Document
}

// spec is a document with its file, as package tenancy names files.
type spec struct {
	api.DecodedCluster
	file string
}

// loadSpecs reads the documents of the specs. Errors of one file are in broken. The site has the tenants' folders.
func (in *Inputs) loadSpecs(ctx context.Context, stdin io.Reader, site *v1alpha1.Site) (*specs, error) {
	var (
		s    = specs{paths: map[string]string{}}
		errs []error
	)
	paths := slices.DeleteFunc(slices.Clone(in.Specs), func(root string) bool { return root == FromCluster })
	if len(paths) < len(in.Specs) {
		documents, err := in.ClusterSpecs(ctx)
		errs = append(errs, err)
		for _, decoded := range api.DecodeClusters(documents) {
			s.decoded = append(s.decoded, spec{DecodedCluster: decoded})
		}
	}
	s.files = len(paths) > 0
	documents, err := kustomization.Specs(paths, stdin, func(file string) string {
		return tenancy.Folder(site, in.pathOf(file))
	})
	for _, err := range Flatten(err) {
		var inFile *manifest.FileError
		switch {
		case errors.Is(err, manifest.ErrNoFiles):
			s.unread = append(s.unread, in.missingOf(err, in.specsOfSite, "spec.inputs.specs", "SIPGEN_SPECS",
				in.Specs...).Error())
		case errors.Is(err, manifest.ErrEmpty) && errors.As(err, &inFile):
			s.paths[inFile.File] = in.pathOf(inFile.File)
			s.empty = append(s.empty, inFile)
		case errors.As(err, &inFile):
			s.paths[inFile.File] = in.pathOf(inFile.File)
			s.broken = append(s.broken, problemsIn(s.paths[inFile.File], admit.Freezes, finding.Invalid,
				schedule.ClusterKey{}, err)...)
		default:
			errs = append(errs, in.missingOf(err, in.specsOfSite, "spec.inputs.specs", "SIPGEN_SPECS", in.Specs...))
		}
	}
	for i := range documents {
		switch {
		case api.IsManifest(&documents[i]):
			if owner := ownerOf(site, in.pathOf(documents[i].File)); owner != "" {
				s.unread = append(s.unread, fmt.Sprintf("%s: a manifest of %s in %s: not read; "+
					"a service of the site is in the Site's file, or where no tenant writes",
					documents[i].Where(), documents[i].Kind, owner))
			} else {
				s.manifests = append(s.manifests, documents[i])
			}
		case documents[i].Kind == "BareMetalHost":
			s.hosts++
		case api.IsSite(documents[i]) && !slices.Contains(s.sites, documents[i].File):
			s.sites = append(s.sites, documents[i].File)
		}
	}
	for _, decoded := range api.DecodeClusters(documents) {
		file := decoded.Document.File
		if _, known := s.paths[file]; !known {
			s.paths[file] = in.pathOf(file)
		}
		s.decoded = append(s.decoded, spec{decoded, s.paths[file]})
	}
	s.secrets = bmh.SecretNames(documents)
	return &s, errors.Join(errs...)
}

// ownerOf names the tenant that may write a file, for a message; "" for none.
func ownerOf(site *v1alpha1.Site, file string) string {
	if site == nil {
		return ""
	}
	if folder := tenancy.Folder(site, file); folder != "" {
		return "a tenant's folder, " + redact.Plain(folder)
	}
	for i := range site.Spec.Tenants {
		if t := &site.Spec.Tenants[i]; len(t.Specs) == 0 {
			return "a file that tenant " + redact.Plain(t.Name) + ", which has no folder in spec.tenants[].specs, may write"
		}
	}
	return ""
}

// unreadable returns an error for each file, or document of one, that could not be read.
func (s *specs) unreadable() error {
	var problems manifest.Problems
	for i := range s.broken {
		problems.Add(errors.New(s.broken[i].Reason()))
	}
	return problems.Err()
}

// valid returns the clusters with valid specs, some of them perhaps twice.
func (s *specs) valid() []v1.SIPCluster {
	clusters := []v1.SIPCluster{}
	for i := range s.decoded {
		if d := &s.decoded[i]; d.Cluster != nil && len(d.Errs) == 0 {
			clusters = append(clusters, *d.Cluster)
		}
	}
	return clusters
}

// hasValidName reports whether Kubernetes allows the name of a cluster. Without such a name, the spec is a finding of
// its file, and of no cluster: nothing is planned or listed for it.
func hasValidName(c *v1.SIPCluster) bool {
	return len(validation.IsDNS1123Label(c.Namespace)) == 0 && len(validation.IsDNS1123Subdomain(c.Name)) == 0
}

// problemsIn returns the problems of a file, as package tenancy names files.
func problemsIn(file string, effect admit.Effect, code string, cluster schedule.ClusterKey, err error) []admit.Problem {
	problems := admit.Problems(code, cluster, err)
	for i := range problems {
		problems[i].Place.Written, problems[i].Effect = file, effect
	}
	return problems
}

// Wrong returns the faults of the specs, each once.
func (s *Specs) Wrong() (out []finding.Finding) {
	for i := range s.Problems {
		if f := s.Problems[i].Finding; !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// bind binds each spec to its tenant, and records its problems. A spec whose author has no say in the cluster is
// dropped. Without a Site there are no tenants.
func (s *specs) bind(tenants *tenancy.Tenants) Specs {
	out := Specs{Problems: slices.Clone(s.broken), Written: tenancy.Files{}, Unread: s.unread, secrets: s.secrets,
		empty: s.empty}
	first := map[string]manifest.Place{}
	for i := range s.decoded {
		d := &s.decoded[i]
		cluster, read := d.Cluster, true
		if cluster == nil {
			if cluster = d.Leaving(); cluster == nil {
				cluster, read = &v1.SIPCluster{Document: d.Document}, false
				cluster.Namespace, cluster.Name = d.Document.Namespace, d.Document.Name
			}
		}
		key := schedule.KeyOf(cluster)
		if tenants != nil && key.Valid() {
			if strange := tenants.Written(cluster, d.file); len(strange) > 0 {
				effect := admit.Beside
				if tenants.Author(d.file) != nil {
					effect = admit.Strange
				}
				for _, e := range strange {
					out.Problems = append(out.Problems, problemsIn(d.file, effect, finding.Strange, key,
						cluster.Problem(e.Path, "%s", e.Message))...)
				}
				continue
			}
		}
		if !key.Valid() {
			key = schedule.ClusterKey{}
		}
		effect := admit.Keeps
		if cluster.Leaves() {
			effect = admit.Freezes
		}
		out.Problems = append(out.Problems, problemsIn(d.file, effect, finding.Invalid, key, errors.Join(d.Errs...))...)
		if !read || !hasValidName(cluster) {
			continue
		}
		if at, twice := first[cluster.Key()]; twice {
			problem := problemsIn(d.file, effect, finding.Invalid, key, cluster.Problem("metadata.name", ""))[0]
			problem.Finding = problem.Naming(at.String(), out.Written[cluster.Key()], d.Twice)
			out.Problems = append(out.Problems, problem)
			continue
		}
		first[cluster.Key()] = cluster.Source
		out.Written[cluster.Key()] = d.file
		out.Clusters = append(out.Clusters, *cluster)
	}
	slices.SortFunc(out.Clusters, func(a, b v1.SIPCluster) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return out
}
