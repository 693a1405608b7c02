package status

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/root"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	newest = "1111111111111111111111111111111111111111"
	former = "2222222222222222222222222222222222222222"
)

func kustomization(spec, revision, ready string) string {
	return "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {namespace: engine, name: a, generation: 2}\nspec: {" + spec + "}\n" +
		"status: {observedGeneration: 2, lastAppliedRevision: '" + revision + "', conditions: [{type: Ready, " + ready +
		"}]}\n"
}

func application(automated, status string) string {
	return "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {namespace: engine, name: a}\nspec: {syncPolicy: {" + automated + "}}\nstatus: {" + status + "}\n"
}

// TestEngine: what the engine's objects say of the commit that they have applied. Their statuses are as
// kustomize-controller v1.7 and Argo CD v3.2 write them.
func TestEngine(t *testing.T) {
	const well = "status: 'True', reason: ReconciliationSucceeded, message: ok"
	const automated = "automated: {prune: true}"
	for name, row := range map[string]struct {
		kind, object, commit string
		ready                bool
		what                 string
	}{
		"Flux has the tree's commit": {Kustomization, kustomization("", "main@sha1:"+newest, well), newest,
			true, ""},
		"Flux has another": {Kustomization, kustomization("", "main@sha1:"+former, well), former,
			false, "has commit 222222222222, the tree is of 111111111111"},
		"Flux is suspended": {Kustomization, kustomization("suspend: true", "main@sha1:"+newest, well),
			newest, false, "suspended"},
		"Flux cannot apply it": {Kustomization,
			kustomization("", "main@sha1:"+former, "status: 'False', reason: BuildFailed, message: no such file"),
			former, false, "BuildFailed: no such file; has commit"},
		"Flux has applied nothing": {Kustomization,
			kustomization("", "", "status: 'False', reason: DependencyNotReady, message: b"), "", false,
			"DependencyNotReady: b; nothing is applied yet"},
		"Flux fails before it has applied anything": {Kustomization,
			"apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {namespace: engine, name: a, " +
				"generation: 1}\nstatus: {observedGeneration: -1, conditions: [{type: Ready, status: 'False', " +
				"reason: ReconciliationFailed, message: no namespace, observedGeneration: 1}]}\n", "", false,
			"Ready False: ReconciliationFailed: no namespace; nothing is applied yet"},
		"Flux has not looked at the newest spec": {Kustomization,
			"apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {namespace: engine, name: a, " +
				"generation: 3}\nstatus: {observedGeneration: 2, lastAppliedRevision: '" + newest + "', " +
				"conditions: [{type: Ready, status: 'True', observedGeneration: 2}]}\n", newest, false,
			"its operator has not seen this spec yet"},
		"Argo CD has the tree's commit": {Application,
			application(automated, "sync: {status: Synced, revision: '"+newest+"'}, health: {status: Healthy}"), newest,
			true, ""},
		"Argo CD has applied it after two tries": {Application,
			application(automated, "sync: {status: Synced, revision: '"+newest+"'}, health: {status: Healthy}, "+
				"operationState: {phase: Succeeded, message: done, retryCount: 2}"), newest, true, ""},
		"Argo CD tries again": {Application,
			application(automated, "sync: {status: Synced, revision: '"+newest+"'}, health: {status: Healthy}, "+
				"operationState: {phase: Running, message: denied, retryCount: 2}"), newest, false, "Running: denied"},
		"Argo CD applies it": {Application,
			application(automated, "sync: {status: Synced, revision: '"+newest+"'}, health: {status: Healthy}, "+
				"operationState: {phase: Running, message: waits}"), newest, true, ""},
		"Argo CD has compared, not applied": {Application,
			application(automated, "sync: {status: OutOfSync, revision: '"+newest+
				"'}, health: {status: Healthy}, operationState: {phase: Failed, message: denied, syncResult: {revision: '"+newest+"'}}, history: [{revision: '0'}, {revision: '"+former+"'}]"), former, false, "OutOfSync; Failed: denied; has commit 222222222222"},
		"Argo CD does not sync by itself": {Application,
			application("", "sync: {status: Synced, revision: '"+newest+"'}, health: {status: Healthy}"), newest, false,
			"suspended"},
		"Argo CD's automation is turned off": {Application,
			application("automated: {enabled: false}",
				"sync: {status: Synced, revision: '"+newest+"'}, health: {status: Healthy}"), newest, false,
			"suspended"},
		"Argo CD's objects are ill": {Application,
			application(automated, "sync: {status: Synced, revision: '"+newest+
				"'}, health: {status: Degraded, message: no pods}"), newest, false, "health Degraded: no pods"},
		"Argo CD cannot compare": {Application,
			application(automated, "sync: {status: Unknown}, health: {status: Healthy}, conditions: [{type: ComparisonError, message: no such path}, {type: OrphanedResourceWarning, message: many}], history: [{revision: '"+newest+"'}]"),
			newest, false, "Unknown; ComparisonError: no such path"},
		"Argo CD has not looked yet": {Application, application(automated, ""), "", false, "not reported yet"},
	} {
		t.Run(name, func(t *testing.T) {
			docs := need.Value(manifest.Parse("x.yaml", []byte(row.object)))(t)
			found := Services([]Wanted{{Kind: row.kind, Namespace: "engine", Name: "a"}}, docs, newest, false)[0]
			if found.Commit != row.commit || found.Ready != row.ready || !strings.Contains(found.What, row.what) ||
				row.what == "" && found.What != "" {
				t.Errorf("found %+v", found)
			}
			// Without the tree's commit, as of a folder, no commit is wrong.
			if found := Services([]Wanted{{Kind: row.kind, Namespace: "engine", Name: "a"}}, docs, "",
				false)[0]; strings.Contains(found.What, "the tree is of") {
				t.Errorf("a folder: found %+v", found)
			}
		})
	}
}

