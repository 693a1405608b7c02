package main

import (
	"context"
	"encoding/csv"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/whatif"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/fleet"
	"github.com/airshipit/sipgen/internal/history"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// What hours are summed by, besides a label and what report.ClassOf knows.
const (
	byTenant  = "tenant"
	byCluster = "cluster"
	byClass   = "class"
)

// checkUsageBy refuses what hours cannot be summed by.
func checkUsageBy(by []string) (err error) {
	for i, one := range by {
		if one == "" {
			return redact.Errorf("--by: found %q, want tenant, cluster, class or a label", strings.Join(by, ","))
		}
		err = errors.Join(err, checkBy(one))
		if slices.Contains(by[:i], one) {
			err = errors.Join(err, redact.Errorf("--by: found %q twice", one))
		}
	}
	return err
}

// needsHosts reports whether hours are summed by what the inventory has.
func needsHosts(by []string) bool {
	return slices.ContainsFunc(by, func(one string) bool { return one != byTenant && one != byCluster })
}

// covered refuses a period with commits that were not read.
func covered(past *app.Past, since, now time.Time) error {
	switch {
	case since.After(now):
		return redact.Errorf("--since: found %s, which is in the future: the time is %s",
			since.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	case past.Covers(since):
		return nil
	case past.Empty():
		return errors.New("--usage: no commit could be read")
	}
	begins := "the first commit"
	if !since.IsZero() {
		begins = since.UTC().Format(time.RFC3339)
	}
	why := past.Unwalked
	if why == "" {
		why = "those before it are skipped"
	}
	return redact.Errorf("--usage: the hours begin at %s, and the oldest readable commit is of "+
		"%s (%s): want --since %[2]s or later", begins, past.First().Format(time.RFC3339), why)
}

// spentOf returns the tenures of a site with what each counts for. hosts is nil if that takes no inventory.
func spentOf(site *v1alpha1.Site, past *app.Past, hosts []inventory.Host, by []string, since time.Time) history.Spent {
	tenants, known := tenancy.Of(site, nil), map[string]*inventory.Host{}
	for i := range hosts {
		known[hosts[i].Key()] = &hosts[i]
	}
	group := func(t *history.Tenure) (values []string, unknown bool) {
		host := known[t.Host]
		for _, one := range by {
			switch {
			case one == byTenant:
				values = append(values, tenantOf(tenants, t.Cluster))
			case one == byCluster:
				values = append(values, t.Cluster)
			case host == nil:
				values, unknown = append(values, "unknown"), true
			case one == byClass:
				values = append(values, report.ClassOf(host, ""))
			default:
				values = append(values, report.ClassOf(host, one))
			}
		}
		return values, unknown
	}
	return history.Spent{Site: site.Name, Tenures: past.All(since), Skipped: skipped(past), Group: group}
}

// tenantOf returns the tenant that a cluster has in the present Site.
func tenantOf(tenants *tenancy.Tenants, cluster string) string {
	namespace := holdings.ClusterNamed(cluster).Namespace
	if tenant := tenants.Of(namespace); tenant != nil {
		return tenant.Name
	}
	return "no tenant: namespace " + namespace
}

// labelsOf returns what hours are summed by, with the keys of labels in full. A label that no host has is misspelled.
func labelsOf(by []string, hosts []inventory.Host) ([]string, error) {
	out := slices.Clone(by)
	var err error
	for i, one := range by {
		switch one {
		case byTenant, byCluster, byClass, report.ByVendor, report.ByModel:
			continue
		}
		out[i] = whatif.LabelKey(hosts, one)
		if !slices.ContainsFunc(hosts, func(h inventory.Host) bool { _, has := h.Labels[out[i]]; return has }) {
			err = errors.Join(err, redact.Errorf("--by: found %q, want tenant, cluster, class or a label, "+
				"and no host has that label", one))
		}
	}
	return out, err
}

// usageSum collects the tenures of Sites, which run side by side.
type usageSum struct {
	by    []string
	since time.Time
	now   time.Time

	mutex sync.Mutex
	sites []history.Spent
}

// showUsage prints the hours of a Site, or of a fleet in one table.
func showUsage(cmd *cobra.Command, ui *terminal.UI, in *cmdline.Inputs, git cmdline.Repository, sum *usageSum,
	output string) error {
	sum.now = time.Now().UTC().Truncate(time.Second)
	err := eachSite(cmd, ui, in, "", func(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs) error {
		site, err := in.LoadSite(ui.In)
		if err == nil && needsHosts(sum.by) {
			err = in.CheckInventory()
		}
		if err != nil {
			return err
		}
		past, err := readPast(ctx, ui, git, site, sum.since)
		if err != nil {
			return err
		}
		return sum.add(ctx, ui, in, site, past)
	})
	var sites *fleetError
	if err != nil && (!errors.As(err, &sites) || sites.Code() == fleet.Failed) {
		return err
	}
	var failed []string
	if sites != nil {
		failed = sites.Failed()
	}
	if printed := sum.print(ui, output, failed); err == nil || printed != nil && sites.Code() == fleet.Done {
		return printed
	}
	return err
}

// add takes the tenures of a Site.
func (u *usageSum) add(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs, site *v1alpha1.Site,
	past *app.Past) error {
	if err := covered(past, u.since, u.now); err != nil {
		return err
	}
	var hosts []inventory.Host
	by := u.by
	if needsHosts(by) {
		all, err := readHosts(ctx, ui, in, site)
		if err != nil {
			return err
		}
		hosts = all.Hosts
		if by, err = labelsOf(by, hosts); err != nil {
			return err
		}
	}
	spent := spentOf(site, past, hosts, by, u.since)
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.sites = append(u.sites, spent)
	return nil
}

// print prints the hours of all Sites as one table. To find none is a finding.
func (u *usageSum) print(ui *terminal.UI, output string, failed []string) (err error) {
	usage := history.UsageOf(u.by, u.sites, u.since, u.now)
	usage.FailedSites = failed
	switch {
	case output == "json":
		err = ui.JSON(usage)
	case output == "csv":
		err = csv.NewWriter(ui.Out).WriteAll(withoutFormulas(usage.Table(true)))
	case len(usage.Rows) > 0:
		rows := usage.Table(false)
		err = ui.Columns(rows, len(rows[0])-1)
	}
	switch {
	case err != nil:
		return err
	case len(usage.Rows) == 0:
		ui.Say("no cluster had a host in that time")
		return errFinding
	}
	if n := usage.UnknownHosts; n > 0 {
		ui.Say("%s not in the inventory: the class and labels are unknown", text.Plural(n, "host is", "hosts are"))
	}
	if month := usage.Open(); month != "" {
		ui.Say("%s is not over: its hours are those until %s", month, usage.To.Format(time.RFC3339))
	}
	return nil
}
