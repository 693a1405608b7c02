package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/metadata"
)

// ours are the labels that sipgen sets, and tools the prefixes of the keys that engines set for
// themselves. Every other label and annotation is foreign and has to stay as it is.
var (
	ours = []string{
		"sip.airshipit.org/cluster-namespace", "sip.airshipit.org/cluster-name", "sip.airshipit.org/node-type",
		"sip.airshipit.org/standby",
	}
	tools = []string{"kustomize.toolkit.fluxcd.io/", "argocd.argoproj.io/", "app.kubernetes.io/instance",
		"reconcile.fluxcd.io/"}
)

// releaseOf is the annotation by which sipgen says that the release of a host in use was approved.
const releaseOf = "sip.airshipit.org/release-of"

// Untouched remembers what must not change of the hosts and Secrets of some namespaces.
type Untouched struct {
	api        *APIServer
	metadata   metadata.Interface
	namespaces []string
	hosts      map[string]fingerprint
	secrets    map[string]string
}

// fingerprint is what no sync may change of a host. The generation counts every change of the
// spec, so that a spec that was lost and came back shows.
type fingerprint struct {
	uid, spec   string
	generation  int64
	labels      map[string]string
	annotations map[string]string
}

// WantUntouched takes the fingerprint of every host and Secret in the namespaces. Check compares.
func WantUntouched(t testing.TB, api *APIServer, namespaces ...string) *Untouched {
	t.Helper()
	client, err := metadata.NewForConfig(api.config)
	require.NoError(t, err)
	u := &Untouched{api: api, metadata: client, namespaces: namespaces}
	u.Accept(t)
	return u
}

// Accept takes the fingerprint again, after a change that the test made itself.
func (u *Untouched) Accept(t testing.TB) {
	t.Helper()
	u.hosts, u.secrets = u.readHosts(t), u.readSecrets(t)
}

// Check fails the test if a host is gone, new or re-created, if its spec changed or ever had, if a label
// or annotation changed that is neither ours nor the engines', or if a Secret is not as it was.
func (u *Untouched) Check(t testing.TB, step string) {
	t.Helper()
	for _, difference := range u.Differences(t) {
		t.Errorf("after %s: %s", step, difference)
	}
}

// Differences returns what Check reports, for tests of cases in which an engine does harm.
func (u *Untouched) Differences(t testing.TB) []string {
	t.Helper()
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	now := u.readHosts(t)
	for _, name := range slices.Sorted(maps.Keys(u.hosts)) {
		was := u.hosts[name]
		is, found := now[name]
		switch {
		case !found:
			add("host %s is gone", name)
			continue
		case is.uid != was.uid:
			add("host %s was re-created", name)
		case is.spec != was.spec:
			add("host %s: spec is %s, was %s", name, is.spec, was.spec)
		case is.generation != was.generation:
			add("host %s: spec is as it was, but was changed in between (generation %d, was %d)", name, is.generation,
				was.generation)
		}
		if !maps.Equal(is.labels, was.labels) {
			add("host %s: foreign labels are %v, were %v", name, is.labels, was.labels)
		}
		if !maps.Equal(is.annotations, was.annotations) {
			add("host %s: foreign annotations are %v, were %v", name, is.annotations, was.annotations)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if _, found := u.hosts[name]; !found {
			add("host %s was created, with spec %s", name, now[name].spec)
		}
	}
	if secrets := u.readSecrets(t); !maps.Equal(secrets, u.secrets) {
		add("Secrets are %v, were %v", secrets, u.secrets)
	}
	return out
}

func (u *Untouched) readHosts(t testing.TB) map[string]fingerprint {
	t.Helper()
	out := map[string]fingerprint{}
	for _, namespace := range u.namespaces {
		list, err := u.api.Dynamic.Resource(Hosts).Namespace(namespace).List(context.Background(), metav1.ListOptions{})
		require.NoError(t, err)
		for i := range list.Items {
			o := &list.Items[i]
			// A map's keys are marshalled in order, so equal specs are equal bytes.
			spec, err := json.Marshal(o.Object["spec"])
			require.NoError(t, err)
			out[namespace+"/"+o.GetName()] = fingerprint{
				uid: string(o.GetUID()), spec: string(spec), generation: o.GetGeneration(),
				labels: foreign(o.GetLabels()), annotations: foreign(o.GetAnnotations()),
			}
		}
	}
	return out
}

// readSecrets returns the version of every Secret; it reads their metadata only.
func (u *Untouched) readSecrets(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, namespace := range u.namespaces {
		list, err := u.metadata.Resource(Secrets).Namespace(namespace).List(context.Background(), metav1.ListOptions{})
		require.NoError(t, err)
		for i := range list.Items {
			out[namespace+"/"+list.Items[i].Name] = list.Items[i].ResourceVersion
		}
	}
	return out
}

func foreign(all map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range all {
		engine := slices.ContainsFunc(tools, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
		if !engine && key != releaseOf && !slices.Contains(ours, key) {
			out[key] = value
		}
	}
	return out
}

// OurLabels returns the labels of a live host that sipgen sets.
func (a *APIServer) OurLabels(t testing.TB, namespace, name string) map[string]string {
	t.Helper()
	return OurLabels(a.Get(t, Hosts, namespace, name))
}

// OurLabels returns those of an object's labels that sipgen sets.
func OurLabels(o *unstructured.Unstructured) map[string]string {
	out := map[string]string{}
	for key, value := range o.GetLabels() {
		if slices.Contains(ours, key) {
			out[key] = value
		}
	}
	return out
}
