package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// check compares the live hosts: nothing that is not ours has changed, and our labels are exactly what the tree says.
func (c *circle) check(t *testing.T, what string, failures map[string]string) {
	t.Helper()
	c.untouched.Check(t, what)
	c.rig.wantNoHarm(t, c.ns, what)
	want := c.wanted(t, failures)
	for _, host := range c.rig.api.List(t, engine.Hosts, c.ns) {
		labels, known := want[host.GetName()]
		if labels != nil || !known {
			assert.Equal(t, fmt.Sprint(labels), fmt.Sprint(engine.OurLabels(&host)),
				"after "+what+": our labels of "+host.GetName())
		}
	}
}

// wanted are the labels that the tree gives to hosts. A host of a cluster whose sync failed is known, and has none.
func (c *circle) wanted(t *testing.T, failures map[string]string) map[string]map[string]string {
	t.Helper()
	want := map[string]map[string]string{}
	for name, content := range c.tree {
		dir, file := path.Split(name)
		if !strings.HasPrefix(name, "clusters/") || path.Base(dir) != "hosts" || file == "kustomization.yaml" {
			continue
		}
		cluster := path.Base(path.Dir(path.Clean(dir)))
		for _, o := range engine.Objects(t, bytes.TrimSpace(content)) {
			if _, failed := failures[c.name(cluster, "hosts")]; failed {
				want[o.GetName()] = nil
				continue
			}
			want[o.GetName()] = engine.OurLabels(o)
		}
	}
	return want
}

// holds are the live hosts that carry a cluster's name, sorted.
func (c *circle) holds(t *testing.T, cluster string) []string {
	t.Helper()
	return c.hostsWith(t, clusterName+"="+cluster, func(*unstructured.Unstructured) bool { return true })
}

// hostsWith are the live hosts that a selector of labels and a condition choose, sorted.
func (c *circle) hostsWith(t *testing.T, selector string, is func(*unstructured.Unstructured) bool) []string {
	t.Helper()
	hosts := c.rig.api.Dynamic.Resource(engine.Hosts).Namespace(c.ns)
	list, err := hosts.List(context.Background(), metav1.ListOptions{LabelSelector: selector})
	require.NoError(t, err)
	names := []string{}
	for i := range list.Items {
		if is(&list.Items[i]) {
			names = append(names, list.Items[i].GetName())
		}
	}
	slices.Sort(names)
	return names
}

// state is what the baremetal-operator says of a host, and its error.
func (c *circle) state(t *testing.T, host string) (state, message string) {
	t.Helper()
	return stateOf(c.rig.api.Get(t, engine.Hosts, c.ns, host))
}

func stateOf(host *unstructured.Unstructured) (state, message string) {
	state, _, _ = unstructured.NestedString(host.Object, "status", "provisioning", "state")
	message, _, _ = unstructured.NestedString(host.Object, "status", "errorMessage")
	return state, message
}

func (c *circle) wantHolds(t *testing.T, what, cluster string, want ...string) {
	t.Helper()
	assert.Equal(t, append([]string{}, want...), c.holds(t, cluster), "after "+what)
}

// forget has the engine leave a sync object alone for good.
func (r *rig) forget(namespace, name string) {
	if r.argo == nil {
		_ = r.api.TryEdit("e2e", engine.Kustomizations, namespace, name, "", set(true, "spec", "suspend"))
		return
	}
	_ = r.api.TryEdit("e2e", engine.Applications, engine.ArgoNamespace, name, "", drop("metadata", "finalizers"))
	_ = r.api.TryDelete(engine.Applications, engine.ArgoNamespace, name, false)
}

// waitWhile waits as long as something is so, and says what it found last if it is so for too long.
func waitWhile(t testing.TB, what string, is func() (so bool, found any)) {
	t.Helper()
	engine.Wait(t, what, engine.SyncTimeout, func() error {
		if so, found := is(); so {
			return fmt.Errorf("found %v", found)
		}
		return nil
	})
}