// TestOperatorActs: a suspended sync waits for an operator, and one that fails needs an operator, too: its spec, its
// namespace or a permission is wrong. It is tried again, so that a wait goes on. What waits for another object is on
// its way.
func TestOperatorActs(t *testing.T) {
	const automated, healthy = "automated: {prune: true}", "health: {status: Healthy}"
	const synced, old = "sync: {status: Synced, revision: '" + newest + "'}, " + healthy,
		"sync: {status: OutOfSync, revision: '" + newest + "'}, " + healthy
	failed := func(reason, message string) string {
		return kustomization("", "main@sha1:"+former, "status: 'False', reason: "+reason+", message: '"+message+"'")
	}
	window := func(kind, schedule, applications string) string {
		return application(automated, synced) +
			"---\napiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {namespace: engine, name: default}\n" +
			"spec: {syncWindows: [{kind: " + kind + ", schedule: '" + schedule + "', duration: 24h, applications: ['" +
			applications + "']}]}\n"
	}
	for name, row := range map[string]struct {
		kind, objects       string
		ready, stuck, waits bool
	}{
		"Flux is suspended": {Kustomization,
			kustomization("suspend: true", "main@sha1:"+newest, "status: 'True'"), false, true, false},
		"Flux is suspended and fails": {Kustomization,
			kustomization("suspend: true", "main@sha1:"+former, "status: 'False', reason: BuildFailed"), false, true,
			false},
		"Flux: no namespace": {Kustomization, failed("ReconciliationFailed", "namespaces x not found"), false,
			true, true},
		"Flux: a wrong tree":          {Kustomization, failed("BuildFailed", "no such file"), false, true, true},
		"Flux: services that are ill": {Kustomization, failed("HealthCheckFailed", "timeout"), false, true, true},
		"Flux waits for another":      {Kustomization, failed("DependencyNotReady", "dependency"), false, false, true},
		"Flux waits for the source":   {Kustomization, failed("ArtifactFailed", "not found"), false, false, true},
		"Argo CD is suspended":        {Application, application("", synced), false, true, false},
		"Argo CD is turned off": {Application, application("automated: {enabled: false}", synced), false, true,
			false},
		"Argo CD leaves it alone": {Application, strings.Replace(application(automated, synced), "name: a}",
			"name: a, annotations: {argocd.argoproj.io/skip-reconcile: 'true'}}", 1), false, true, false},
		"Argo CD is stopped by a page": {Application, window("deny", "* * * * *", "*"), false, true, false},
		"a window of the night":        {Application, window("deny", "0 22 * * *", "*"), true, false, false},
		"a window for others":          {Application, window("deny", "* * * * *", "x"), true, false, false},
		"a window that allows":         {Application, window("allow", "* * * * *", "*"), true, false, false},
		"Argo CD has not synced yet":   {Application, application(automated, old), false, false, true},
		"Argo CD syncs": {Application,
			application(automated, old+", operationState: {phase: Running, message: waiting}"), false, false, true},
		"Argo CD: no namespace": {Application, application(automated, old+
			", operationState: {phase: Running, retryCount: 1, message: namespaces x not found}"), false, true, true},
		"Argo CD tries a denied sync again": {Application, application(automated, synced+
			", operationState: {phase: Running, retryCount: 2, message: denied}"), false, true, true},
		"Argo CD: a sync failed": {Application,
			application(automated, old+", operationState: {phase: Failed, message: denied}"), false, true, true},
		"Argo CD cannot compare": {Application, application(automated, "sync: {status: Unknown}, "+healthy+
			", conditions: [{type: ComparisonError, message: no such path}]"), false, true, true},
		"Argo CD: a person ended the sync of what is there": {Application, application(automated, synced+
			", operationState: {phase: Failed, message: Operation terminated}"), true, false, false},
	} {
		docs := need.Value(manifest.Parse("x.yaml",
			[]byte(strings.Replace(row.objects, "spec: {sync", "spec: {project: default, sync", 1))))(t)
		found := Services([]Wanted{{Kind: row.kind, Namespace: "engine", Name: "a"}}, docs, newest, true)[0]
		assert.Equal(t, [3]bool{row.ready, row.stuck, row.waits}, [3]bool{found.Ready, found.Stuck, found.Waits()},
			"%s: ready, stuck, waits: %s", name, found.What)
	}
}

