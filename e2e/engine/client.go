package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/util/retry"
)

// The kinds that the tests touch most.
var (
	Hosts      = schema.GroupVersionResource{Group: "metal3.io", Version: "v1alpha1", Resource: "baremetalhosts"}
	Secrets    = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	ConfigMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	GitRepos   = schema.GroupVersionResource{Group: "source.toolkit.fluxcd.io", Version: "v1",
		Resource: "gitrepositories"}
	Kustomizations = schema.GroupVersionResource{Group: "kustomize.toolkit.fluxcd.io", Version: "v1",
		Resource: "kustomizations"}
	Applications = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "applications"}
	Deployments  = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	Definitions  = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1",
		Resource: "customresourcedefinitions"}
)

// Client is a dynamic client, with what tests need around it.
type Client struct {
	// Dynamic reads and writes any resource.
	Dynamic dynamic.Interface
	config  *rest.Config
	rest    rest.Interface
	mapper  *restmapper.DeferredDiscoveryRESTMapper
}

// NewClient makes a client from a configuration, for example one of APIServer.As.
func NewClient(t testing.TB, config *rest.Config) *Client {
	t.Helper()
	dynamicClient, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	disco, err := discovery.NewDiscoveryClientForConfig(config)
	require.NoError(t, err)
	return &Client{
		Dynamic: dynamicClient, config: config, rest: disco.RESTClient(),
		mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(disco)),
	}
}

// Config returns a copy of the client's configuration.
func (c *Client) Config() *rest.Config { return rest.CopyConfig(c.config) }

// Objects parses a stream of YAML or JSON documents; a List becomes its items.
func Objects(t testing.TB, content []byte) []*unstructured.Unstructured {
	t.Helper()
	var out []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	for {
		o := &unstructured.Unstructured{}
		err := decoder.Decode(&o.Object)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, content)
		}
		switch {
		case len(o.Object) == 0:
		case o.IsList():
			if err := o.EachListItem(func(item runtime.Object) error {
				out = append(out, item.(*unstructured.Unstructured))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		default:
			out = append(out, o)
		}
	}
}

// Resource returns the dynamic client for an object's kind and namespace.
func (c *Client) Resource(o *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	kind := o.GroupVersionKind()
	mapping, err := c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		c.mapper.Reset()
		mapping, err = c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	}
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return c.Dynamic.Resource(mapping.Resource), nil
	}
	namespace := o.GetNamespace()
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	return c.Dynamic.Resource(mapping.Resource).Namespace(namespace), nil
}

// Create creates objects as a field manager of the name given; those that exist are an error.
func (c *Client) Create(t testing.TB, manager string, manifests ...string) []*unstructured.Unstructured {
	t.Helper()
	var out []*unstructured.Unstructured
	for _, o := range Objects(t, []byte(strings.Join(manifests, "\n---\n"))) {
		resource, err := c.Resource(o)
		if err == nil {
			o, err = resource.Create(context.Background(), o,
				metav1.CreateOptions{FieldManager: manager, FieldValidation: "Strict"})
		}
		if err != nil {
			t.Fatalf("creating: %v", err)
		}
		out = append(out, o)
	}
	return out
}

// Apply applies objects server-side as a field manager of the name given, with strict validation.
func (c *Client) Apply(t testing.TB, manager string, manifests ...string) {
	t.Helper()
	for _, o := range Objects(t, []byte(strings.Join(manifests, "\n---\n"))) {
		if err := c.TryApply(o, manager, false); err != nil {
			t.Fatalf("%s %s/%s: %v", o.GetKind(), o.GetNamespace(), o.GetName(), err)
		}
	}
}

// TryApply returns a forced server-side apply with strict field validation, possibly a dry run, that gives the error.
func (c *Client) TryApply(o *unstructured.Unstructured, manager string, dryRun bool) error {
	resource, err := c.Resource(o)
	if err != nil {
		return err
	}
	content, err := json.Marshal(o)
	if err != nil {
		return err
	}
	force := true
	options := metav1.PatchOptions{FieldManager: manager, Force: &force, FieldValidation: "Strict"}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	_, err = resource.Patch(context.Background(), o.GetName(), types.ApplyPatchType, content, options)
	return err
}

// Namespaces creates namespaces; those that exist are left alone.
func (c *Client) Namespaces(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		c.Apply(t, "e2e", "apiVersion: v1\nkind: Namespace\nmetadata: {name: "+name+"}")
	}
}

// Get reads one object; a namespace of "" is for cluster-scoped resources.
func (c *Client) Get(t testing.TB, resource schema.GroupVersionResource,
	namespace, name string) *unstructured.Unstructured {
	t.Helper()
	o, err := c.Dynamic.Resource(resource).Namespace(namespace).Get(context.Background(), name, metav1.GetOptions{})
	require.NoError(t, err)
	return o
}

