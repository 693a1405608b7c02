package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// HostWatch sees every version of every BareMetalHost of an API server, as a watch gives them, and keeps what looks
// like harm: a host that waits for work or does some, and that loses its spec or a part of it, is switched off,
// deprovisioned, inspected again or deleted. Untouched compares hosts at the end of a step; this sees what happened in
// between, and what the operator made of it.
type HostWatch struct {
	api  *APIServer
	mu   sync.Mutex
	seen map[types.UID]*watchedHost
	// trail has the provisioning states of a host, by its key, since During began last; of one that is gone, too.
	trail map[string][]string
	// last is the newest resource version that was seen.
	last uint64
	harm []harm
	err  error
}

type watchedHost struct {
	*unstructured.Unstructured
	// settled: it has been available once, or has work.
	settled bool
	// announced: the test does with it what otherwise is harm.
	announced bool
	// passed are the provisioning states that it has been in, one after the other, since During began last.
	passed []string
}

type harm struct{ namespace, text string }

// In settledStates a host waits for work or has it; through the other workingStates it goes from one to the other.
// What takes it to any other state, such as deprovisioning or registering, is harm.
var (
	settledStates = []string{"available", "ready", "provisioned", "externally provisioned"}
	workingStates = append([]string{"preparing", "provisioning"}, settledStates...)
)

// WatchHosts begins to watch all hosts that are there, and all that will be.
func WatchHosts(t testing.TB, api *APIServer) *HostWatch {
	t.Helper()
	w := &HostWatch{api: api, seen: map[types.UID]*watchedHost{}, trail: map[string][]string{}}
	ctx, cancel := context.WithCancel(context.Background())
	hosts := api.Dynamic.Resource(Hosts)
	list, err := hosts.List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	for i := range list.Items {
		w.event(watch.Event{Type: watch.Added, Object: &list.Items[i]})
	}
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return hosts.Watch(ctx, options)
		},
	})
	require.NoError(t, err)
	api.HostWatch = w
	done := make(chan struct{})
	go func() {
		defer close(done)
		for event := range watcher.ResultChan() {
			w.event(event)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if ctx.Err() == nil && w.err == nil {
			w.err = fmt.Errorf("the watch on hosts has ended")
		}
	}()
	t.Cleanup(func() {
		cancel()
		watcher.Stop()
		<-done
	})
	return w
}

// event compares a version of a host with the one before.
func (w *HostWatch) event(event watch.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	is, isObject := event.Object.(*unstructured.Unstructured)
	if !isObject || event.Type == watch.Error {
		w.err = fmt.Errorf("the watch on hosts: %v", statusText(event.Object))
		return
	}
	if version, err := strconv.ParseUint(is.GetResourceVersion(), 10, 64); err == nil {
		w.last = max(w.last, version)
	}
	was, known := w.seen[is.GetUID()]
	if !known {
		was = &watchedHost{Unstructured: is}
		w.seen[is.GetUID()] = was
	}
	if was.settled && !was.announced {
		for _, what := range differences(was.Unstructured, is, event.Type == watch.Deleted) {
			w.harm = append(w.harm, harm{is.GetNamespace(),
				fmt.Sprintf("host %s/%s%s %s", is.GetNamespace(), is.GetName(), holder(was.Unstructured), what)})
		}
	}
	was.Unstructured = is
	was.passed = slices.Compact(append(was.passed, provisioningState(is)))
	key := is.GetNamespace() + "/" + is.GetName()
	w.trail[key] = slices.Compact(append(w.trail[key], provisioningState(is)))
	was.settled = was.settled || slices.Contains(settledStates, provisioningState(is))
	if event.Type == watch.Deleted {
		delete(w.seen, is.GetUID())
	}
}

func statusText(o runtime.Object) string {
	text, _ := json.Marshal(o)
	return string(text)
}

// holder says to whom a host belonged before something happened to it.
func holder(o *unstructured.Unstructured) string {
	text := ""
	if cluster := o.GetLabels()[ours[1]]; cluster != "" {
		text = ", held by " + o.GetLabels()[ours[0]] + "/" + cluster
	}
	if consumer := nested(o, "spec", "consumerRef", "name"); consumer != "" {
		text += ", consumed by " + consumer
	}
	return text
}

