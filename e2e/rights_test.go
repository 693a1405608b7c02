package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
)

var getOptions = metav1.GetOptions{}

// rightsWatch tries, over and over, what must be denied at every moment, and what must be allowed, and looks at the guards and the
// hosts' labels.
type rightsWatch struct {
	cancel  context.CancelFunc
	done    chan struct{}
	tries   []rightsTry
	rounds  int
	problem map[string]int
}

// rightsTry gives what is wrong, nil for nothing.
type rightsTry struct {
	what string
	try  func(ctx context.Context) error
}

// watchRights begins. The first round is over when it returns: what is wrong before the upgrade is no finding about it.
func (u *upgrade) watchRights(t *testing.T) *rightsWatch {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &rightsWatch{cancel: cancel, done: make(chan struct{}), tries: u.tries(t), problem: map[string]int{}}
	// The API server learns of rights and policies a moment later.
	engine.Wait(t, "the rights and guards", engine.SyncTimeout, func() error {
		w.problem = map[string]int{}
		if w.round(ctx); len(w.problem) > 0 {
			return fmt.Errorf("%v", slices.Sorted(maps.Keys(w.problem)))
		}
		return nil
	})
	go func() {
		defer close(w.done)
		for ctx.Err() == nil {
			w.round(ctx)
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-w.done
	})
	return w
}

func (w *rightsWatch) round(ctx context.Context) {
	for _, try := range w.tries {
		if err := try.try(ctx); err != nil && ctx.Err() == nil {
			w.problem[try.what+": "+err.Error()]++
		}
	}
	w.rounds++
}

// end reports what was wrong, and wants that it was looked at often.
func (w *rightsWatch) end(t *testing.T) {
	t.Helper()
	w.cancel()
	<-w.done
	for _, problem := range slices.Sorted(maps.Keys(w.problem)) {
		t.Errorf("%d of %d times: %s", w.problem[problem], w.rounds, problem)
	}
	if w.rounds < 10 {
		t.Errorf("looked %d times only", w.rounds)
	}
}

