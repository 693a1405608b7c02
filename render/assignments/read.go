package assignments

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/schedule"
)

// Read reads the claims out of a previous tree's assignments.yaml files. where is what the
// tree is called in messages. A file that was edited by hand is a problem, and so is one that was deleted while its
// cluster has patches: hosts would change hands without being released. A tree that was made for a site that is not
// this one in what Conditions holds is a problem too. Every problem is reported: a claim that is not understood must
// not be forgotten.
func Read(where string, tree map[string][]byte, site *v1alpha1.Site) (schedule.Previous, error) {
	return read(where, tree, site, func(siteChange) bool { return false })
}

// ReadFormer is Read for a tree in another folder, which may have been made for another engine or another namespace of
// the engine: nothing prunes there what a new folder lacks.
func ReadFormer(where string, tree map[string][]byte, site *v1alpha1.Site) (schedule.Previous, error) {
	return read(where, tree, site, siteChange.ofEngine)
}

// read is Read. The changes of the site that may be are no problem.
func read(where string, tree map[string][]byte, site *v1alpha1.Site,
	may func(siteChange) bool) (schedule.Previous, error) {
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
	problems.Add(missingAssignments(where, tree))
	for _, path := range paths {
		file, err := readFile(where, path, tree[path])
		problems.Add(err)
		if err != nil {
			continue
		}
		source := where + "/" + path
		changed.add(source, slices.DeleteFunc(file.changes(site), may))
		previous.Claims = append(previous.Claims, file.claims(source)...)
		for _, empty := range file.Empty {
			if previous.Empty == nil {
				previous.Empty = map[schedule.RoleKey]int{}
			}
			previous.Empty[schedule.RoleKey{Cluster: file.cluster(), Role: empty.Role}] += empty.Slots
		}
		if file.AcceptedLoss != "" {
			if previous.Accepted == nil {
				previous.Accepted = map[schedule.ClusterKey]string{}
			}
			previous.Accepted[file.cluster()] = file.AcceptedLoss
		}
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

// Claims returns the claims of one assignments.yaml at a path in a tree, made for whatever site, and the site's name.
func Claims(where, path string, text []byte) (site string, claims []schedule.PreviousClaim, err error) {
	file, err := readFile(where, path, text)
	return file.Site.Name, file.claims(where + "/" + path), err
}

// readFile reads the assignments.yaml at a path in a tree.
func readFile(where, path string, text []byte) (File, error) {
	docs, err := manifest.Parse(where+"/"+path, text)
	if err != nil {
		return File{}, err
	}
	// A file without content would be a cluster without hosts, and a second document one that nobody sees.
	if len(docs) != 1 || docs[0].Prefix != "" {
		return File{}, fmt.Errorf("%s/%s: found %s, want one document of kind %s: %s", where, path, found(docs), Kind,
			restoring)
	}
	return readAssignments(&docs[0], path)
}

// found returns what a file holds that is not one document.
func found(docs []manifest.Document) string {
	switch {
	case len(docs) == 0:
		return "nothing"
	case docs[0].Prefix != "":
		return "a List"
	}
	return fmt.Sprintf("%d documents", len(docs))
}

// Is reports whether a path in a tree is, or looks like, an assignments file: in another case, with another ending,
// or at another depth. A foreign one is neither read nor ignored.
func Is(name string) bool {
	if !strings.HasPrefix(name, "clusters/") {
		return false
	}
	switch strings.ToLower(path.Base(name)) {
	case "assignments.yaml", "assignments.yml", "assignments.json":
		return true
	}
	return false
}

// HostsOf returns the folder of the cluster whose kustomization of host patches is at a path, "" for any other path.
func HostsOf(name string) string {
	folder, ok := strings.CutSuffix(name, "/hosts/kustomization.yaml")
	if !ok || !strings.HasPrefix(folder, "clusters/") {
		return ""
	}
	return folder
}

// restoring: a single file of the last commit may not fit the others.
const restoring = `sipgen help runbook restore-the-tree has the commands`

// missingAssignments finds clusters with host patches and without an assignments.yaml.
func missingAssignments(where string, tree map[string][]byte) error {
	var problems manifest.Problems
	for _, path := range slices.Sorted(maps.Keys(tree)) {
		folder := HostsOf(path)
		if _, there := tree[folder+"/assignments.yaml"]; folder != "" && !there {
			problems.Add(fmt.Errorf("%s/%s/assignments.yaml: missing, and %s is there: %s", where, folder, path, restoring))
		}
	}
	return problems.Err()
}

func readAssignments(doc *manifest.Document, path string) (File, error) {
	if doc.Kind != Kind || doc.APIVersion != v1alpha1.APIVersion {
		return File{}, doc.Problem("", "found %s %s, want %s %s", doc.APIVersion, doc.Kind, v1alpha1.APIVersion, Kind)
	}
	var file File
	if err := doc.Decode(&file); err != nil {
		return File{}, err
	}
	if want, err := file.digest(); err != nil || file.Digest != want {
		return File{}, doc.Problem("digest", "does not match the content: the file was edited by hand; make such changes in the SIPCluster; %s", restoring)
	}
	if want := Folder(file.cluster()) + "/assignments.yaml"; want != path {
		return File{}, doc.Problem("metadata", "found cluster %s, want the one whose folder it is", file.cluster())
	}
	return file, nil
}

// Folder returns a cluster's folder in the tree.
func Folder(c schedule.ClusterKey) string { return "clusters/" + c.Namespace + "/" + c.Name }
