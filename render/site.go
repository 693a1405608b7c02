// Package render turns a placement into the tree that a GitOps engine applies.
//
// It is pure: its results depend only on its arguments. The tree is state, never history: nothing in it depends on
// when, where or how often it was rendered.
package render

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/render/assignments"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/airshipit/sipgen/render/object"
	"github.com/airshipit/sipgen/render/planmd"
	"github.com/airshipit/sipgen/schedule"
)

// Tree is the rendered files: slash paths relative to the tree's root, and their bytes.
type Tree map[string][]byte

// Input is what a site is rendered from.
type Input struct {
	// Site, defaulted and valid.
	Site *v1alpha1.Site
	// Clusters, valid.
	Clusters  []v1.SIPCluster
	Placement *schedule.Placement
	// Previous is the tree as it was, empty if there was none. A cluster that is gone keeps its services
	// from it until its last host is released.
	Previous Tree
	// Leaving are clusters that leave, besides those of the placement that are gone. The next run reads it, as
	// schedule.Previous.Leaving.
	Leaving map[schedule.ClusterKey]bool
	// Accepted are the texts of annotations that losses have used up. The next run reads it, as
	// schedule.Previous.Accepted.
	Accepted map[schedule.ClusterKey]string
	// Missing are the files that Previous had, and that were deleted by hand. What applies services stays as long as
	// they do: without it the engine would delete them.
	Missing map[string]bool
}

// IsRendered reports whether a file has what every manifest that sipgen renders begins with, or PLAN.md; something
// may have been put before it.
func IsRendered(content []byte) bool {
	return bytes.Contains(content, []byte(object.Header)) || bytes.Contains(content, []byte(planmd.About))
}

// Services are the services of one cluster, as they were rendered: what its patches make of them is seen only in what
// kustomize builds.
type Services struct {
	Cluster *v1.SIPCluster
	// Files of the kustomization, paths relative to its folder.
	Files map[string][]byte
}

// Site renders the tree of a site. An unschedulable cluster is rendered with the hosts that it
// holds; see inTree. Every problem is reported, and then there is no tree.
//
// It gives the services that it rendered again, too, in the order of the placement. A tree must not be written before
// those that have patches were built and checked (internal/overlay), and nothing is to be placed before the network
// plan was (internal/netplan). With an error these are the services without a problem so far, so that all problems can
// be reported together.
func Site(in Input) (Tree, []Services, error) { return newRendering(in).render() }

func newRendering(in Input) *rendering {
	in.Previous = withoutEmptied(in.Previous)
	s := &rendering{
		Input: in, tree: Tree{}, specs: map[schedule.ClusterKey]*v1.SIPCluster{},
		infraInputs: map[schedule.ClusterKey]*infra.Checked{},
	}
	for i := range in.Clusters {
		c := &in.Clusters[i]
		s.specs[schedule.KeyOf(c)] = c
	}
	return s
}

func (s *rendering) render() (Tree, []Services, error) {
	var problems manifest.Problems
	for i := range s.Placement.Clusters {
		c := &s.Placement.Clusters[i]
		if !inTree(s.Previous, c) {
			continue
		}
		s.clusters = append(s.clusters, c)
		problems.Add(s.renderCluster(c))
	}
	problems.Add(s.allNamed())
	problems.Add(s.renderRights())
	problems.Add(s.renderSiteObjects())
	problems.Add(s.renderSiteServices())
	problems.Add(s.renderRunner())
	problems.Add(s.renderOverlay())
	problems.Add(s.renderPolicy())
	problems.Add(s.renderClaims())
	if s.fluxEngine() {
		problems.Add(s.renderFlux())
	} else {
		problems.Add(s.renderTenantFiles())
		problems.Add(s.renderArgoCD())
		s.emptyFolders()
	}
	s.renderPages()
	if err := problems.Err(); err != nil {
		return nil, s.services, err
	}
	return s.tree, s.services, nil
}

