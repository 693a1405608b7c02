package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// wantNothingChanged watches until it is called back: no Deployment, Service or ConfigMap of the tenants is made,
// deleted or given another content, which may be a rollout, and none of sipgen's labels changes on a host, not even for
// a moment. Metadata may change: engines write theirs. Hosts of the names in but may change.
func (c *circle) wantNothingChanged(t *testing.T, but ...string) func(what string) {
	t.Helper()
	var (
		mu    sync.Mutex
		found []string
		seen  sync.WaitGroup
		atEnd []func()
	)
	note := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		found = append(found, fmt.Sprintf(format, args...))
	}
	ctx, cancel := context.WithCancel(context.Background())
	for _, one := range []struct {
		resource  schema.GroupVersionResource
		namespace string
		content   func(*unstructured.Unstructured) any
	}{
		{engine.Deployments, c.tenants, field("spec")},
		{engine.Services, c.tenants, field("spec")},
		{engine.ConfigMaps, c.tenants, field("data")},
		{engine.Hosts, c.ns, func(o *unstructured.Unstructured) any { return engine.OurLabels(o) }},
	} {
		client := c.rig.api.Dynamic.Resource(one.resource).Namespace(one.namespace)
		list, err := client.List(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		require.Truef(t, len(list.Items) != 0, "there are no %s in %s", one.resource.Resource, one.namespace)
		content := map[string]string{}
		for i := range list.Items {
			content[list.Items[i].GetName()] = fmt.Sprint(one.content(&list.Items[i]))
		}
		events, err := client.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
		require.NoError(t, err)
		atEnd = append(atEnd, func() {
			for _, o := range c.rig.api.List(t, one.resource, one.namespace) {
				if is := fmt.Sprint(one.content(&o)); is != content[o.GetName()] && (one.resource != engine.Hosts ||
					!slices.Contains(but, o.GetName())) {
					note("%s %s has %s in the end, want %s", o.GetKind(), o.GetName(), is, content[o.GetName()])
				}
			}
		})
		seen.Add(1)
		go func() {
			defer seen.Done()
			for event := range events.ResultChan() {
				o, isObject := event.Object.(*unstructured.Unstructured)
				switch {
				case ctx.Err() != nil:
					return
				case !isObject:
					note("the watch of %s failed: %v", one.resource.Resource, event.Object)
				case event.Type != watch.Modified:
					note("%s %s: %s", o.GetKind(), o.GetName(), event.Type)
				case one.resource == engine.Hosts && slices.Contains(but, o.GetName()):
				case fmt.Sprint(one.content(o)) != content[o.GetName()]:
					note("%s %s had %v, want %s", o.GetKind(), o.GetName(), one.content(o), content[o.GetName()])
				}
			}
			if ctx.Err() == nil {
				note("the watch of %s ended", one.resource.Resource)
			}
		}()
	}
	return func(what string) {
		t.Helper()
		for _, look := range atEnd {
			look()
		}
		cancel()
		seen.Wait()
		for _, text := range found {
			t.Errorf("%s: %s", what, text)
		}
	}
}

func field(name string) func(*unstructured.Unstructured) any {
	return func(o *unstructured.Unstructured) any { return o.Object[name] }
}
