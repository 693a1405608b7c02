package status

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/text"
)

// Kinds of the objects by which an engine applies the tree.
const (
	Kustomization = "Kustomization"
	Application   = "Application"
	// GitRepository is the source of Flux's.
	GitRepository = "GitRepository"
)

func isEngines(kind string) bool { return kind == Kustomization || kind == Application }

// Count counts the services that are so, apart from the objects by which the engine syncs.
func Count(services []Service, is func(Service) bool) (own, syncs int) {
	for i := range services {
		switch s := services[i]; {
		case !is(s):
		case s.ofEngine():
			syncs++
		default:
			own++
		}
	}
	return own, syncs
}

// ofEngine reports whether the engine syncs by the object, or from it.
func (s *Service) ofEngine() bool {
	return s.isEngines() || strings.HasPrefix(s.Service, GitRepository+" ")
}

func (s *Service) isEngines() bool {
	kind, _, _ := strings.Cut(s.Service, " ")
	return isEngines(kind)
}

// sync is the part of a Kustomization of Flux or an Application of Argo CD that says what it has applied.
type sync struct {
	Spec struct {
		Suspend    bool `json:"suspend"`
		SyncPolicy struct {
			Automated *struct {
				Enabled *bool `json:"enabled"`
			} `json:"automated"`
		} `json:"syncPolicy"`
	} `json:"spec"`
	Status struct {
		LastAppliedRevision string `json:"lastAppliedRevision"`
		Sync                struct {
			Status   string `json:"status"`
			Revision string `json:"revision"`
		} `json:"sync"`
		Health struct {
			Status  string `json:"status"`
			Message string `json:"message"`
		} `json:"health"`
		OperationState struct {
			Phase      string `json:"phase"`
			Message    string `json:"message"`
			RetryCount int    `json:"retryCount"`
		} `json:"operationState"`
		// History has the syncs that succeeded.
		History []struct {
			Revision string `json:"revision"`
		} `json:"history"`
	} `json:"status"`
}

// synced returns the commit that an object of the engine has applied, and whether all is well: the tree's commit,
// nothing suspended, nothing failing.
func synced(doc *manifest.Document, conditions *live, tree string) (commit string, ready bool, what string) {
	var object sync
	if json.Unmarshal(doc.JSON, &object) != nil {
		return "", false, "its status cannot be read"
	}
	var words []string
	if doc.Kind == Kustomization {
		commit = object.Status.LastAppliedRevision
		if object.Spec.Suspend {
			words = append(words, "suspended")
		}
		if ready, what := conditions.ready(); !ready {
			words = append(words, what)
		}
	} else {
		// What is compared with the cluster is the newest commit, applied or not.
		if object.Status.Sync.Status == "Synced" {
			commit = object.Status.Sync.Revision
		} else if history := object.Status.History; len(history) > 0 {
			commit = history[len(history)-1].Revision
		}
		automated := object.Spec.SyncPolicy.Automated
		if automated == nil || automated.Enabled != nil && !*automated.Enabled {
			words = append(words, "suspended: it does not sync by itself")
		}
		if s := object.Status.Sync.Status; s != "Synced" {
			words = append(words, cmp.Or(s, "its controller has not reported yet"))
		}
		// An operation that is to be retried stays in the phase Running.
		if p := object.Status.OperationState; p.Phase == "Failed" || p.Phase == "Error" ||
			p.Phase == "Running" && p.RetryCount > 0 {
			words = append(words, p.Phase+": "+p.Message)
		}
		for _, c := range conditions.Status.Conditions {
			if strings.HasSuffix(c.Type, "Error") {
				words = append(words, c.Type+": "+c.Message)
			}
		}
		if h := object.Status.Health; h.Status != "Healthy" {
			words = append(words, strings.TrimSuffix("health "+cmp.Or(h.Status, "unknown")+": "+h.Message, ": "))
		}
	}
	commit = hashIn(commit)
	switch {
	case commit == "":
		words = append(words, "nothing is applied yet")
	case tree != "" && commit != tree:
		words = append(words, fmt.Sprintf("has commit %s, the tree is of %s", short(commit), short(tree)))
	}
	return commit, len(words) == 0, strings.Join(words, "; ")
}

// hashIn returns the commit in a revision. Flux writes main@sha1:HEX.
func hashIn(revision string) string { return revision[strings.LastIndex(revision, ":")+1:] }

// fetched returns the commit that a root has, or the source of one.
func fetched(doc *manifest.Document, of *Service) string {
	var source struct {
		Status struct {
			Artifact struct {
				Revision string `json:"revision"`
			} `json:"artifact"`
		} `json:"status"`
	}
	if json.Unmarshal(doc.JSON, &source) != nil || source.Status.Artifact.Revision == "" {
		return of.Commit
	}
	return hashIn(source.Status.Artifact.Revision)
}

// Applied returns which commits the engine's objects have applied, as in "The cluster has commit 0123456789ab, the
// tree's"; empty if there are none.
func Applied(services []Service, tree string) string {
	count, all := map[string]int{}, 0
	for _, s := range services {
		if s.isEngines() {
			count[s.Commit]++
			all++
		}
	}
	if all == 0 {
		return ""
	}
	var parts []string
	for commit, n := range count {
		name := "no commit"
		if commit != "" {
			name = "commit " + short(commit)
		}
		if n < all {
			name += fmt.Sprintf(" (%d of %d)", n, all)
		}
		if commit != "" && commit == tree {
			name += ", the tree's,"
		}
		parts = append(parts, name)
	}
	slices.Sort(parts)
	line := "The cluster has " + strings.TrimSuffix(strings.Join(parts, " and "), ",")
	if _, has := count[tree]; !has && tree != "" {
		line += "; the tree is of " + short(tree)
	}
	return text.Line(line)
}

func short(commit string) string { return commit[:min(len(commit), 12)] }
