package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/fleet"
	"github.com/airshipit/sipgen/internal/manifest"
)

// SiteInContext stands for a Site's name in the --context of a fleet.
const SiteInContext = "{site}"

// ContextOf returns the context of a Site of a fleet: its name, or the pattern with its name in it.
func ContextOf(pattern, site string) string {
	return strings.ReplaceAll(cmp.Or(pattern, SiteInContext), SiteInContext, site)
}

// SiteOf returns the name and the labels of the Site at a path. Of a Site with an error it returns what can be read of
// them: its run reports the error.
func SiteOf(path string) fleet.Site {
	in := Inputs{Site: path}
	if site, err := in.LoadSite(nil); err == nil {
		at := &site.Spec.Repository
		return fleet.Site{Path: path, Name: site.Name, Labels: site.Labels, URL: at.URL, Branch: at.Branch, Folder: at.Path,
			Files: append([]string{path}, in.Specs...)}
	}
	unread := fleet.Site{Path: path, Name: path, Unread: true}
	docs, err := manifest.Read([]string{path}, nil)
	if err != nil {
		return unread
	}
	for i := range docs {
		var head struct {
			Metadata struct {
				Name   string            `json:"name"`
				Labels map[string]string `json:"labels"`
			} `json:"metadata"`
		}
		if docs[i].Kind == v1alpha1.Kind && docs[i].Name != "" && json.Unmarshal(docs[i].JSON, &head) == nil {
			return fleet.Site{Path: path, Name: head.Metadata.Name, Labels: head.Metadata.Labels}
		}
	}
	return unread
}

// acceptLoss returns the flag that accepts the loss of so many hosts.
func (l *Loaded) acceptLoss(hosts int) string {
	if l.fleet != "" {
		return fmt.Sprintf("--accept-loss %s=%d", l.fleet, hosts)
	}
	return fmt.Sprintf("--accept-loss %d", hosts)
}

// Applications returns the Applications of the Site's clusters on an Argo CD elsewhere; none with an Argo CD that the
// hosts' cluster has for itself.
func (r *Rendered) Applications() fleet.Applications {
	site := r.Plan.Loaded.Site
	of := fleet.Applications{Site: site.Name, Namespace: site.Spec.ArgoCD.Namespace}
	if site.Spec.Engine != v1alpha1.EngineArgoCD || site.Spec.ArgoCD.Server == v1alpha1.ArgoCDInCluster {
		return of
	}
	for name := range r.Tree {
		if parts := strings.Split(name, "/"); len(parts) > 3 && parts[0] == "clusters" && parts[3] == "infra" {
			of.Names = append(of.Names, v1.SyncNameOf(site.InNames(), parts[1], parts[2], "infra"))
		}
	}
	slices.Sort(of.Names)
	of.Names = slices.Compact(of.Names)
	return of
}
