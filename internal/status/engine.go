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
	// AppProject is what an Application of Argo CD belongs to. It may deny syncs.
	AppProject = "AppProject"
	// GitRepository is the source of Flux's.
	GitRepository = "GitRepository"
)

// skipReconcile is Argo CD's annotation on an Application that its controller leaves alone.
const skipReconcile = "argocd.argoproj.io/skip-reconcile"

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
		Suspend    bool   `json:"suspend"`
		Project    string `json:"project"`
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

// applied is what an object of the engine has applied, and how it is.
type applied struct {
	commit string
	ready  bool
	what   string
	// stopped: no sync begins until an operator permits it. failing: the last try failed, and the engine tries again.
	stopped, failing bool
}

// synced returns what an object of the engine has applied, and whether all is well: the tree's commit, nothing
// suspended, nothing failing. deniedBy are the AppProjects that deny every sync.
func synced(doc *manifest.Document, conditions *live, tree string, deniedBy func(name string) bool) (a applied) {
	var object sync
	if json.Unmarshal(doc.JSON, &object) != nil {
		return applied{what: "its status cannot be read"}
	}
	var words []string
	if doc.Kind == Kustomization {
		a.commit = object.Status.LastAppliedRevision
		if object.Spec.Suspend {
			a.stopped = true
			words = append(words, "suspended")
		}
		if ready, what := conditions.ready(); !ready {
			words = append(words, what)
		}
		a.failing = conditions.failsItself()
	} else {
		// What is compared with the cluster is the newest commit, applied or not.
		isSynced := object.Status.Sync.Status == "Synced"
		if isSynced {
			a.commit = object.Status.Sync.Revision
		} else if history := object.Status.History; len(history) > 0 {
			a.commit = history[len(history)-1].Revision
		}
		automated := object.Spec.SyncPolicy.Automated
		if automated == nil || automated.Enabled != nil && !*automated.Enabled {
			a.stopped = true
			words = append(words, "suspended: it does not sync by itself")
		}
		if conditions.Metadata.Annotations[skipReconcile] == "true" {
			a.stopped = true
			words = append(words, "suspended: it has the annotation "+skipReconcile)
		}
		if deniedBy(object.Spec.Project) {
			a.stopped = true
			words = append(words, "suspended: a sync window of its AppProject denies each sync")
		}
		if !isSynced {
			words = append(words, cmp.Or(object.Status.Sync.Status, "its controller has not reported yet"))
		}
		// An operation that is to be retried stays in the phase Running. One that failed, or that a person ended, is
		// over once the objects are as in the commit.
		p := object.Status.OperationState
		if !isSynced && (p.Phase == "Failed" || p.Phase == "Error") || p.Phase == "Running" && p.RetryCount > 0 {
			a.failing = true
			words = append(words, p.Phase+": "+p.Message)
		}
		for _, c := range conditions.Status.Conditions {
			if strings.HasSuffix(c.Type, "Error") {
				a.failing = true
				words = append(words, c.Type+": "+c.Message)
			}
		}
		if h := object.Status.Health; h.Status != "Healthy" {
			words = append(words, strings.TrimSuffix("health "+cmp.Or(h.Status, "unknown")+": "+h.Message, ": "))
		}
	}
	a.commit = hashIn(a.commit)
	switch {
	case a.commit == "":
		words = append(words, "nothing is applied yet")
	case tree != "" && a.commit != tree:
		words = append(words, fmt.Sprintf("has commit %s, the tree is of %s", short(a.commit), short(tree)))
	}
	a.ready, a.what = len(words) == 0, strings.Join(words, "; ")
	return a
}

// failsItself reports whether a Kustomization fails by a cause of its own: not because it waits for a Kustomization or
// a source, which are listed themselves.
func (o *live) failsItself() bool {
	for _, c := range o.Status.Conditions {
		if c.Type == "Ready" {
			return c.Status == "False" && c.Reason != "DependencyNotReady" && c.Reason != "ArtifactFailed"
		}
	}
	return false
}

// deniesAll reports whether an AppProject has a sync window that is always open and denies, as the runbook
// stop-everything writes it. Other windows depend on the time.
func deniesAll(doc *manifest.Document) bool {
	var project struct {
		Spec struct {
			SyncWindows []struct {
				Kind         string   `json:"kind"`
				Schedule     string   `json:"schedule"`
				Applications []string `json:"applications"`
			} `json:"syncWindows"`
		} `json:"spec"`
	}
	if json.Unmarshal(doc.JSON, &project) != nil {
		return false
	}
	for _, window := range project.Spec.SyncWindows {
		if window.Kind == "deny" && window.Schedule == "* * * * *" && slices.Contains(window.Applications, "*") {
			return true
		}
	}
	return false
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
