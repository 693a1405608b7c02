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
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// otherTree is a tree in another folder of the branch, as far as it is about hosts with the names of this site's.
type otherTree struct {
	folder string
	hosts  []otherHost
	// unread are the assignments that nobody can read, which are about hosts with these names.
	unread []unread
}

// otherHost is a host that another tree has or is giving back, with a name of this site's, and the Site that its tree is of. Nothing else of that tree is kept: who
// writes there need not be trusted with the memory of a run.
type otherHost struct {
	host      schedule.HostKey
	uid, site string
}

// unread are the assignments of a cluster of another tree, by what is wrong with them.
type unread struct {
	hosts []schedule.HostKey
	err   error
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
	files, known := map[string]schedule.HostKey{}, map[schedule.HostKey]bool{}
	for i := range hosts {
		key := keyOfHost(&hosts[i])
		files[render.HostFile(key)], known[key] = key, true
	}
	patches, ours := map[string]int{}, map[string][]schedule.HostKey{} // by the path of the assignments beside them
	found, err := p.tip.Elsewhere(ctx, search.Among, func(root string, names []string) map[string]int64 {
		read := map[string]int64{}
		for _, name := range names {
			folder, file := path.Split(name)
			cluster, is := strings.CutSuffix(folder, "/hosts/")
			if !is {
				continue
			}
			where := path.Join(root, cluster, "assignments.yaml")
			patches[where]++
			host, known := files[file]
			if !known {
				continue
			}
			if ours[where] == nil {
				read[cluster+"/assignments.yaml"] = 0
			}
			ours[where] = append(ours[where], host)
		}
		for name := range read { // every patch has been counted
			read[name] = limitsOf(patches[path.Join(root, name)]).One
		}
		return read
	})
	if err != nil {
		return nil, fmt.Errorf("looking for trees in other folders: %w", err)
	}
	var others []otherTree
	for _, tree := range found {
		other := otherTree{folder: tree.Path}
		for _, name := range tree.TooLarge {
			where := path.Join(tree.Path, name)
			other.unread = append(other.unread, unread{ours[where], fmt.Errorf("%s: more than %d bytes, or more than 64 MiB in the trees of other folders, for %s", where, limitsOf(patches[where]).One, text.Count(patches[where], "host"))})
		}
		for _, name := range slices.Sorted(maps.Keys(tree.Tree)) {
			where := path.Join(tree.Path, name)
			assignments, err := assignmentsIn(where, tree.Tree[name], patches[where])
			if err != nil {
				other.unread = append(other.unread, unread{ours[where], err})
				continue
			}
			other.keep(&assignments, known)
			tree.Tree[name] = nil
		}
		others = append(others, other)
	}
	return others, nil
}

// keep notes the hosts of a cluster that this site has, too, by name.
func (o *otherTree) keep(cluster *render.Assignments, known map[schedule.HostKey]bool) {
	add := func(namespace, name, uid string) {
		if key := (schedule.HostKey{Namespace: namespace, Name: name}); known[key] {
			o.hosts = append(o.hosts, otherHost{key, uid, cluster.Site.Name})
		}
	}
	for i := range cluster.Hosts {
		add(cluster.Hosts[i].Namespace, cluster.Hosts[i].Name, cluster.Hosts[i].UID)
	}
	for i := range cluster.Releasing {
		add(cluster.Releasing[i].Namespace, cluster.Releasing[i].Name, cluster.Releasing[i].UID)
	}
}

// assignmentsIn reads the assignments of another tree. They are compared and not obeyed: an edit by hand is for that tree's own runs to find. Who writes there
// need not be trusted with this site's runs: they may be as large as hosts with so many patches need, or a cluster's largest number of them, and no larger.
func assignmentsIn(where string, content []byte, patches int) (file render.Assignments, err error) {
	limits := limitsOf(patches)
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

func limitsOf(patches int) manifest.Limits {
	hosts := min(patches, v1.MaxCount)
	return manifest.Limits{One: min(64<<10+2<<10*int64(hosts), 64<<20), OneValues: min(2_000+64*hosts, 4_000_000), Documents: 1, Depth: 20}
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
	var errs []error
	more := 0
	for _, other := range others {
		both, sites, byName := other.both(d.site.Name, got)
		damaged, _ := other.unreadAbout(got)
		switch {
		case len(both) == 0 && damaged == "":
			continue
		case len(errs) >= mostFolders:
			more++
			continue
		}
		if damaged != "" {
			errs = append(errs, fmt.Errorf("%s: so it is not known whether the tree in %s has this site's hosts", damaged, folderWords(other.folder)))
		}
		if len(both) > 0 {
			errs = append(errs, d.doubledBy(other.folder, sites, both, byName))
		}
	}
	if more > 0 {
		errs = append(errs, fmt.Errorf("refused: the trees conflict in the same way in %s", text.Count(more, "more folder")))
	}
	return errors.Join(errs...)
}

// mostFolders is of how many folders a run speaks: who may write there can make any number.
const mostFolders = 20

// unreadAbout says which of the tree's assignments nobody can read, of those that are about some hosts, and about which. It is one line, however many they are.
func (o *otherTree) unreadAbout(hosts map[schedule.HostKey]*inventory.Host) (words string, about []schedule.HostKey) {
	files := 0
	for _, u := range o.unread {
		of := slices.DeleteFunc(slices.Clone(u.hosts), func(host schedule.HostKey) bool { return hosts[host] == nil })
		if len(of) == 0 {
			continue
		}
		if files++; files == 1 {
			words = text.Line(u.err.Error())
		}
		about = append(about, of...)
	}
	if files > 1 {
		words += fmt.Sprintf(" (and %s)", text.Count(files-1, "more file"))
	}
	return words, about
}

// both are those of some hosts of a site that the tree has, too, by name, the Sites that it is of, and how many hosts are taken for the same without a uid.
func (o *otherTree) both(site string, hosts map[schedule.HostKey]*inventory.Host) (both, sites []string, unknown int) {
	of, byName, found := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, h := range o.hosts {
		host := hosts[h.host]
		unknown := h.uid == "" || host != nil && host.UID == ""
		if host == nil || !unknown && h.uid != host.UID || unknown && h.site != site {
			continue
		}
		if unknown {
			byName[host.Key()] = true
		}
		found[host.Key()] = true
		of[h.site] = true
	}
	return slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(of)), len(byName)
}

