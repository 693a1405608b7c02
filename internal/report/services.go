package report

import (
	"fmt"
	"strings"

	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/airshipit/sipgen/internal/text"
)

// ServiceChanges are what a run changes in the services of one cluster that the tree has already, in the objects that the engine builds: patches
// counted in.
type ServiceChanges struct {
	// Cluster is "namespace/name".
	Cluster string           `json:"cluster"`
	Objects []objdiff.Effect `json:"objects,omitempty"`
	// Gone: all of them go.
	Gone bool `json:"gone,omitempty"`
	// Emptied: their folder stays for one more commit, empty, for Argo CD to sync.
	Emptied bool `json:"emptied,omitempty"`
	// Unknown says why it is not known what changes; empty: it is known.
	Unknown string `json:"unknown,omitempty"`
}

// maxFields is how many fields of an object a danger names.
const maxFields = 6

// maxLogins is how many SSH keys a danger names.
const maxLogins = 20

// changes are one for every object that changes, and one for all that go. A service that is new has nothing to lose; what it opens, other rules say.
func (s *ServiceChanges) changes() []string {
	if s.Unknown != "" {
		return []string{fmt.Sprintf("%s: what changes in its services is not known, so look at its files: %s", s.Cluster, s.Unknown)}
	}
	if s.Gone && s.Emptied {
		return []string{s.Cluster + ": all its services are deleted; let Argo CD sync this commit before you publish the next one, which removes their folder"}
	}
	if s.Gone {
		return []string{s.Cluster + ": all its services are deleted"}
	}
	var out, gone []string
	for _, o := range s.Objects {
		switch {
		case o.Gone:
			gone = append(gone, o.Object)
		case !o.Added && len(o.Fields) > 0:
			fields := o.Fields
			more := ""
			if n := len(fields) - maxFields; n > 0 {
				fields, more = fields[:maxFields], fmt.Sprintf(" and %s", text.Count(n, "more field"))
			}
			words := fmt.Sprintf("%s: %s changes: %s%s", s.Cluster, o.Object, strings.Join(fields, ", "), more)
			if o.Rolls {
				words += ", and its pods roll"
				if strings.HasPrefix(o.Object, "Deployment jumphost") {
					words += ": open sessions end"
				}
			}
			if len(o.Immutable) > 0 {
				words += fmt.Sprintf("; %s cannot change in a live object, so the sync fails until somebody deletes the %s; the engine then creates it again", strings.Join(o.Immutable, ", "), o.Object)
			}
			out = append(out, words)
		}
	}
	if len(gone) > 0 {
		out = append(out, fmt.Sprintf("%s: deleted: %s", s.Cluster, strings.Join(gone, ", ")))
	}
	return out
}

// reachedAt says where a Service of a cluster that is there already is reached from now on.
func reachedAt(o *objdiff.Effect) string {
	if o.Added {
		return when(o.Reached != "", " is new; it is reached at "+o.Reached)
	}
	return when(o.Reached != "", " is reached at "+o.Reached+"; before, at "+o.WasReached)
}

// loginsBy says who may log in from now on, and who no longer may.
func loginsBy(o *objdiff.Effect) string {
	more, less := firstKeys(o.Logins), firstKeys(o.NoLogins)
	switch {
	case more == "":
		return when(less != "", ": may no longer log in: "+less)
	case less == "":
		return ": may log in from now on: " + more
	}
	return ": may log in from now on: " + more + "; may no longer log in: " + less
}

// rightsOf says that an account gets rights in a cluster that is there already. What changes in rights that it has, changes says.
func rightsOf(o *objdiff.Effect) string {
	kind, _, _ := strings.Cut(o.Object, " ")
	return when(o.Added && (kind == "Role" || kind == "RoleBinding"), " is new: it gives rights to an account")
}

func firstKeys(keys []string) string {
	if n := len(keys) - maxLogins; n > 0 {
		return strings.Join(keys[:maxLogins], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(keys, ", ")
}
