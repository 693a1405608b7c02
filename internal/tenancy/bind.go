package tenancy

import (
	"fmt"
	"path"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
)

// fromCluster is the word that stands for the live cluster among the roots.
const fromCluster = "cluster"

// Path is the path of a file that was read below one of roots, relative to it: what spec.tenants[].specs is compared with. Of a file that
// is a root itself it is the base name, and of standard input "-". An empty path: it came from no file.
func Path(roots []string, file string) string {
	if file == "stdin" {
		for _, root := range roots {
			if root == v1alpha1.SpecsFromStdin {
				return root
			}
		}
	}
	longest, found := "", ""
	for _, root := range roots {
		if root == v1alpha1.SpecsFromStdin || root == fromCluster {
			continue
		}
		clean := path.Clean(root)
		switch rest, inside := strings.CutPrefix(file, clean+"/"); {
		case file == clean:
			return path.Base(file)
		case clean == "." && !path.IsAbs(file) && len(longest) == 0:
			found = file
		case clean == "/" && path.IsAbs(file) && len(longest) == 0:
			found = strings.TrimPrefix(file, "/")
		case inside && len(clean) > len(longest):
			longest, found = clean, rest
		}
	}
	return found
}

// Author is the listed tenant whose specs a file holds, by the path of the file; nil if it is in no tenant's folder.
func (t *Tenants) Author(file string) *Tenant {
	for at := file; at != "" && at != "." && at != "/"; at = path.Dir(at) {
		if tenant := t.folders[at]; tenant != nil {
			return tenant
		}
	}
	return nil
}

// Written complains about a cluster that is written where its tenant does not write: in another tenant's folder, or, where the tenant has
// folders, outside of them. file is as Path gives it; a cluster that was read from the cluster has none, and is bound by its namespace.
// Such a spec is not the tenant's word, and nothing is to be done because of it.
func (t *Tenants) Written(c *v1.SIPCluster, file string) []v1.FieldError {
	owner := t.byNamespace[c.Namespace]
	author := t.Author(file)
	var message string
	switch {
	case file == "" || len(t.site.Spec.Tenants) == 0:
		return nil
	case author != nil && author != owner:
		message = fmt.Sprintf("found %q in %s, which is tenant %s's: want one of its namespaces, %s", c.Namespace, file, author.Name, strings.Join(author.Namespaces, ", "))
	case author == nil && owner != nil && len(owner.Specs) > 0:
		message = fmt.Sprintf("found %q in %s, and it is tenant %s's, whose specs are in %s", c.Namespace, file, owner.Name, strings.Join(owner.Specs, ", "))
	default:
		return nil
	}
	return []v1.FieldError{{Path: "metadata.namespace", Message: message}}
}
