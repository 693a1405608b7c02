package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// otherTree is a tree in another folder of the branch, as far as it is about hosts with the names of this site's.
type otherTree struct {
	folder   string
	clusters []render.Assignments
}

// withOthers lets a run ask which hosts the trees in other folders of the branch have.
func (p previousTree) withOthers(ctx context.Context, l *loaded) previousTree {
	if p.tip != nil {
		p.others = sync.OnceValues(func() ([]otherTree, error) { return p.readOthers(ctx, l.hosts.Hosts) })
	}
	return p
}

// readOthers reads which of the hosts the trees in other folders have. Their files' names settle it for trees that have no host of such a name; of the
// others only the assignments of the clusters that have one are read.
func (p previousTree) readOthers(ctx context.Context, hosts []inventory.Host) ([]otherTree, error) {
	files := map[string]bool{}
	for i := range hosts {
		files[render.HostFile(keyOfHost(&hosts[i]))] = true
	}
	patches := map[string]int{} // by the path of the assignments beside them
	found, err := p.tip.Elsewhere(ctx, search.Among, func(root string, names []string) []string {
		var read []string
		for _, name := range names {
			folder, file := path.Split(name)
			cluster, is := strings.CutSuffix(folder, "/hosts/")
			if is {
				patches[path.Join(root, cluster, "assignments.yaml")]++
			}
			if is && files[file] && !slices.Contains(read, cluster+"/assignments.yaml") {
				read = append(read, cluster+"/assignments.yaml")
			}
		}
		return read
	})
	if err != nil {
		return nil, fmt.Errorf("looking for trees in other folders: %w", err)
	}
	var others []otherTree
	for _, tree := range found {
		other := otherTree{folder: tree.Path}
		for _, name := range slices.Sorted(maps.Keys(tree.Tree)) {
			where := path.Join(tree.Path, name)
			assignments, err := assignmentsIn(where, tree.Tree[name], patches[where])
			if err != nil {
				return nil, fmt.Errorf("%w: so it is not known whether the tree in %s has this site's hosts", err, folderWords(tree.Path))
			}
			other.clusters = append(other.clusters, assignments)
		}
		others = append(others, other)
	}
	return others, nil
}

// assignmentsIn reads the assignments of another tree. They are compared and not obeyed: an edit by hand is for that tree's own runs to find. Who writes there
// need not be trusted with this site's runs: they may be as large as hosts with so many patches need, or a cluster's largest number of them, and no larger.
func assignmentsIn(where string, content []byte, patches int) (file render.Assignments, err error) {
	hosts := min(patches, v1.MaxCount)
	limits := manifest.Limits{One: 64<<10 + 2<<10*int64(hosts), OneValues: 2_000 + 64*hosts, Documents: 1, Depth: 20}
	limits.One, limits.OneValues = min(limits.One, 64<<20), min(limits.OneValues, 4_000_000)
	if problem := limits.CheckOne(content); problem != "" {
		return file, fmt.Errorf("%s: %s, for %s", where, problem, text.Count(patches, "host"))
	}
	docs, err := limits.Parse(where, content)
	switch {
	case err != nil:
		return file, err
	case len(docs) != 1 || docs[0].Kind != render.AssignmentsKind:
		return file, fmt.Errorf("%s: want one document of kind %s", where, render.AssignmentsKind)
	}
	return file, docs[0].Decode(&file)
}

func keyOfHost(h *inventory.Host) schedule.HostKey {
	return schedule.HostKey{Namespace: h.Namespace, Name: h.Name}
}

func folderWords(folder string) string {
	if folder == "." {
		return "the repository's root"
	}
	return "folder " + text.Line(folder)
}

// doubled refuses a tree that would get hosts that a tree in another folder of the branch has: both would be synced, each engine would label hosts as its
// own tree says, and what one tree releases the other holds. Hosts of another API server may have the same names; their uids tell. A host without
// one is the same if the Sites have the same name. Nobody looks for other trees where the tree gets no host.
func (d *decided) doubled() error {
	got := d.got()
	if len(got) == 0 || d.before.others == nil {
		return nil
	}
	others, err := d.before.others()
	if err != nil {
		return err
	}
	former := path.Join(".", d.site.Spec.Repository.PreviousPath)
	var errs []error
	for _, other := range others {
		if d.before.former && other.folder == former {
			continue
		}
		sites := map[string]bool{}
		var both []string
		byName := map[string]bool{}
		for i := range other.clusters {
			cluster := &other.clusters[i]
			has := func(namespace, name, uid string) {
				host := got[schedule.HostKey{Namespace: namespace, Name: name}]
				unknown := uid == "" || host != nil && host.UID == ""
				if host == nil || !unknown && uid != host.UID || unknown && cluster.Site.Name != d.site.Name {
					return
				}
				if unknown {
					byName[host.Key()] = true
				}
				both = append(both, host.Key())
				sites[cluster.Site.Name] = true
			}
			for _, h := range cluster.Hosts {
				has(h.Namespace, h.Name, h.UID)
			}
			for _, h := range cluster.Releasing {
				has(h.Namespace, h.Name, h.UID)
			}
		}
		if len(both) > 0 {
			slices.Sort(both)
			errs = append(errs, d.doubledBy(other.folder, slices.Sorted(maps.Keys(sites)), slices.Compact(both), len(byName)))
		}
	}
	return errors.Join(errs...)
}

// got are the hosts that the tree would get: those that the one before, in the same folder, does not have.
func (d *decided) got() map[schedule.HostKey]*inventory.Host {
	had := map[schedule.HostKey]bool{}
	if !d.before.former {
		for _, claim := range d.claims.Claims {
			had[claim.Host] = true
		}
	}
	got := map[schedule.HostKey]*inventory.Host{}
	for _, ask := range d.asks() {
		if key := keyOfHost(ask.Host); !had[key] {
			got[key] = ask.Host
		}
	}
	return got
}

// doubledBy says which hosts the tree in another folder has, and what to do. byName is how many of them are taken for the same without a uid that tells.
func (d *decided) doubledBy(folder string, sites, hosts []string, byName int) error {
	would, of := "would get hosts", "them"
	if d.before.former || d.before.missing() {
		would, of = "would be a new tree", "its hosts"
	}
	where := folderWords(folder)
	if from := d.before.tip.From; from != "" {
		where += " of " + text.Line(from) + ", from which the branch is created,"
	}
	what := fmt.Sprintf("refused: %s %s, but the tree in %s already has %d of %s (%s): both trees would claim them",
		d.before.where, would, where, len(hosts), of, firstHosts(hosts))
	if !slices.Equal(sites, []string{d.site.Name}) {
		return fmt.Errorf("%s; that tree belongs to the Site %s: give each Site namespaces of its own (spec.hosts.namespaces)", what, text.Line(strings.Join(sites, ", ")))
	}
	apart := "namespaces of its own (spec.hosts.namespaces)"
	if byName > 0 {
		what += fmt.Sprintf("; for lack of a uid, %d of them were compared by namespace and name alone", byName)
		apart = "a name of its own (metadata.name)"
	}
	return fmt.Errorf(`%s; to move the tree, move that folder (docs/gitops.md, "To another folder"); to keep it there, use --path %s; if it belongs to another Site that is also called %s, give each Site %s`,
		what, text.Line(folder), text.Line(d.site.Name), apart)
}

// firstHosts are the first of many hosts.
func firstHosts(hosts []string) string {
	const most = 5
	names := strings.Join(hosts[:min(most, len(hosts))], ", ")
	if more := len(hosts) - most; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return names
}