// differences returns what harms a host that has settled. What a consumer adds, and what the operator writes, does
// not.
func differences(was, is *unstructured.Unstructured, deleted bool) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if deleted {
		return []string{"was deleted"}
	}
	if is.GetDeletionTimestamp() != nil && was.GetDeletionTimestamp() == nil {
		add("is being deleted")
	}
	before, _, _ := unstructured.NestedMap(was.Object, "spec")
	after, _, _ := unstructured.NestedMap(is.Object, "spec")
	if len(after) == 0 && len(before) > 0 {
		add("lost its spec")
	}
	// What changes these reprovisions a host, switches it, or loses it.
	for _, field := range []string{"online", "bmc", "bootMACAddress", "image", "customDeploy", "consumerRef",
		"externallyProvisioned", "userData", "networkData"} {
		old, had := before[field]
		if now := after[field]; had && fmt.Sprint(old) != fmt.Sprint(now) && len(after) > 0 {
			add("had spec.%s %v, now %v", field, old, now)
		}
	}
	if from, to := provisioningState(was), provisioningState(is); from != to && !slices.Contains(workingStates, to) {
		add("went from %s to %q", from, to)
	}
	if message := nested(is, "status", "errorMessage"); message != "" &&
		message != nested(was, "status", "errorMessage") {
		add("is in error: %s", message)
	}
	for _, key := range slices.Sorted(maps.Keys(is.GetAnnotations())) {
		_, had := was.GetAnnotations()[key]
		if acts := strings.HasPrefix(key, "reboot.metal3.io") || key == "baremetalhost.metal3.io/detached" ||
			key == "baremetalhost.metal3.io/paused"; acts && !had {
			add("got the annotation %s", key)
		}
	}
	return out
}

// Harm returns, once, what happened to a namespace's hosts up to now. A nil HostWatch has seen nothing.
func (w *HostWatch) Harm(t testing.TB, namespace string) []string {
	t.Helper()
	if w == nil {
		return nil
	}
	w.catchUp(t, namespace)
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	w.harm = slices.DeleteFunc(w.harm, func(h harm) bool {
		if h.namespace == namespace {
			out = append(out, h.text)
		}
		return h.namespace == namespace
	})
	return out
}

// During does something to a host that would be harm if the test did not mean it, and waits for its end. The host
// may be gone afterwards.
func (w *HostWatch) During(t testing.TB, namespace, name string, do func()) {
	t.Helper()
	if w == nil {
		do()
		return
	}
	w.catchUp(t, namespace)
	uid := w.api.Get(t, Hosts, namespace, name).GetUID()
	announce := func(announced bool) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if host, found := w.seen[uid]; found {
			host.announced = announced
			if announced {
				host.passed = nil
				delete(w.trail, namespace+"/"+name)
			}
		}
	}
	announce(true)
	do()
	w.catchUp(t, namespace)
	announce(false)
}

// WaitPassed waits until a host has been in a provisioning state since During began for it, or since it is watched.
// Unlike Operator.WaitState it sees a state that the host has left again by the time that somebody looks.
func (w *HostWatch) WaitPassed(t testing.TB, namespace, name, state string) {
	t.Helper()
	Wait(t, fmt.Sprintf("host %s/%s to pass %s", namespace, name, state), SyncTimeout, func() error {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.err != nil {
			return Final(w.err)
		}
		for _, host := range w.seen {
			if host.GetNamespace() == namespace && host.GetName() == name {
				if slices.Contains(host.passed, state) {
					return nil
				}
				return fmt.Errorf("it went through %v", host.passed)
			}
		}
		return fmt.Errorf("not seen")
	})
}

// Passed returns the provisioning states that a host has been in since During began for it, one after the other.
func (w *HostWatch) Passed(namespace, name string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.trail[namespace+"/"+name])
}

// catchUp waits until the watch has seen the newest version of every host of a namespace.
func (w *HostWatch) catchUp(t testing.TB, namespace string) {
	t.Helper()
	newest := map[types.UID]string{}
	for _, o := range w.api.List(t, Hosts, namespace) {
		newest[o.GetUID()] = o.GetResourceVersion()
	}
	Wait(t, "the watch on hosts", SyncTimeout, func() error {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.err != nil {
			return Final(w.err)
		}
		for uid, version := range newest {
			want, err := strconv.ParseUint(version, 10, 64)
			if err != nil || w.last < want {
				return fmt.Errorf("host %s: seen up to %d, want %s", uid, w.last, version)
			}
		}
		for uid, host := range w.seen {
			if _, there := newest[uid]; !there && host.GetNamespace() == namespace {
				return fmt.Errorf("host %s: its end is not seen yet", host.GetName())
			}
		}
		return nil
	})
}
