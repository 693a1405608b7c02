package services

import (
	"context"
	"encoding/json"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
)

// patchHost changes a host by a merge patch, for an account that may not update.
func patchHost(t *testing.T, client *engine.Client, namespace, name string, change func(map[string]any)) error {
	t.Helper()
	live := client.Get(t, engine.Hosts, namespace, name)
	before, err := json.Marshal(live.Object)
	need.OK(t, err)
	changed := live.DeepCopy()
	change(changed.Object)
	after, err := json.Marshal(changed.Object)
	need.OK(t, err)
	patch, err := jsonpatch.CreateMergePatch(before, after)
	need.OK(t, err)
	_, err = client.Dynamic.Resource(engine.Hosts).Namespace(namespace).Patch(context.Background(), name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}
