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
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/status"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory/live"
	"github.com/airshipit/sipgen/schedule"
)

// statusTries is how often a status is computed again because another writer changed the object meanwhile.
const statusTries = 4

// reportToTenants writes the status of the live SIPClusters, and shows what sipgen status shows. What is wrong with
// one tenant's specs is in that one's status.
func reportToTenants(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs, previous *cmdline.Previous,
	output string) error {
	loaded, err := in.Load(ctx, ui)
	if err != nil {
		return err
	}
	if !loaded.Live {
		return errors.New("--write needs --inventory cluster: the status is about live hosts")
	}
	before, err := previous.Read(ctx, ui, loaded.Site, loaded.Hosts.TakenAt)
	if err != nil {
		return err
	}
	// What speaks against the whole tree is not asked: nothing is published here.
	checked, err := flow(ui, loaded, before, noTolerance)
	if err == nil {
		err = checked.Rendered.Err
	}
	if err != nil {
		return err
	}
	p := checked.Plan
	hosts := status.Of(statusInput(p.Loaded.Site, before, p.Placement.Holdings, p.Loaded.Hosts))
	tenants := tenantStatus(p, hosts)
	tenants.Services = servicesOf(ctx, ui, in, p.Loaded.Site, before, anyLabeled(p.Placement.Holdings), false)
	failed := writeStatuses(ctx, ui, in, tenants)
	shown := showStatus(ui, before, &siteStatus{v1alpha1.APIVersion, "Status", p.Loaded.Site.Name, hosts,
		tenants.Services, before.Edited, sentence.Conflicts(p.Placement.Holdings)}, output)
	if failed == nil || shown != nil && !errors.Is(shown, errFinding) {
		return errors.Join(failed, shown)
	}
	return failed // more than a finding
}

// tenantStatus returns what the status of SIPClusters is made of.
func tenantStatus(p *app.Planned, hosts []status.HostStatus) *status.Tenants {
	t := &status.Tenants{
		Specs: p.Clusters.All, Placement: p.Placement, Claims: p.Clusters.Claims.Claims, Hosts: hosts,
		Frozen: map[schedule.ClusterKey][]string{}, Unread: map[schedule.ClusterKey]bool{},
	}
	for i := range p.Report.Clusters {
		if c := &p.Report.Clusters[i]; len(c.Frozen) > 0 {
			t.Frozen[schedule.ClusterKey{Namespace: c.Namespace, Name: c.Name}] = c.Frozen
		}
	}
	for i := range p.Clusters.All {
		// addMissing made it: its spec could not be read.
		c := &p.Clusters.All[i]
		if key := (schedule.ClusterKey{Namespace: c.Namespace, Name: c.Name}); c.Document == nil && len(t.Frozen[key]) > 0 {
			t.Unread[key] = true
		}
	}
	return t
}

// writeStatuses writes the statuses that differ. A failure for one SIPCluster is reported, and the others are
// written.
func writeStatuses(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs, tenants *status.Tenants) error {
	defer ui.Stage("writing status")()
	documents, err := in.ClusterSpecs(ctx)
	if err != nil {
		return err
	}
	cfg, err := in.RestConfig()
	if err != nil {
		return err
	}
	writer, err := live.NewStatusWriter(cfg, app.SIPClusters)
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
			ui.Say("warning: %s: it keeps changing; the next run reports it", documents[i].File)
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: status: %w", documents[i].File, err))
		case did:
			written++
		}
		if ctx.Err() != nil {
			break
		}
	}
	if written > 0 {
		ui.Done = fmt.Sprintf("the status of %s is written", text.Count(written, "SIPCluster"))
	}
	ui.Say("status written for %d of %d SIPClusters; the others are current", written, len(documents))
	return errors.Join(errs...)
}

// writeStatus writes the status of one SIPCluster if it differs. If another writer changed the object meanwhile, it
// computes the status again.
func writeStatus(ctx context.Context, writer *live.StatusWriter, tenants *status.Tenants,
	object json.RawMessage) (written bool, err error) {
	for try := 1; ; try++ {
		cluster, err := liveCluster(object)
		if err != nil {
			return false, err
		}
		want, known := tenants.Of(cluster, metav1.NewTime(time.Now().UTC().Truncate(time.Second)))
		if !known || equality.Semantic.DeepEqual(want, cluster.Status) {
			return false, nil
		}
		err = writer.Patch(ctx, cluster.Namespace, cluster.Name, cluster.ResourceVersion, map[string]any{
			"conditions": want.Conditions, "assigned": want.Assigned, "short": want.Short, "hosts": want.Hosts,
		})
		if !errors.Is(err, live.ErrChanged) || try == statusTries {
			return err == nil, err
		}
		if object, err = writer.Get(ctx, cluster.Namespace, cluster.Name); err != nil {
			return false, err
		}
	}
}

// liveCluster returns a live SIPCluster. A spec that is no spec is no reason to tell its tenant nothing: what is
// wrong with it is in the status, then. A status that is none is written again.
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
	if json.Unmarshal(parts.Status, &cluster.Status) != nil {
		cluster.Status = v1.SIPClusterStatus{}
	}
	return cluster, nil
}
