package status

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/root"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// Wanted is an object of the tree that reports its own status: a Deployment of a cluster, a service of the site, or an
// object of the engine.
type Wanted struct {
	Kind, Namespace, Name, Cluster string
	// Site is the site of an object of the engine, empty in a tree of an early version.
	Site string
	// Root: the engine syncs everything else by it, or from it.
	Root bool
	// Source is where the tree has the engine read, of a root.
	Source root.Source
}

// Service is the state of a service of the tree, by its live object.
type Service struct {
	// Service is its kind and name, as in "Ironic metal3/ironic".
	Service string `json:"service"`
	// Cluster is its cluster, empty for the site's.
	Cluster string `json:"cluster,omitempty"`
	Ready   bool   `json:"ready"`
	// Commit is what the engine has applied, for its own objects.
	Commit string `json:"commit,omitempty"`
	// What is more detail: the conditions that are not as they should be, or the progress of a rollout.
	What string `json:"what,omitempty"`
	// Stuck: an operator has to act. The rollout has ended, and the service is not ready; a sync is suspended or fails;
	// or nothing is synced any more.
	Stuck bool `json:"stuck,omitempty"`
	// Retried: the engine tries a sync that fails again.
	Retried bool `json:"-"`
}

// Waits reports whether the service is on its way: it is not ready, and may still become so.
func (s Service) Waits() bool { return !s.Ready && (!s.Stuck || s.Retried) }

// live is the part of any object with conditions that is read.
type live struct {
	Metadata struct {
		Generation        int64             `json:"generation"`
		DeletionTimestamp string            `json:"deletionTimestamp"`
		Finalizers        []string          `json:"finalizers"`
		Labels            map[string]string `json:"labels"`
		Annotations       map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		Replicas *int32 `json:"replicas"`
	} `json:"spec"`
	Status struct {
		ObservedGeneration int64  `json:"observedGeneration"`
		UpdatedReplicas    int32  `json:"updatedReplicas"`
		AvailableReplicas  int32  `json:"availableReplicas"`
		InstalledVersion   string `json:"installedVersion"`
		Conditions         []struct {
			Type               string `json:"type"`
			Status             string `json:"status"`
			Reason             string `json:"reason"`
			Message            string `json:"message"`
			ObservedGeneration int64  `json:"observedGeneration"`
		} `json:"conditions"`
	} `json:"status"`
}

// Services compares the objects of the tree with the live ones, in the order of clusters and names, those of the site
// first. commit is the tree's, empty: unknown. labeled: the engine has synced hosts before, so that a root which is not
// there or fails is stuck.
func Services(wanted []Wanted, objects []manifest.Document, commit string, labeled bool) []Service {
	byName := map[Wanted]*manifest.Document{}
	for i := range objects {
		byName[Wanted{Kind: objects[i].Kind, Namespace: objects[i].Namespace, Name: objects[i].Name}] = &objects[i]
	}
	out := []Service{}
	for _, w := range wanted {
		broken, runbook := true, "change-not-applied"
		s := Service{Service: w.Kind + " " + w.Namespace + "/" + w.Name, Cluster: w.Cluster,
			What: "not synced: there is no such object"}
		if doc := byName[Wanted{Kind: w.Kind, Namespace: w.Namespace, Name: w.Name}]; doc != nil {
			var object live
			broken = false
			if json.Unmarshal(doc.JSON, &object) != nil {
				s.What = "its status cannot be read"
			} else if isEngines(w.Kind) {
				sync := synced(doc, &object, commit, func(project string) bool {
					of := byName[Wanted{Kind: AppProject, Namespace: w.Namespace, Name: project}]
					return of != nil && deniesAll(of)
				})
				s.Commit, s.Ready, s.What = sync.commit, sync.ready, sync.what
				s.Stuck, s.Retried = sync.stopped || sync.failing, sync.failing && !sync.stopped
				broken = !s.Ready && object.fails()
				if of := object.Metadata.Labels[inventory.SiteLabel]; w.Site != "" && of != "" && of != w.Site {
					s.Ready = false
					s.What = strings.TrimSuffix("is of site "+of+", and this site has a cluster of the same namespace and "+
						"name: each is for one SIPCluster; "+s.What, "; ")
				}
				if object.Metadata.DeletionTimestamp != "" {
					s.Ready, broken, runbook = false, true, "deleted-objects"
					s.What = strings.TrimSuffix("is being deleted, and waits for "+
						cmp.Or(strings.Join(object.Metadata.Finalizers, ", "), "its end")+"; "+s.What, "; ")
				}
			} else if w.Kind == "Deployment" {
				s.Ready, s.Stuck, s.What = object.rollout()
			} else {
				s.Ready, s.What = object.ready()
				broken = !s.Ready && object.fails()
			}
		}
		if doc := byName[Wanted{Kind: w.Kind, Namespace: w.Namespace, Name: w.Name}]; w.Root && doc != nil {
			if reads := root.Of(*doc); reads != w.Source && (commit == "" || fetched(doc, &s) != commit) {
				s.Ready, s.Stuck, s.Retried, broken = false, true, false, false
				s.What = "reads " + reads.Unlike(w.Source) + ", and the tree is for " + w.Source.Unlike(reads) +
					": apply the root of the tree, as docs/change-site.md has it"
			}
		}
		if w.Root && broken && labeled {
			s.Stuck, s.Retried, s.What = true, false, s.What+": no sync runs (sipgen help runbook "+runbook+")"
		}
		s.What = text.Truncate(text.Line(redact.Text(s.What)), maxMessage)
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Service) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Service, b.Service))
	})
	return out
}

