// Package trees has what earlier commits of sipgen rendered, with the site, the specs and the hosts that it was rendered from. Sites
// have such trees live: a later sipgen goes on from them, and what it renders in their place may not take anything away that
// something rests on. testdata/README.md says where they come from; they are never rendered again.
package trees

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// Tree is one tree of one commit.
type Tree struct {
	// Commit of sipgen that rendered it, Example that it is of, and Engine that syncs it, as the Site spells it.
	Commit, Example, Engine string
	// Site, Specs and Inventory are the paths of what it was rendered from. Folder is the tree's.
	Site, Specs, Inventory, Folder string
}

// Name tells trees apart.
func (t Tree) Name() string { return t.Commit + "/" + t.Example + "/" + t.Engine }

// All are the trees of all commits, by name.
func All() ([]Tree, error) {
	here, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/airshipit/sipgen/e2e/trees").Output()
	if err != nil {
		return nil, err
	}
	sites, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(here)), "testdata", "*", "*", "*", "site.yaml"))
	var all []Tree
	for _, site := range sites {
		folder := filepath.Dir(site)
		example := filepath.Dir(folder)
		all = append(all, Tree{
			Commit: filepath.Base(filepath.Dir(example)), Example: filepath.Base(example), Engine: filepath.Base(folder),
			Site: site, Specs: filepath.Join(example, "specs"), Inventory: filepath.Join(example, "hosts"), Folder: filepath.Join(folder, "tree"),
		})
	}
	return all, err
}

// Read gives the files of a folder by their slash-separated path in it, hidden files too.
func Read(folder string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(file)
		files[filepath.ToSlash(name)] = content
		return err
	})
	return files, err
}

// Objects are the objects that an engine applies from a tree, by kind, namespace and name. Those that kustomize makes of
// files are not among them, and hosts' patches are those of hosts.
func Objects(files map[string][]byte) (map[string]*unstructured.Unstructured, error) {
	objects := map[string]*unstructured.Unstructured{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		base := path.Base(name)
		// A tenant's own half of OIDC is for the tenant's cluster.
		if path.Ext(name) != ".yaml" || base == "kustomization.yaml" || base == "assignments.yaml" || base == ".sipgen.yaml" || strings.Contains(name, "/tenant/") {
			continue
		}
		decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(files[name]), 4096)
		for {
			o := &unstructured.Unstructured{}
			err := decoder.Decode(&o.Object)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if o.GetKind() != "" && o.GetName() != "" {
				objects[ID(o)] = o
			}
		}
	}
	return objects, nil
}

// ID is an object's kind with its group, namespace and name: the version may change.
func ID(o *unstructured.Unstructured) string {
	return o.GroupVersionKind().GroupKind().String() + " " + o.GetNamespace() + "/" + o.GetName()
}

// successors are the guards, accounts and roles that took the place of those that all sites on an API server shared, by the names of these.
var successors = func() map[string]*regexp.Regexp {
	out := map[string]*regexp.Regexp{}
	for name, version := range map[string]string{"sync-guard": "-v[0-9]+", "delete-guard": "-v[0-9]+", "jump-host-guard": "-v[0-9]+", "hosts": "", "reader": "", "network-data": ""} {
		out["sipgen-"+name] = regexp.MustCompile("^sipgen-[a-z0-9-]+-" + name + version + "$")
	}
	return out
}()

// IsSharedProject says that an object is the project of Argo CD's that all sites had by default, for all their Applications.
func IsSharedProject(o *unstructured.Unstructured) bool {
	return o.GetKind() == "AppProject" && o.GetName() == "sipgen"
}

// root is the name of the root Application among objects.
func root(live map[string]*unstructured.Unstructured) string {
	for _, o := range live {
		if path, _, _ := unstructured.NestedString(o.Object, "spec", "source", "path"); o.GetKind() == "Application" && (path == "argocd" || strings.HasSuffix(path, "/argocd")) {
			return o.GetName()
		}
	}
	return ""
}

// succeeded says that what took the place of an object is live with it.
func succeeded(was *unstructured.Unstructured, live map[string]*unstructured.Unstructured) bool {
	name := successors[was.GetName()]
	if IsSharedProject(was) {
		return live[strings.TrimSuffix(ID(was), "/sipgen")+"/"+root(live)] != nil
	}
	if name == nil || !slices.Contains([]string{"admissionregistration.k8s.io", "rbac.authorization.k8s.io", ""}, was.GroupVersionKind().Group) {
		return false
	}
	for _, o := range live {
		if o.GetKind() == was.GetKind() && o.GetNamespace() == was.GetNamespace() && name.MatchString(o.GetName()) {
			return true
		}
	}
	return false
}

// unchangeable are the fields that the API server lets nobody change: who wants another value has to make the object anew.
var unchangeable = map[string][][]string{
	"Deployment":         {{"spec", "selector"}},
	"RoleBinding":        {{"roleRef"}},
	"ClusterRoleBinding": {{"roleRef"}},
	"BareMetalHost":      {{"metadata", "uid"}},
}

// labelled are what a host's patch says that must be as it was: whose the host is.
var labelled = map[string][][]string{"BareMetalHost": {{"metadata", "labels"}}}

// Lost says what a tree takes away from the one that is live: an object that is gone, or would have to be made anew. What takes the place of
// another object comes one commit earlier than the other one's end: a tree that renames a guard, an account or a Role has both.
func Lost(live, next map[string][]byte) ([]string, error) {
	before, err := Objects(live)
	if err != nil {
		return nil, err
	}
	after, err := Objects(next)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, id := range slices.Sorted(maps.Keys(before)) {
		was, is := before[id], after[id]
		if is == nil {
			if !succeeded(was, before) {
				out = append(out, id+" is gone")
			}
			continue
		}
		for _, field := range slices.Concat(unchangeable[was.GetKind()], labelled[was.GetKind()]) {
			old, _, _ := unstructured.NestedFieldNoCopy(was.Object, field...)
			now, _, _ := unstructured.NestedFieldNoCopy(is.Object, field...)
			if !reflect.DeepEqual(old, now) {
				out = append(out, fmt.Sprintf("%s: %s is %v, was %v", id, strings.Join(field, "."), now, old))
			}
		}
	}
	return out, nil
}
