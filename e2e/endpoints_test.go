package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
	discovery "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// endpointWatch samples the ready endpoints of SIP's Services.
type endpointWatch struct {
	stop    context.CancelFunc
	done    chan struct{}
	samples int
	none    map[string]int
	err     error
}

func watchEndpoints(t *testing.T, api *engine.APIServer) *endpointWatch {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	w := &endpointWatch{stop: cancel, done: make(chan struct{}), none: map[string]int{}}
	engine.Wait(t, "endpoints of all of SIP's Services", engine.SyncTimeout, func() error {
		ready, err := readyEndpoints(ctx, api)
		if err == nil && len(ready) < len(sipServices) {
			err = fmt.Errorf("ready: %v", ready)
		}
		return err
	})
	go func() {
		defer close(w.done)
		for ; ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
			ready, err := readyEndpoints(ctx, api)
			if ctx.Err() != nil {
				return
			}
			if w.samples++; err != nil {
				w.err = err
				continue
			}
			for _, name := range sipServices {
				if ready[name] == 0 {
					w.none[name]++
				}
			}
		}
	}()
	return w
}

// end stops, and wants no sample in which a Service had no ready endpoint.
func (w *endpointWatch) end(t *testing.T) {
	t.Helper()
	w.stop()
	<-w.done
	t.Logf("%d samples", w.samples)
	assert.Truef(t, w.err == nil && w.samples >= 20 && len(w.none) == 0,
		"of %d samples, so many had no ready endpoint: %v; %v", w.samples, w.none, w.err)
}

// readyEndpoints counts, by Service, the endpoints that are ready at every port of it.
func readyEndpoints(ctx context.Context, api *engine.APIServer) (map[string]int, error) {
	list, err := api.Dynamic.Resource(engine.EndpointSlices).Namespace(sipTenant).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	ready := map[string]int{}
	for i := range list.Items {
		var slice discovery.EndpointSlice
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(list.Items[i].Object, &slice); err != nil {
			return nil, err
		}
		if len(slice.Ports) == 0 || slices.ContainsFunc(slice.Ports,
			func(p discovery.EndpointPort) bool { return p.Port == nil }) {
			continue
		}
		for _, e := range slice.Endpoints {
			if e.Conditions.Ready != nil && *e.Conditions.Ready {
				ready[slice.Labels[discovery.LabelServiceName]]++
			}
		}
	}
	return ready, nil
}