// renderPages renders the pages PLAN.md.
func (s *rendering) renderPages() {
	in := planmd.In{Site: s.Site, Namespace: s.engineNamespace()}
	for i := range s.Placement.Clusters {
		c := &s.Placement.Clusters[i]
		of := planmd.Cluster{Cluster: c, Spec: s.specs[c.Key], Rendered: inTree(s.Previous, c)}
		of.New = of.Rendered && !s.keepsServices(c)
		of.HostsDoNotWait = s.waves() && !c.Gone && s.hasInfra(c) && s.hasHosts(c) && !s.inWaves(c)
		if of.New {
			if checked, err := s.infraInput(c); err == nil { // else the tree is not written
				of.Notes = infra.Notes(checked)
			}
		}
		in.Clusters = append(in.Clusters, of)
		if of.Rendered {
			s.tree[Folder(c.Key)+"/"+planmd.Name] = planmd.ClusterPage(&of)
		}
	}
	s.tree[planmd.Name] = planmd.Page(in)
}

// renderSiteObjects renders site/. As long as a cluster keeps services that are not rendered again, what those need
// stays too.
func (s *rendering) renderSiteObjects() error {
	objects, err := infra.SiteObjects(s.Site, s.Clusters)
	if err != nil {
		return err
	}
	s.add("site", objects)
	for _, c := range s.clusters {
		if !s.keepsServices(c) {
			continue
		}
		var files []string
		for path, content := range s.Previous {
			if _, found := s.tree[path]; isSiteObject(path) && !found {
				s.tree[path] = content
			}
		}
		for path := range s.tree {
			if name := strings.TrimPrefix(path, "site/"); isSiteObject(path) && name != "kustomization.yaml" {
				files = append(files, name)
			}
		}
		if len(files) == 0 {
			return nil
		}
		slices.Sort(files)
		content, err := object.Marshal(object.NewKustomization(files...))
		s.tree["site/kustomization.yaml"] = content
		return err
	}
	return nil
}

// isSiteObject reports whether a file is in site/ itself: the folders below it are the site's services, each applied
// by itself.
func isSiteObject(path string) bool {
	name, found := strings.CutPrefix(path, "site/")
	return found && !strings.Contains(name, "/")
}

// rendering is one under way.
type rendering struct {
	Input
	tree  Tree
	specs map[schedule.ClusterKey]*v1.SIPCluster
	// clusters that are rendered, in the order of the placement.
	clusters []*schedule.Cluster
	// services that are not kept as they were.
	services []Services
	// infraInputs are what the services of clusters are rendered from, of those that were asked for.
	infraInputs map[schedule.ClusterKey]*infra.Checked
	// owners of all assigned hosts, where lostBy was asked.
	owners map[schedule.HostKey]schedule.ClusterKey
	// previous are the paths of the previous tree, sorted, where a folder of it was asked for: each of many clusters
	// may ask for its own.
	previous []string
	// nameless are hosts that a patch was to be for.
	nameless []nameless
	// hostsIn are the namespaces of the site's hosts, where they were asked for.
	hostsIn []string
}

// inTree reports whether a cluster has anything in the tree: all do, but those without hosts that have left, or that
// cannot be placed and were not there before. So one that loses all its hosts keeps its services, its component for
// Cluster API and its place.
func inTree(previous Tree, c *schedule.Cluster) bool {
	for i := range c.Roles {
		if len(c.Roles[i].Assigned)+len(c.Roles[i].Releasing) > 0 {
			return true
		}
	}
	_, was := previous[Folder(c.Key)+"/assignments.yaml"]
	return !c.Gone && (was || !c.Unschedulable)
}

// ClusterError is why the services of one cluster cannot be rendered. The other clusters are not concerned.
type ClusterError struct {
	Cluster schedule.ClusterKey
	Err     error
}

