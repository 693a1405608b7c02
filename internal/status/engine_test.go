package status

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
)

const (
	newest = "1111111111111111111111111111111111111111"
	former = "2222222222222222222222222222222222222222"
)

// TestEngine: what the engine's objects say of the commit that they have applied. Their statuses are as kustomize-controller v1.7 and Argo CD v3.2 write
// them.
func TestEngine(t *testing.T) {
	kustomization := func(spec, revision, ready string) string {
		return "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {namespace: engine, name: a, generation: 2}\nspec: {" + spec + "}\n" +
			"status: {observedGeneration: 2, lastAppliedRevision: '" + revision + "', conditions: [{type: Ready, " + ready + "}]}\n"
	}
	application := func(automated, status string) string {
		return "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {namespace: engine, name: a}\nspec: {syncPolicy: {" + automated + "}}\nstatus: {" + status + "}\n"
	}
	const well = "status: 'True', reason: ReconciliationSucceeded, message: ok"
	const automated = "automated: {prune: true}"
	for name, row := range map[string]struct {
		kind, object string
		commit       string
		ready        bool
		what         string
	}{
		"Flux has the tree's commit":         {Kustomization, kustomization("", "main@sha1:"+newest, well), newest, true, ""},
		"a branch with a colon has none":     {Kustomization, kustomization("", "sha1:"+newest, well), newest, true, ""},
		"Flux has another":                   {Kustomization, kustomization("", "main@sha1:"+former, well), former, false, "has commit 222222222222, the tree is of 111111111111"},
		"Flux is suspended":                  {Kustomization, kustomization("suspend: true", "main@sha1:"+newest, well), newest, false, "suspended"},
		"Flux is suspended at another":       {Kustomization, kustomization("suspend: true", "main@sha1:"+former, well), former, false, "suspended; has commit 222222222222"},
		"Flux cannot apply it":               {Kustomization, kustomization("", "main@sha1:"+former, "status: 'False', reason: BuildFailed, message: no such file"), former, false, "BuildFailed: no such file; has commit"},
		"Flux has applied nothing":           {Kustomization, kustomization("", "", "status: 'False', reason: DependencyNotReady, message: b"), "", false, "DependencyNotReady: b; nothing is applied yet"},
		"Argo CD has the tree's commit":      {Application, application(automated, "sync: {status: Synced, revision: '"+newest+"'}, health: {status: Healthy}"), newest, true, ""},
		"Argo CD has compared, not applied":  {Application, application(automated, "sync: {status: OutOfSync, revision: '"+newest+"'}, health: {status: Healthy}, operationState: {phase: Failed, message: denied, syncResult: {revision: '"+newest+"'}}, history: [{revision: '0'}, {revision: '"+former+"'}]"), former, false, "OutOfSync; Failed: denied; has commit 222222222222"},
		"Argo CD tries it again":             {Application, application(automated, "sync: {status: OutOfSync, revision: '"+newest+"'}, health: {status: Missing}, operationState: {phase: Running, retryCount: 2, message: 'denied. Retrying attempt #3', syncResult: {revision: '"+newest+"'}}"), "", false, "OutOfSync; Running: denied. Retrying attempt #3; health Missing; nothing is applied yet"},
		"Argo CD has another":                {Application, application(automated, "sync: {status: Synced, revision: '"+former+"'}, health: {status: Healthy}"), former, false, "has commit 222222222222"},
		"Argo CD does not sync by itself":    {Application, application("", "sync: {status: Synced, revision: '"+newest+"'}, health: {status: Healthy}"), newest, false, "suspended"},
		"Argo CD's automation is turned off": {Application, application("automated: {enabled: false}", "sync: {status: Synced, revision: '"+newest+"'}, health: {status: Healthy}"), newest, false, "suspended"},
		"Argo CD's objects are ill":          {Application, application(automated, "sync: {status: Synced, revision: '"+newest+"'}, health: {status: Degraded, message: no pods}"), newest, false, "health Degraded: no pods"},
		"Argo CD has not looked yet":         {Application, application(automated, ""), "", false, "not reported yet"},
	} {
		t.Run(name, func(t *testing.T) {
			docs, err := manifest.Parse("x.yaml", []byte(row.object))
			need.OK(t, err)
			found := Services([]Wanted{{Kind: row.kind, Namespace: "engine", Name: "a"}}, docs, newest)[0]
			if found.Commit != row.commit || found.Ready != row.ready || !strings.Contains(found.What, row.what) || row.what == "" && found.What != "" {
				t.Errorf("found %+v", found)
			}
			// Without the tree's commit, as of a folder, no commit is wrong.
			if found := Services([]Wanted{{Kind: row.kind, Namespace: "engine", Name: "a"}}, docs, "")[0]; strings.Contains(found.What, "the tree is of") {
				t.Errorf("a folder: found %+v", found)
			}
		})
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
		"The cluster has commit 111111111111, the tree's":                                           Applied(at(newest, newest), newest),
		"The cluster has commit 222222222222; the tree is of 111111111111":                          Applied(at(former, former), newest),
		"The cluster has commit 111111111111 (1 of 2), the tree's and commit 222222222222 (1 of 2)": Applied(at(former, newest), newest),
		"The cluster has no commit; the tree is of 111111111111":                                    Applied(at(""), newest),
		"The cluster has commit 222222222222":                                                       Applied(at(former), ""),
	} {
		need.Equal(t, "", found, want)
	}
	need.Equal(t, "", ServiceSummary(at(newest)), "1 service: 1 ready")
	need.Equal(t, "the engine's objects alone: found", ServiceSummary(at(newest)[:1]), "")
}
