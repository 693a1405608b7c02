package report

import (
	"fmt"
	"slices"
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

// dangers are one for every object that changes, and one for all that go. A service that is new has nothing to lose; what it opens, openings says.
func (s *ServiceChanges) dangers() []string {
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

// openings are what a cluster that is there already opens: where its services are reached, and who may log in. They are of kinds of their own, so that
// nobody's other changes hide them.
func (s *ServiceChanges) openings() []danger {
	var out []danger
	for i := range s.Objects {
		o := &s.Objects[i]
		switch {
		case o.Reached == "":
		case o.Added:
			out = append(out, ofCluster("reached", s.Cluster, fmt.Sprintf("%s: %s is new; it is reached at %s", s.Cluster, o.Object, o.Reached)))
		default:
			out = append(out, ofCluster("reached", s.Cluster, fmt.Sprintf("%s: %s is reached at %s; before, at %s", s.Cluster, o.Object, o.Reached, o.WasReached)))
		}
		var parts []string
		if len(o.Logins) > 0 {
			parts = append(parts, "may log in from now on: "+firstKeys(o.Logins))
		}
		if len(o.NoLogins) > 0 {
			parts = append(parts, "may no longer log in: "+firstKeys(o.NoLogins))
		}
		if len(parts) > 0 {
			out = append(out, ofCluster("logins", s.Cluster, fmt.Sprintf("%s: %s: %s", s.Cluster, o.Object, strings.Join(parts, "; "))))
		}
	}
	return out
}

func firstKeys(keys []string) string {
	if n := len(keys) - maxLogins; n > 0 {
		return strings.Join(keys[:maxLogins], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(keys, ", ")
}

func (p *Plan) serviceDangers() []danger {
	var out []danger
	for i := range p.Services {
		for _, words := range p.Services[i].dangers() {
			out = append(out, ofCluster("services", p.Services[i].Cluster, words))
		}
	}
	for i := range p.Services {
		out = append(out, p.Services[i].openings()...)
	}
	return out
}

// built says whether it is known what changes in a cluster's services.
func (p *Plan) built(cluster string) bool {
	return slices.ContainsFunc(p.Services, func(s ServiceChanges) bool { return s.Cluster == cluster && s.Unknown == "" })
}