// TestOtherSite: an object of the engine that another site's tree writes, too, is named with that site, though it has
// the same commit.
func TestOtherSite(t *testing.T) {
	const ready = "status: 'True'"
	for _, row := range []struct {
		why, live, tree, what string
		ready                 bool
	}{
		{"the site's own", "dc1", "dc1", "", true},
		{"another site's", "dc2", "dc1",
			"is of site dc2, and this site has a cluster of the same namespace and name: " +
				"each is for one SIPCluster", false},
		{"a tree of an early version", "dc2", "", "", true},
		{"a live object of an early version", "", "dc1", "", true},
	} {
		object := strings.Replace(kustomization("", "main@sha1:"+newest, ready), "metadata: {",
			"metadata: {labels: {sipgen.airshipit.org/site: '"+row.live+"'}, ", 1)
		docs := need.Value(manifest.Parse("x.yaml", []byte(object)))(t)
		found := Services([]Wanted{{Kind: Kustomization, Namespace: "engine", Name: "a", Site: row.tree}}, docs, newest,
			true)[0]
		assert.Equal(t, row.ready, found.Ready, row.why)
		assert.Equal(t, row.what, found.What, row.why)
		assert.False(t, found.Stuck, row.why)
	}
}

func TestApplied(t *testing.T) {
	at := func(commits ...string) (out []Service) {
		for _, commit := range commits {
			out = append(out, Service{Service: "Kustomization flux-system/a", Commit: commit})
		}
		return append(out, Service{Service: "Deployment a/b", Ready: true})
	}
	for want, found := range map[string]string{
		"": Applied(at(), newest),
		"The cluster has commit 111111111111, the tree's": Applied(at(newest,
			newest), newest),
		"The cluster has commit 222222222222; the tree is of 111111111111": Applied(at(former,
			former), newest),
		"The cluster has commit 111111111111 (1 of 2), the tree's, and commit 222222222222 (1 of 2)": Applied(at(former,
			newest), newest),
		"The cluster has commit 222222222222": Applied(at(former),
			""),
	} {
		assert.Equal(t, want, found)
	}
	assert.Equal(t, "1 service: 1 ready", ServiceSummary(at(newest)))
	on := append(at(newest, former), Service{Service: "GitRepository flux-system/a"},
		Service{Service: "Deployment a/c"},
		Service{Service: "Deployment a/d", Stuck: true})
	own, syncs := Count(on, Service.Waits)
	assert.Equal(t, []int{1, 3}, []int{own, syncs}, "services on their way, and sync objects")
	assert.Empty(t, ServiceSummary(at(newest)[:1]), "the engine's objects alone: found")
}

