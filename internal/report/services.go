package report

import (
	"fmt"
	"strings"

	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/airshipit/sipgen/internal/text"
)

// ServiceChanges are the changes of a run in the existing services of one cluster, in the objects as the engine
// builds them, with patches.
type ServiceChanges struct {
	// Cluster is "namespace/name".
	Cluster string           `json:"cluster"`
	Objects []objdiff.Effect `json:"objects,omitempty"`
	// Gone: all of them go.
	Gone bool `json:"gone,omitempty"`
	// Emptied: their folder stays for one more commit, empty, for Argo CD to sync.
	Emptied bool `json:"emptied,omitempty"`
	// Account: the account that Flux deletes them as stays for one more commit.
	Account bool `json:"-"`
	// Leaves: all go because its hosts leave the site with their namespace, with labels and machines.
	Leaves bool `json:"-"`
	// Unknown is why the changes are unknown, empty if they are known.
	Unknown string `json:"unknown,omitempty"`
}

// maxFields is how many fields of an object a danger names.
const maxFields = 6

// maxLogins is how many SSH keys a danger names.
const maxLogins = 20

// changes returns a sentence for every changed object, and one for all deleted ones. New services have no changes;
// other rules report what they open.
func (s *ServiceChanges) changes() []string {
	if s.Unknown != "" {
		return []string{fmt.Sprintf("%s: the changes in its services are unknown, so look at its files: %s", s.Cluster,
			s.Unknown)}
	}
	if s.Gone && s.Leaves {
		return []string{s.Cluster + ": its services leave this tree: the engine deletes them, unless it let go of them " +
			"before this commit, so that another site takes them over; docs/move-a-namespace.md has the commands"}
	}
	if s.Gone && s.Emptied {
		return []string{s.Cluster + ": all its services are deleted; let Argo CD sync this commit before you publish the next one, which removes their folder"}
	}
	if s.Gone && s.Account {
		return []string{s.Cluster + ": all its services are deleted; let Flux sync this commit before you publish " +
			"the next one, which removes the account that deletes them"}
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
				words += fmt.Sprintf("; %s cannot change in a live object, so the sync fails until the %s is deleted; the engine then recreates it", strings.Join(o.Immutable, ", "), o.Object)
			}
			out = append(out, words)
		}
	}
	if len(gone) > 0 {
		out = append(out, fmt.Sprintf("%s: deleted: %s", s.Cluster, strings.Join(gone, ", ")))
	}
	return out
}

// reachedAt returns the new addresses of an existing cluster's Service.
func reachedAt(o *objdiff.Effect) string {
	if o.Added {
		return when(o.Reached != "", " is new; it is reached at "+o.Reached)
	}
	return when(o.Reached != "", " is reached at "+o.Reached+"; before, at "+o.WasReached)
}

// loginsBy names the logins that are added and removed.
func loginsBy(o *objdiff.Effect) string {
	more, less := text.Some(o.Logins, maxLogins), text.Some(o.NoLogins, maxLogins)
	switch {
	case more == "":
		return when(less != "", ": lose the login: "+less)
	case less == "":
		return ": may now log in: " + more
	}
	return ": may now log in: " + more + "; lose the login: " + less
}

// rightsOf reports an account with new rights in an existing cluster. changes reports changed rights.
func rightsOf(o *objdiff.Effect) string {
	kind, _, _ := strings.Cut(o.Object, " ")
	return when(o.Added && (kind == "Role" || kind == "RoleBinding"), " is new: it gives rights to an account")
}
