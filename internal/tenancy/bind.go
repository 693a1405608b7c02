package tenancy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/redact"
)

// fromCluster is the word for the live cluster among the roots.
const fromCluster = "cluster"

// Path returns the path of a file below roots, in the form that spec.tenants[].specs is compared with. It is relative
// to the folder that the root names; a root that is a file has its base name. With several roots it is relative to
// the innermost folder of all of them, so that a file has one path, and a folder inside of one root does not pass for
// one of the same name inside of another. For standard input it is "-", and empty for a spec from the cluster.
// Example: for the root "site/specs" and the file "site/specs/a/edge.yaml" it is "a/edge.yaml".
func Path(roots []string, file string) string {
	var named []string
	for _, root := range roots {
		switch clean := path.Clean(root); {
		case root == v1alpha1.SpecsFromStdin && file == "stdin":
			return root
		case root != v1alpha1.SpecsFromStdin && root != fromCluster && !slices.Contains(named, clean):
			named = append(named, clean)
		}
	}
	if file == "" || len(named) == 0 {
		return ""
	}
	file = path.Clean(file)
	if len(named) == 1 && file == named[0] {
		return path.Base(file)
	}
	common := elements(named[0])
	for _, root := range named[1:] {
		common = common[:shared(common, elements(root))]
	}
	inside := elements(file)
	if shared(common, inside) < len(common) {
		return ""
	}
	return strings.Join(inside[len(common):], "/")
}

// elements returns those of a clean path; an absolute one begins with an empty element.
func elements(clean string) []string {
	switch clean {
	case ".":
		return nil
	case "/":
		return []string{""}
	}
	return strings.Split(clean, "/")
}

// shared returns how many leading elements two paths have in common.
func shared(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Author returns the listed tenant in whose folder a file is, nil if there is none.
func (t *Tenants) Author(file string) *Tenant {
	for at := file; at != "" && at != "." && at != "/"; at = path.Dir(at) {
		if tenant := t.folders[at]; tenant != nil {
			return tenant
		}
	}
	return nil
}

// Folder returns the innermost folder of spec.tenants[].specs that a file is in, by the path of the file; empty if
// there is none. An author who writes there writes nowhere else. site may be nil.
func Folder(site *v1alpha1.Site, file string) string {
	if site == nil {
		return ""
	}
	for at := file; at != "" && at != "." && at != "/"; at = path.Dir(at) {
		for i := range site.Spec.Tenants {
			for _, folder := range site.Spec.Tenants[i].Specs {
				if path.Clean(folder) == at {
					return at
				}
			}
		}
	}
	return ""
}

// plain returns names of the Site's for a message.
func plain(names []string) string {
	var shown []string
	for _, name := range names {
		shown = append(shown, redact.Plain(name))
	}
	return strings.Join(shown, ", ")
}

// Written complains about a cluster whose file is outside its tenant's folders: in another tenant's folder or, if the
// tenant has folders, outside of them. file is in the form of Path; a cluster that was read from the live cluster has
// none, and is bound by its namespace. Such a spec does not come from the tenant, and must have no effect.
func (t *Tenants) Written(c *v1.SIPCluster, file string) []validation.FieldError {
	owner := t.byNamespace[c.Namespace]
	author := t.Author(file)
	var message string
	switch {
	case file == "" || len(t.site.Spec.Tenants) == 0:
		return nil
	case author != nil && author != owner:
		message = fmt.Sprintf("found %q in %s, a file of tenant %s: want one of that tenant's namespaces: %s", c.Namespace,
			file, author.Name, strings.Join(author.Namespaces, ", "))
	case author == nil && owner != nil && len(owner.Specs) > 0:
		message = fmt.Sprintf("found %q in %s, but that namespace belongs to tenant %s, whose specs are in %s (the Site's spec.tenants[].specs): move the file there, or add it to the list", c.Namespace, file, owner.Name, plain(owner.Specs))
	default:
		return nil
	}
	return []validation.FieldError{{Path: "metadata.namespace", Message: message}}
}