func TestServices(t *testing.T) {
	for _, row := range []struct {
		why, kind, object string
		ready, stuck      bool
		what              string
	}{
		{"nothing there", "Ironic", "", false, false, "not synced: there is no such object"},
		{"an Ironic that is ready", "Ironic",
			`"metadata": {"generation": 2}, "status": {"installedVersion": "35.0", "conditions": [{"type": "Ready", "status": "True", "observedGeneration": 2}]}`, true, false, "version 35.0"},
		{"one that is not", "Ironic", `"metadata": {"generation": 2}, "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "DeploymentInProgress", "message": "waiting", "observedGeneration": 2}]}`, false, false, "Ready False: DeploymentInProgress: waiting"},
		{"one of an earlier spec", "Ironic",
			`"metadata": {"generation": 3}, "status": {"conditions": [{"type": "Ready", "status": "True", "observedGeneration": 2}]}`, false, false, "its operator has not seen this spec yet"},
		{"a Vino without conditions", "Vino", `"status": {}`, false, false, "its operator has not reported yet"},
		{"a PlacementAPI of an earlier spec", "PlacementAPI",
			`"metadata": {"generation": 3}, "status": {"observedGeneration": 2, "conditions": [{"type": "Ready", "status": "True"}]}`, false, false, "its operator has not seen this spec yet"},
		{"a PlacementAPI that waits", "PlacementAPI",
			`"status": {"conditions": [{"type": "Ready", "status": "Unknown", "reason": "Requested", "message": "Setup started"}, {"type": "DBReady", "status": "False", "reason": "Error"}]}`, false, false, "Ready Unknown: Requested: Setup started; DBReady False: Error"},
		{"a rollout that is complete", "Deployment",
			`"metadata": {"generation": 1}, "spec": {"replicas": 2}, "status": {"observedGeneration": 1, "updatedReplicas": 2, "availableReplicas": 2}`, true, false, "2 of 2 pods available, 2 of this version"},
		{"a rollout under way", "Deployment",
			`"metadata": {"generation": 2}, "spec": {"replicas": 2}, "status": {"observedGeneration": 2, "updatedReplicas": 1, "availableReplicas": 2}`, false, false, "2 of 2 pods available, 1 of this version"},
		{"a rollout not begun", "Deployment",
			`"metadata": {"generation": 2}, "status": {"observedGeneration": 1, "updatedReplicas": 1, "availableReplicas": 1}`, false, false, "1 of 1 pods available, 1 of this version"},
		{"a rollout that failed", "Deployment",
			`"status": {"conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "timed out"}]}`, false, true, "0 of 1 pods available, 0 of this version: timed out"},
		{"pods that are refused", "Deployment",
			`"status": {"conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "timed out"}, {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "exceeded quota"}]}`, false, true, "0 of 1 pods available, 0 of this version: timed out: exceeded quota"},
		{"no status at all", "Deployment", `"status": "x"`, false, false, "its status cannot be read"},
	} {
		var docs []manifest.Document
		if row.object != "" {
			docs = []manifest.Document{{Kind: row.kind, Namespace: "n", Name: "x",
				JSON: []byte("{" + row.object + "}")}}
		}
		s := Services([]Wanted{{Kind: row.kind, Namespace: "n", Name: "x"}}, docs, "", false)[0]
		assert.Truef(t,
			s.Ready == row.ready && s.Stuck == row.stuck && s.What == row.what && s.Service == row.kind+" n/x",
			"%s: found %+v\nwant %v %v %s", row.why, s, row.ready, row.stuck, row.what)
	}
}