// placesOf are the folders of a branch, each with how many of the hosts its tree has, where the Site names another one that has no tree: most likely the wrong one.
func (p previousTree) placesOf(ctx context.Context, site *v1alpha1.Site, hosts []inventory.Host) (places []string, err error) {
	if p.tip == nil || !p.missing() {
		return nil, nil
	}
	others, err := p.readOthers(ctx, hosts)
	if err != nil {
		return nil, err
	}
	byKey := map[schedule.HostKey]*inventory.Host{}
	for i := range hosts {
		byKey[keyOfHost(&hosts[i])] = &hosts[i]
	}
	for i := range others {
		if both, _, _ := others[i].both(site.Name, byKey); len(both) > 0 {
			places = append(places, fmt.Sprintf("%s (%s)", folderWords(others[i].folder), text.Count(len(both), "host")))
		}
	}
	return places, nil
}

// notInTree are the hosts that no cluster of this tree has, by name and by key.
func (d *decided) notInTree(hosts []inventory.Host) (byName map[string]*inventory.Host, byKey map[schedule.HostKey]*inventory.Host) {
	inTree := map[schedule.HostKey]bool{}
	for _, claim := range d.claims.Claims {
		inTree[claim.Host] = true
	}
	byName, byKey = map[string]*inventory.Host{}, map[schedule.HostKey]*inventory.Host{}
	for i := range hosts {
		if h := &hosts[i]; !inTree[keyOfHost(h)] {
			byName[h.Key()], byKey[keyOfHost(h)] = h, h
		}
	}
	return byName, byKey
}

// leaveToOthers plans again, where the run goes on without what is wrong, without the hosts that a tree in another folder has or may have: who may write there
// stops nobody else. A new tree is refused all the same, and so is one that has moved: then the other one is most likely the one that this should be. So is
// one whose clusters have hosts by their labels that are in use. It says of each folder how many hosts are left to it.
func (d *decided) leaveToOthers() (said []string, err error) {
	if !d.keepGoing || d.before.others == nil || d.before.former || d.before.missing() || len(d.got()) == 0 {
		return nil, nil
	}
	others, err := d.before.others()
	if err != nil {
		return nil, nil // doubled says it
	}
	would := map[string]bool{} // what this run would hand out, or take over, if there were no other tree
	for key := range d.got() {
		would[key.String()] = true
	}
	hosts := *d.hosts
	hosts.Hosts = slices.Clone(hosts.Hosts)
	byKey, free := d.notInTree(hosts.Hosts)
	type leaving struct {
		folder, unread string
		hosts          []string
	}
	var left []leaving
	odds := false // this tree and another want one host
	for _, other := range others {
		both, _, _ := other.both(d.site.Name, free)
		unread, about := other.unreadAbout(free)
		for _, host := range about {
			both = append(both, host.String())
		}
		slices.Sort(both)
		if both = slices.Compact(both); len(both) == 0 {
			continue
		}
		odds = odds || slices.ContainsFunc(both, func(name string) bool { return would[name] })
		for _, name := range both {
			if h := byKey[name]; !h.OfOtherTree() {
				h.Faults = append(slices.Clone(h.Faults), inventory.Fault{Kind: inventory.FaultOtherTree, Text: "the tree in " + folderWords(other.folder) + " has it"})
			}
		}
		left = append(left, leaving{folderWords(other.folder), unread, both})
	}
	if !odds {
		return nil, nil
	}
	d.hosts, d.options.Replace = &hosts, nil
	if err := d.place(); err != nil {
		return nil, err
	}
	held := map[string]bool{}
	for key := range d.got() {
		held[key.String()] = true
	}
	d.leftToOthers = map[string]bool{}
	more := 0
	for _, l := range left {
		names := slices.DeleteFunc(l.hosts, func(name string) bool { return held[name] }) // doubled refuses them
		if len(names) == 0 {
			continue
		}
		for _, name := range names {
			d.leftToOthers[name] = true
		}
		if len(said) == mostFolders {
			more++
			continue
		}
		has := "has"
		if l.unread != "" {
			has = "has or may have"
			l.unread = "; this file cannot be read: " + l.unread
		}
		said = append(said, fmt.Sprintf("the tree in %s %s %s of this site that no cluster of this tree has (%s): this run does not hand them out%s",
			l.folder, has, text.Count(len(names), "host"), firstHosts(names), l.unread))
	}
	if more > 0 {
		said = append(said, fmt.Sprintf("the trees in %s have or may have hosts of this site that no cluster of this tree has: this run does not hand them out", text.Count(more, "more folder")))
	}
	return said, nil
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
	where, move := folderWords(folder), "move that folder"
	if folder == "." {
		move = "move its files out of the root"
	}
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
	return fmt.Errorf(`%s; to move the tree, %s (docs/gitops.md, "To another folder"); to keep it there, use --path %s; if it belongs to another Site that is also called %s, give each Site %s`,
		what, move, text.Line(folder), text.Line(d.site.Name), apart)
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