// ready returns the condition Ready, and every other one that is not true.
func (o *live) ready() (ready bool, what string) {
	var words []string
	if o.Status.InstalledVersion != "" {
		words = append(words, "version "+o.Status.InstalledVersion)
	}
	// Where a sync fails, Flux leaves the generation of the whole status behind, and sets that of the condition.
	known, seen := false, o.Status.ObservedGeneration
	for _, c := range o.Status.Conditions {
		if c.Type == "Ready" {
			known, ready = true, c.Status == "True"
			seen = cmp.Or(c.ObservedGeneration, seen)
		}
		if c.Status != "True" {
			words = append(words, strings.TrimSuffix(fmt.Sprintf("%s %s: %s: %s", c.Type, c.Status, c.Reason, c.Message), ": "))
		}
	}
	switch {
	case !known:
		words = append(words, "its operator has not reported yet")
	case seen != 0 && seen != o.Metadata.Generation:
		ready = false
		words = append(words, "its operator has not seen this spec yet")
	}
	return ready, strings.Join(words, "; ")
}

// fails reports whether a condition says that it cannot work: Flux's Ready is False, or Argo CD has an error.
func (o *live) fails() bool {
	for _, c := range o.Status.Conditions {
		if c.Type == "Ready" && c.Status == "False" || strings.HasSuffix(c.Type, "Error") {
			return true
		}
	}
	return false
}

// rollout returns the progress of a Deployment, as kubectl rollout status does.
func (o *live) rollout() (ready, stuck bool, what string) {
	want := int32(1)
	if o.Spec.Replicas != nil {
		want = *o.Spec.Replicas
	}
	ready = o.Status.ObservedGeneration >= o.Metadata.Generation && o.Status.UpdatedReplicas >= want &&
		o.Status.AvailableReplicas >= want
	what = fmt.Sprintf("%d of %d pods available, %d of this version", o.Status.AvailableReplicas, want,
		o.Status.UpdatedReplicas)
	if ready {
		return true, false, what
	}
	for _, c := range o.Status.Conditions {
		if c.Type == "ReplicaFailure" && c.Status == "True" { // the API server refuses a pod, by a quota for example
			what += ": " + c.Message
		}
		if c.Type == "Progressing" && c.Reason == "ProgressDeadlineExceeded" {
			stuck, what = true, what+": "+c.Message
		}
	}
	return false, stuck, what
}

// ServiceSummary returns a line such as "5 services: 4 ready", without the engine's objects; empty without services.
func ServiceSummary(services []Service) string {
	ready, all := 0, 0
	for _, s := range services {
		if s.ofEngine() {
			continue
		}
		all++
		if s.Ready {
			ready++
		}
	}
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d ready", text.Count(all, "service"), ready)
}