// TestServicesOfTenants: a tenant's SIPCluster has a condition of its own services and of those of the site; Ready is
// about its hosts.
func TestServicesOfTenants(t *testing.T) {
	key := schedule.ClusterKey{Namespace: "red", Name: "a"}
	tenants := &Tenants{
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{{Key: key}}},
		Services: []Service{{Service: "Kustomization flux-system/x", What: "suspended"},
			{Service: "Ironic m/i", What: "Ready False: X"},
			{Service: "Deployment red/lb", Cluster: "red/a", Ready: true},
			{Service: "Deployment blue/lb", Cluster: "blue/b", What: "of others"}},
	}
	live := &v1.SIPCluster{}
	live.Namespace, live.Name = key.Namespace, key.Name
	found := func() *metav1.Condition {
		status, _ := tenants.Of(live, metav1.Now())
		for i := range status.Conditions {
			if status.Conditions[i].Type == v1.ConditionServices {
				return &status.Conditions[i]
			}
		}
		return nil
	}
	if c := found(); c == nil || c.Status != metav1.ConditionFalse ||
		!strings.Contains(c.Message, "Ironic m/i: Ready False: X") || strings.Contains(c.Message, "others") {
		t.Errorf("found %+v", c)
	}
	tenants.Services[1].Ready = true
	c := found()
	assert.Truef(t, c != nil && c.Status == metav1.ConditionTrue && c.Message == "2 services: 2 ready", "found %+v", c)
	if tenants.Services = nil; found() != nil {
		t.Error("services that were not read are in the status")
	}
}