// tries are what the live tree forbids and allows.
func (u *upgrade) tries(t *testing.T) []rightsTry {
	t.Helper()
	api := u.rig.api
	api.AllRights(t, "everybody-here")
	person := engine.NewClient(t, api.As("somebody", "everybody-here"))
	syncer := engine.NewClient(t, api.As("system:serviceaccount:"+engine.FluxNamespace+":sipgen-hosts"))
	if u.rig.argo != nil {
		syncer = engine.NewClient(t, api.As("system:serviceaccount:"+engine.ArgoNamespace+":argocd-application-controller"))
	}
	var out []rightsTry
	add := func(what string, try func(ctx context.Context) error) { out = append(out, rightsTry{what, try}) }
	held := u.patches()
	host := held[0]
	add("a person deletes "+host.GetName(), func(context.Context) error {
		return denied(person.TryDelete(engine.Hosts, host.GetNamespace(), host.GetName(), true))
	})
	// From an overlay the engine applies whole hosts.
	if u.site.Spec.Hosts.Apply == v1alpha1.ApplyMerge {
		add("the engine removes the spec of "+host.GetName(), func(ctx context.Context) error {
			return denied(tryPatch(ctx, syncer, host, `{"spec":null}`))
		})
		add("the engine switches "+host.GetName()+" off", func(ctx context.Context) error {
			return denied(tryPatch(ctx, syncer, host, `{"spec":{"online":false}}`))
		})
	}
	for _, o := range u.objects {
		if o.GetKind() == "RoleBinding" && strings.HasPrefix(o.GetName(), "jumphost") {
			subjects, _, _ := unstructured.NestedSlice(o.Object, "subjects")
			subject := subjects[0].(map[string]any)
			user := fmt.Sprintf("system:serviceaccount:%s:%s", subject["namespace"], subject["name"])
			jump := engine.NewClient(t, api.As(user))
			for _, host := range held {
				add(user+" restarts "+host.GetName(), func(ctx context.Context) error {
					return tryPatch(ctx, jump, host, `{"metadata":{"annotations":{"reboot.metal3.io":""}}}`)
				})
			}
			add(user+" removes the spec of "+host.GetName(), func(ctx context.Context) error { return denied(tryPatch(ctx, jump, host, `{"spec":null}`)) })
		}
		if strings.HasPrefix(o.GetKind(), "ValidatingAdmissionPolicy") {
			resource, err := api.Resource(o)
			if err != nil {
				t.Fatal(err)
			}
			add(o.GetKind()+" "+o.GetName(), func(ctx context.Context) error {
				_, err := resource.Get(ctx, o.GetName(), getOptions)
				return err
			})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(u.objects)) {
		if o := u.objects[id]; o.GetKind() == "Service" || o.GetKind() == "Deployment" {
			resource, err := api.Resource(o)
			if err != nil {
				t.Fatal(err)
			}
			was := serves(t.Context(), resource, o.GetName())
			add("what serves", func(ctx context.Context) error {
				if is := serves(ctx, resource, o.GetName()); is != was {
					return fmt.Errorf("%s is %s, was %s", id, is, was)
				}
				return nil
			})
		}
	}
	add("the hosts' labels", func(ctx context.Context) error { return u.sameLabels(ctx, held) })
	return out
}

// serves is what those who use a Service notice of it, or of the Deployment behind it: the whole spec of the one; of the other how many pods
// there are, of which images, and by which labels they are found.
func serves(ctx context.Context, resource dynamic.ResourceInterface, name string) string {
	live, err := resource.Get(ctx, name, getOptions)
	if err != nil {
		return err.Error()
	}
	spec, _, _ := unstructured.NestedMap(live.Object, "spec")
	if live.GetKind() == "Service" {
		return fmt.Sprint(spec)
	}
	labels, _, _ := unstructured.NestedMap(spec, "template", "metadata", "labels")
	containers, _, _ := unstructured.NestedSlice(spec, "template", "spec", "containers")
	var images []any
	for _, container := range containers {
		container, _ := container.(map[string]any)
		images = append(images, container["image"], container["ports"])
	}
	return fmt.Sprint(spec["replicas"], spec["selector"], labels, images)
}

// sameLabels wants of every host the labels that the live tree gives it.
func (u *upgrade) sameLabels(ctx context.Context, held []*unstructured.Unstructured) error {
	var problems []error
	want := map[string]map[string]string{}
	for _, o := range held {
		want[o.GetNamespace()+"/"+o.GetName()] = engine.OurLabels(o)
	}
	for namespace := range u.hostNames {
		list, err := u.rig.api.Dynamic.Resource(engine.Hosts).Namespace(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for i := range list.Items {
			name := namespace + "/" + list.Items[i].GetName()
			if got := engine.OurLabels(&list.Items[i]); !maps.Equal(got, want[name]) {
				problems = append(problems, fmt.Errorf("host %s has %v, want %v", name, got, want[name]))
			}
		}
	}
	return errors.Join(problems...)
}

// tryPatch is a dry run of a merge patch on a host.
func tryPatch(ctx context.Context, client *engine.Client, host *unstructured.Unstructured, patch string) error {
	_, err := client.Dynamic.Resource(engine.Hosts).Namespace(host.GetNamespace()).Patch(ctx, host.GetName(), types.MergePatchType, []byte(patch),
		metav1.PatchOptions{FieldManager: "probe", DryRun: []string{metav1.DryRunAll}})
	return err
}

// denied wants an error that a policy made.
func denied(err error) error {
	if err == nil || !strings.Contains(err.Error(), "ValidatingAdmissionPolicy") {
		return fmt.Errorf("got %v, want a policy to deny it", err)
	}
	return nil
}