// Exists reports whether an object is there.
func (c *Client) Exists(t testing.TB, resource schema.GroupVersionResource, namespace, name string) bool {
	t.Helper()
	_, err := c.Dynamic.Resource(resource).Namespace(namespace).Get(context.Background(), name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	return err == nil
}

// WaitGone waits until an object is gone, or all of a namespace if name is "".
func (c *Client) WaitGone(t testing.TB, resource schema.GroupVersionResource, namespace, name string) {
	t.Helper()
	Wait(t, "the end of "+resource.Resource+" "+name, SyncTimeout, func() error {
		for _, o := range c.List(t, resource, namespace) {
			if name == "" || o.GetName() == name {
				return fmt.Errorf("%s is still there", o.GetName())
			}
		}
		return nil
	})
}

// Delete deletes an object, as clients do that don't wait.
func (c *Client) Delete(t testing.TB, resource schema.GroupVersionResource, namespace, name string) {
	t.Helper()
	require.NoError(t, c.TryDelete(resource, namespace, name, false))
}

// TryDelete deletes an object, or tries to in a dry run, and gives the error.
func (c *Client) TryDelete(resource schema.GroupVersionResource, namespace, name string, dryRun bool) error {
	options := metav1.DeleteOptions{}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	return c.Dynamic.Resource(resource).Namespace(namespace).Delete(context.Background(), name, options)
}

// List reads all objects of a namespace.
func (c *Client) List(t testing.TB, resource schema.GroupVersionResource,
	namespace string) []unstructured.Unstructured {
	t.Helper()
	list, err := c.Dynamic.Resource(resource).Namespace(namespace).List(context.Background(), metav1.ListOptions{})
	require.NoError(t, err)
	return list.Items
}

// Edit reads an object, changes it and writes it back as a field manager of the name given.
// The subresource is "" or "status".
func (c *Client) Edit(t testing.TB, manager string, resource schema.GroupVersionResource,
	namespace, name, subresource string, change func(map[string]any)) {
	t.Helper()
	if err := c.TryEdit(manager, resource, namespace, name, subresource, change); err != nil {
		t.Fatalf("editing %s %s/%s: %v", resource.Resource, namespace, name, err)
	}
}

// TryEdit is Edit that gives the error.
func (c *Client) TryEdit(manager string, resource schema.GroupVersionResource, namespace, name, subresource string,
	change func(map[string]any)) error {
	r := c.Dynamic.Resource(resource).Namespace(namespace)
	// On a loaded machine an engine writes the object again and again in between. These are two minutes; with a Cap it
	// ends there.
	patient := wait.Backoff{Duration: 10 * time.Millisecond, Factor: 1.5, Jitter: 0.5, Steps: 22}
	return retry.RetryOnConflict(patient, func() error {
		o, err := r.Get(context.Background(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(o.Object)
		if subresource != "" {
			_, err = r.Update(context.Background(), o, metav1.UpdateOptions{FieldManager: manager}, subresource)
		} else {
			_, err = r.Update(context.Background(), o, metav1.UpdateOptions{FieldManager: manager})
		}
		return err
	})
}

// InstallCRDs applies CustomResourceDefinitions from files, and waits until their kinds are served.
func (c *Client) InstallCRDs(t testing.TB, files ...string) {
	t.Helper()
	var names []string
	for _, file := range files {
		content := need.Read(t, file)
		c.Apply(t, "e2e", string(content))
		for _, o := range Objects(t, content) {
			names = append(names, o.GetName())
		}
	}
	c.established(t, names...)
}

// established waits until the kinds of CustomResourceDefinitions are served.
func (c *Client) established(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		Wait(t, "CustomResourceDefinition "+name, SyncTimeout, func() error {
			o, err := c.Dynamic.Resource(Definitions).Get(context.Background(), name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if got := Condition(o, "Established"); got.Status != "True" {
				return fmt.Errorf("not established: %s", got)
			}
			// Discovery learns of it a moment later.
			group, _, _ := unstructured.NestedString(o.Object, "spec", "group")
			kind, _, _ := unstructured.NestedString(o.Object, "spec", "names", "kind")
			c.mapper.Reset()
			_, err = c.mapper.RESTMapping(schema.GroupKind{Group: group, Kind: kind})
			return err
		})
	}
}

// ConditionState is one of an object's status.conditions.
type ConditionState struct{ Type, Status, Reason, Message string }

func (c ConditionState) String() string {
	return fmt.Sprintf("%s=%s (%s) %s", c.Type, c.Status, c.Reason, c.Message)
}

// Condition returns a condition by type; its status is empty where there is none.
func Condition(o *unstructured.Unstructured, kind string) ConditionState {
	for _, c := range Conditions(o) {
		if c.Type == kind {
			return c
		}
	}
	return ConditionState{Type: kind}
}

// Conditions returns an object's status.conditions.
func Conditions(o *unstructured.Unstructured) []ConditionState {
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	var out []ConditionState
	for _, item := range list {
		c, _ := item.(map[string]any)
		text := func(key string) string { s, _ := c[key].(string); return s }
		out = append(out, ConditionState{text("type"), text("status"), text("reason"), text("message")})
	}
	return out
}

func httpOK(url string) error {
	client := http.Client{Timeout: 2 * time.Second}
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	return nil
}