// What syncs everything else, and where it comes from, is stuck if it is gone or fails after hosts were synced. Before
// the first sync, and while it is on its way, it is not.
func TestNothingSyncs(t *testing.T) {
	const failing = "status: 'False', reason: GitOperationFailed, message: no such repository"
	source := func(condition string) string {
		return "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: a, namespace: engine}\nstatus: {conditions: [{type: Ready, " + condition + "}]}\n"
	}
	for name, row := range map[string]struct {
		kind, object  string
		root, labeled bool
		stuck         bool
		what          string
	}{
		"no root": {Kustomization, "", true, true, true,
			"there is no such object: no sync runs"},
		"no root of Argo CD":            {Application, "", true, true, true, "no sync runs"},
		"no source":                     {GitRepository, "", true, true, true, "no sync runs"},
		"no root before the first sync": {Kustomization, "", true, false, false, "there is no such object"},
		"no other object":               {Kustomization, "", false, true, false, "there is no such object"},
		"a source with a wrong URL": {GitRepository, source(failing), true, true, true,
			"no such repository: no sync runs"},
		"a source at work": {GitRepository, source("status: Unknown, reason: Progressing, message: x"),
			true, true, false, "Progressing"},
		"a root that fails": {Kustomization,
			kustomization("", "main@sha1:"+former, "status: 'False', reason: ArtifactFailed, message: no path"), true,
			true, true, "no path"},
		"a root that is suspended": {Kustomization,
			kustomization("suspend: true", "main@sha1:"+newest,
				"status: 'True', reason: ReconciliationSucceeded, message: ok"), true, true, true, "suspended"},
		"a root of Argo CD in deletion": {Application,
			strings.Replace(application("automated: {prune: true}",
				"sync: {status: Synced, revision: '"+newest+"'}, health: {status: Healthy}"),
				"name: a", "name: a, deletionTimestamp: '2026-11-01T00:00:00Z', finalizers: [resources-finalizer.argocd.argoproj.io]", 1), true, true, true,
			"is being deleted, and waits for resources-finalizer.argocd.argoproj.io: no sync runs (sipgen help " +
				"runbook deleted-objects)"},
		"a root of Argo CD without source": {Application,
			application("automated: {prune: true}",
				"sync: {status: Unknown}, health: {status: Healthy}, conditions: [{type: ComparisonError, message: "+
					"no such repository}]"), true, true, true, "no sync runs"},
	} {
		t.Run(name, func(t *testing.T) {
			docs := need.Value(manifest.Parse("x.yaml", []byte(row.object)))(t)
			found := Services([]Wanted{{Kind: row.kind, Namespace: "engine", Name: "a", Root: row.root}}, docs, newest,
				row.labeled)[0]
			assert.Truef(t, found.Stuck == row.stuck && !found.Ready && strings.Contains(found.What, row.what),
				"found %+v", found)
		})
	}
}

// A root that reads another repository, branch or folder than the tree is for waits for a person, unless it has the
// tree's commit all the same: the URL may be another name of the repository.
func TestSourceElsewhere(t *testing.T) {
	source := func(url, branch, commit string) string {
		return "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: a, namespace: engine}\n" +
			"spec: {url: '" + url + "', ref: {branch: " + branch + "}}\n" +
			"status: {artifact: {revision: 'main@sha1:" + commit + "'}, conditions: [{type: Ready, status: 'True'}]}\n"
	}
	want := root.Source{URL: "https://new.example.org/x.git", Branch: "main"}
	for _, row := range []struct{ why, kind, live, what string }{
		{"the repository of the tree", GitRepository, source(want.URL, "main", former), ""},
		{"another name of it", GitRepository, source("ssh://git@new/x.git", "main", newest), ""},
		{"another repository", GitRepository, source("https://ada:hunter2@old.example.org/x.git", "main", former),
			"reads https://old.example.org/x.git, and the tree is for https://new.example.org/x.git: apply the root"},
		{"another branch", GitRepository, source(want.URL, "prod", former),
			"reads branch prod, and the tree is for branch main: "},
		{"another repository of Argo CD", Application, strings.Replace(application("automated: {prune: true}",
			"sync: {status: Synced, revision: '"+former+"'}, health: {status: Healthy}"), "spec: {",
			"spec: {source: {repoURL: 'https://old.example.org/x.git', targetRevision: main}, ", 1),
			"reads https://old.example.org/x.git, and the tree is for https://new.example.org/x.git: "},
		{"another name of it in Argo CD", Application, strings.Replace(application("automated: {prune: true}",
			"sync: {status: Synced, revision: '"+newest+"'}, health: {status: Healthy}"), "spec: {",
			"spec: {source: {repoURL: 'ssh://git@new/x.git', targetRevision: main}, ", 1), ""},
	} {
		docs := need.Value(manifest.Parse("x.yaml", []byte(row.live)))(t)
		found := Services([]Wanted{{Kind: row.kind, Namespace: "engine", Name: "a", Root: true, Source: want}}, docs,
			newest,
			true)[0]
		assert.Equal(t, row.what == "", found.Ready, row.why)
		assert.Equal(t, row.what != "", found.Stuck, row.why)
		assert.Contains(t, found.What, row.what, row.why)
	}
}
