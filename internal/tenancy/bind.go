package tenancy

import (
	"fmt"
	"path"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/redact"
)

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

// Written complains about a cluster that its tenant did not write: the file is in another tenant's folder, or the
// tenant has folders and it is in none of them. file is relative to the Site's file; a cluster that was read from the
// live cluster has none, and is bound by its namespace. Such a spec does not come from the tenant, and must have no
// effect.
func (t *Tenants) Written(c *v1.SIPCluster, file string) []validation.FieldError {
	owner := t.byNamespace[c.Namespace]
	author := t.Author(file)
	var message string
	switch {
	case file == "" || len(t.site.Spec.Tenants) == 0:
		return nil
	case author != nil && author != owner:
		message = fmt.Sprintf("found %q in %s, a file of tenant %s (the Site's spec.tenants[].specs): want one of that "+
			"tenant's namespaces: %s", c.Namespace, file, author.Name, strings.Join(author.Namespaces, ", "))
	case author == nil && owner != nil && len(owner.Specs) > 0:
		message = fmt.Sprintf("found %q in %s, but that namespace belongs to tenant %s, whose specs are in %s "+
			"(spec.tenants[].specs, relative to the Site's file): move the file there, or add it to the list", c.Namespace,
			file, owner.Name, plain(owner.Specs))
	default:
		return nil
	}
	return []validation.FieldError{{Path: "metadata.namespace", Message: message}}
}
