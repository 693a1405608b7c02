// Package overlay builds the kustomize overlay of a cluster's services, in memory, and checks it.
//
// It checks the built objects, as the GitOps engine would apply them. With a tenant's patches they have to be the
// rendered objects still, decode strictly into their types, and have pods within the Pod Security profile
// "restricted".
package overlay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/resmap"
	kustomize "sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/airshipit/sipgen/internal/kustomization"
	"github.com/airshipit/sipgen/render/object"
)

// Folder is a kustomization and the files that it names, paths relative to it.
type Folder struct {
	Kustomization kustomize.Kustomization
	Files         map[string][]byte
}

// Object is an object as it is built: JSON values, numbers as json.Number.
type Object struct {
	APIVersion, Kind, Namespace, Name string
	Fields                            map[string]any
}

// String returns a name such as "Deployment jumphost-a": the objects of an overlay are in one namespace, except those
// that a jump host has in its hosts' namespace.
func (o *Object) String() string { return o.Kind + " " + o.Name }

func (o *Object) id() string {
	group, _, versioned := strings.Cut(o.APIVersion, "/")
	if !versioned {
		group = ""
	}
	return strings.Join([]string{group, o.Kind, o.Namespace, o.Name}, "/")
}

// errBuild replaces kustomize's error, which quotes whole patches and documents.
var errBuild = errors.New("kustomize does not build it")

// Build returns the objects of the folder, in kustomize's order.
func (f Folder) Build() ([]Object, error) {
	m, err := f.build()
	if err != nil {
		return nil, errBuild
	}
	return objects(m)
}

// build is Build before the objects are read, with kustomize's own error, which may quote patches whole. kustomize
// panics over some patches, two objects of one name among them: that is an error.
func (f Folder) build() (resmap.ResMap, error) {
	text, err := object.Marshal(f.Kustomization)
	if err != nil {
		return nil, err
	}
	const folder = "/overlay"
	disk := filesys.MakeFsInMemory()
	for _, name := range slices.Sorted(maps.Keys(f.Files)) {
		if err := disk.WriteFile(folder+"/"+name, f.Files[name]); err != nil {
			return nil, err
		}
	}
	if err := disk.WriteFile(folder+"/kustomization.yaml", text); err != nil {
		return nil, err
	}
	return kustomization.Run(disk, folder)
}

func objects(m resmap.ResMap) ([]Object, error) {
	var out []Object
	for _, r := range m.Resources() {
		fields, err := r.Map() // its MarshalJSON writes YAML first, and reads it
		if err != nil {
			return nil, errBuild
		}
		text, err := json.Marshal(fields)
		if err != nil {
			return nil, errBuild
		}
		o := Object{Kind: r.GetKind(), Namespace: r.GetNamespace(), Name: r.GetName(), APIVersion: r.GetApiVersion()}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&o.Fields); err != nil {
			return nil, errBuild
		}
		out = append(out, o)
	}
	return out, nil
}

// complaint is about a field of an object.
func (o *Object) complaint(path, format string, args ...any) error {
	return fmt.Errorf("%s: %s: %s", o, path, fmt.Sprintf(format, args...))
}
