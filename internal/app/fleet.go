package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/fleet"
	"github.com/airshipit/sipgen/internal/kustomization"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/render/assignments"
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
			Base: site.Spec.Hosts.Base, Files: append([]string{path}, in.Specs...)}
	}
	unread := fleet.Site{Path: path, Name: path, Unread: true}
	docs, err := headsOf(path)
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

// headsOf returns the documents that a Site with an error is among. Other files in the folder of a kustomization may
// name another Site.
func headsOf(path string) ([]manifest.Document, error) {
	if kustomization.Is(path) {
		docs, _, err := kustomization.Site(path)
		return docs, err
	}
	return manifest.Read([]string{path}, nil)
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
func (p *Planned) Applications() fleet.Applications {
	site := p.Loaded.Site
	of := fleet.Applications{Site: site.Name, Namespace: site.Spec.ArgoCD.Namespace}
	if site.Spec.Engine != v1alpha1.EngineArgoCD || site.Spec.ArgoCD.Server == v1alpha1.ArgoCDInCluster {
		return of
	}
	for i := range p.Placement.Clusters {
		key := p.Placement.Clusters[i].Key
		of.Names = append(of.Names, v1.SyncNameOf(site.InNames(), key.Namespace, key.Name, "infra"))
	}
	slices.Sort(of.Names)
	return of
}

// LeftToOthers says which hosts were left to other Sites of the run, in a sentence each.
func (l *Loaded) LeftToOthers() (words []string) {
	for i := range l.taken {
		words = append(words, l.taken[i].Sentence())
	}
	return words
}

// leaveToOthers leaves out the hosts that other Sites of the run have, by their uids.
func (l *Loaded) leaveToOthers(taken map[string]string) {
	if len(taken) == 0 {
		return
	}
	own := *l.Hosts
	own.Hosts = nil
	for i := range l.Hosts.Hosts {
		host := &l.Hosts.Hosts[i]
		if other, is := taken[host.UID]; is && host.UID != "" {
			l.taken = append(l.taken, warning(finding.OtherSite, finding.To("BareMetalHost", host.Namespace, host.Name),
				fmt.Sprintf("Site %s of this run has the host, by its uid %s: it is left out here", other, host.UID)))
			continue
		}
		own.Hosts = append(own.Hosts, *host)
	}
	l.Hosts = &own
}

// HeldUIDs returns the uids of the hosts in a tree. What cannot be read is left out: the Site's run reports it.
func HeldUIDs(tree map[string][]byte) (uids []string) {
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		if !render.IsAssignments(name) {
			continue
		}
		_, claims, err := assignments.Claims(".", name, tree[name])
		if err != nil {
			continue
		}
		for i := range claims {
			uids = append(uids, claims[i].UID)
		}
	}
	return uids
}

// Hosts returns the uids of the hosts that a plan assigns or releases, as one that labels alone give to a cluster with
// enough of them, and the addresses of the BMCs in its inventory.
func (p *Planned) Hosts() (uids, bmcs []string) {
	for i := range p.Placement.Clusters {
		for _, role := range p.Placement.Clusters[i].Roles {
			for _, a := range role.Assigned {
				uids = append(uids, a.Host.UID)
			}
			for _, r := range role.Releasing {
				uids = append(uids, r.Host.UID)
			}
		}
	}
	for i := range p.Loaded.Hosts.Hosts {
		bmcs = append(bmcs, p.Loaded.Hosts.Hosts[i].BMC.Address)
	}
	return uids, bmcs
}
