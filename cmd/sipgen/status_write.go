package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/status"
	"github.com/airshipit/sipgen/inventory/live"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// statusTries is how often a status is computed anew because somebody else wrote to the object meanwhile.
const statusTries = 4

// reportToTenants writes the status of the live SIPClusters, and shows what sipgen status shows. What is wrong with one tenant's specs is
// in that one's status.
func reportToTenants(ctx context.Context, ui *ui, in *inputs, previous *previousFlags, output string) error {
	loaded, err := in.load(ctx, ui)
	if err != nil {
		return err
	}
	if !loaded.live {
		return errors.New("--write needs --inventory cluster: what it reports has to be live")
	}
	before, err := previous.read(ctx, ui, loaded.site)
	if err != nil {
		return err
	}
	d, err := loaded.decideAsPublished(ui, before)
	if err != nil {
		return err
	}
	hosts := status.Of(statusInput(d.site, before, d.placement.Holdings, d.hosts))
	tenants := d.tenantStatus(hosts)
	tenants.Services = in.servicesOf(ctx, ui, d.site, before)
	failed := in.writeStatuses(ctx, ui, tenants)
	if shown := showStatus(ui, before, d.site, hosts, tenants.Services, output); failed == nil || shown != nil && !errors.Is(shown, errFinding) {
		return errors.Join(failed, shown)
	}
	return failed // more than a finding
}

// decideAsPublished is the decision of sipgen publish. What speaks against all of it is not asked: nothing is published here.
func (l *loaded) decideAsPublished(ui *ui, before previousTree) (*decided, error) {
	checked, _, unrendered, err := l.judge(ui, before, noTolerance, render.Site)
	if err = errors.Join(err, unrendered); err != nil {
		return nil, err
	}
	return checked.decided, nil
}

// tenantStatus is what the status of SIPClusters is made of.
func (d *decided) tenantStatus(hosts []status.Host) *status.Tenants {
	t := &status.Tenants{
		Specs: d.clusters, Placement: d.placement, Claims: d.claims.Claims, Hosts: hosts,
		Frozen: map[schedule.ClusterKey][]string{}, Unread: map[schedule.ClusterKey]bool{},
	}
	for i := range d.report.Clusters {
		if c := &d.report.Clusters[i]; len(c.Frozen) > 0 {
			t.Frozen[schedule.ClusterKey{Namespace: c.Namespace, Name: c.Name}] = c.Frozen
		}
	}
	for i := range d.clusters {
		// addMissing made it: nobody could read its spec.
		if c := &d.clusters[i]; c.Document == nil && len(t.Frozen[keyOf(c)]) > 0 {
			t.Unread[keyOf(c)] = true
		}
	}
	return t
}

// writeStatuses writes those that are not as they ought to be. What fails for one SIPCluster is said, and the others are written.
func (in *inputs) writeStatuses(ctx context.Context, ui *ui, tenants *status.Tenants) error {
	defer ui.progress.stage("writing status")()
	documents, err := in.clusterSpecs(ctx)
	if err != nil {
		return err
	}
	cfg, err := in.restConfig()
	if err != nil {
		return err
	}
	writer, err := live.NewStatusWriter(cfg, sipClusters)
	if err != nil {
		return err
	}
	var (
		errs    []error
		written int
	)
	for i := range documents {
		did, err := writeStatus(ctx, writer, tenants, documents[i].JSON)
		switch {
		case errors.Is(err, live.ErrGone):
		case errors.Is(err, live.ErrChanged):
			ui.say("warning: %s: somebody else keeps changing it; the next run reports it", documents[i].File)
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: status: %w", documents[i].File, err))
		case did:
			written++
		}
		if ctx.Err() != nil {
			break
		}
	}
	ui.say("status written for %d of %d SIPClusters; the others are current", written, len(documents))
	return errors.Join(errs...)
}

// writeStatus writes the status of one SIPCluster, if it is not as it ought to be. Of an object that somebody else changed meanwhile it is
// computed anew.
func writeStatus(ctx context.Context, writer *live.StatusWriter, tenants *status.Tenants, object json.RawMessage) (written bool, err error) {
	for try := 1; ; try++ {
		cluster, err := liveCluster(object)
		if err != nil {
			return false, err
		}
		want, known := tenants.Of(cluster, metav1.NewTime(time.Now().UTC().Truncate(time.Second)))
		//guard: a status is written at each run, though nothing changed
		if !known || equality.Semantic.DeepEqual(want, cluster.Status) {
			return false, nil
		}
		err = writer.Patch(ctx, cluster.Namespace, cluster.Name, cluster.ResourceVersion, map[string]any{
			"conditions": want.Conditions, "assigned": want.Assigned, "short": want.Short, "hosts": want.Hosts,
		})
		//guard: two writers of a status go on for ever
		if !errors.Is(err, live.ErrChanged) || try == statusTries {
			return err == nil, err
		}
		if object, err = writer.Get(ctx, cluster.Namespace, cluster.Name); err != nil {
			return false, err
		}
	}
}

// liveCluster is a live SIPCluster. A spec that is no spec is no reason to tell its tenant nothing: what is wrong with it is in the status, then. A
// status that is none is written anew.
func liveCluster(object json.RawMessage) (*v1.SIPCluster, error) {
	cluster := &v1.SIPCluster{}
	if json.Unmarshal(object, cluster) == nil {
		return cluster, nil
	}
	var parts struct {
		metav1.ObjectMeta `json:"metadata"`
		Spec              json.RawMessage `json:"spec"`
		Status            json.RawMessage `json:"status"`
	}
	if err := json.Unmarshal(object, &parts); err != nil {
		return nil, err
	}
	cluster = &v1.SIPCluster{ObjectMeta: parts.ObjectMeta}
	if json.Unmarshal(parts.Spec, &cluster.Spec) != nil {
		cluster.Spec = v1.SIPClusterSpec{}
	}
	//guard: a status of another shape is never written anew
	if json.Unmarshal(parts.Status, &cluster.Status) != nil {
		cluster.Status = v1.SIPClusterStatus{}
	}
	return cluster, nil
}