func (e *ClusterError) Error() string { return e.Cluster.String() + ": " + e.Err.Error() }
func (e *ClusterError) Unwrap() error { return e.Err }

// ofCluster makes each of the joined errors one of the cluster.
func ofCluster(key schedule.ClusterKey, err error) error {
	var problems manifest.Problems
	for _, e := range manifest.Split(err) {
		problems.Add(&ClusterError{key, e})
	}
	return problems.Err()
}

// Folder returns a cluster's folder in the tree.
func Folder(c schedule.ClusterKey) string { return assignments.Folder(c) }

func (s *rendering) renderCluster(c *schedule.Cluster) error {
	var problems manifest.Problems
	folder := Folder(c.Key)
	problems.Add(s.renderInfra(c, folder+"/infra"))
	problems.Add(s.renderHosts(c, folder+"/hosts"))
	c = s.whereMachinesAre(c, folder+"/capi")
	problems.Add(s.renderCAPI(c, folder+"/capi"))
	file, err := assignments.Of(s.Site, c, s.specs[c.Key], c.Gone || s.Leaving[c.Key], s.Accepted[c.Key])
	problems.Add(err)
	s.tree[folder+"/assignments.yaml"] = file
	return problems.Err()
}

// keepsServices reports whether a cluster's services stay as they were: it leaves, or its spec is refused or cannot
// be read.
func (s *rendering) keepsServices(c *schedule.Cluster) bool {
	return s.specs[c.Key] == nil || c.Gone || len(c.Refused) > 0
}

// renderInfra renders the services of a cluster, or keeps those that it had.
func (s *rendering) renderInfra(c *schedule.Cluster, folder string) error {
	if s.keepsServices(c) {
		maps.Copy(s.tree, s.before(folder))
		return nil
	}
	in, err := s.infraInput(c)
	if err != nil {
		return ofCluster(c.Key, err)
	}
	files, err := infra.Overlay(in)
	if err != nil {
		return ofCluster(c.Key, err)
	}
	if len(files) > 0 {
		s.services = append(s.services, Services{Cluster: s.specs[c.Key], Files: files})
	}
	s.add(folder, files)
	return nil
}

// before returns a folder of the previous tree.
func (s *rendering) before(folder string) Tree {
	if s.previous == nil {
		s.previous = slices.Sorted(maps.Keys(s.Previous))
	}
	files := Tree{}
	first, _ := slices.BinarySearch(s.previous, folder+"/")
	for _, path := range s.previous[first:] {
		if !strings.HasPrefix(path, folder+"/") {
			break
		}
		files[path] = s.Previous[path]
	}
	return files
}

func (s *rendering) hasInfra(c *schedule.Cluster) bool {
	name := Folder(c.Key) + "/infra/kustomization.yaml"
	_, found := s.tree[name]
	return found || s.keepsServices(c) && s.Missing[name]
}

func (s *rendering) infraInput(c *schedule.Cluster) (*infra.Checked, error) {
	if checked, found := s.infraInputs[c.Key]; found {
		return checked, nil
	}
	in := infra.Input{Cluster: s.specs[c.Key], Site: s.Site}
	for i := range c.Roles {
		for _, a := range c.Roles[i].Assigned {
			in.Hosts = append(in.Hosts, infra.Member{Host: a.Host, Role: c.Roles[i].Name, Standby: a.Standby})
		}
	}
	checked, err := infra.Check(in)
	if err == nil {
		s.infraInputs[c.Key] = checked
	}
	return checked, err
}

func (s *rendering) add(folder string, files map[string][]byte) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		files[name] = s.once(folder+"/"+name, files[name])
		s.tree[folder+"/"+name] = files[name]
	}
}

// once returns a file's content, held once where it is as it was: most of a tree is.
func (s *rendering) once(path string, content []byte) []byte {
	if was := s.Previous[path]; bytes.Equal(was, content) {
		return was
	}
	return content
}
