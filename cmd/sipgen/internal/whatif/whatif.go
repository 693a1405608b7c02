// Package whatif is a site that is not there: with other counts or specs, more hosts or fewer; and how many hosts a
// role could have. Nothing here prints.
package whatif

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/airshipit/sipgen/api"
	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/kustomization"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// Question is the flags that change what is planned.
type Question struct {
	without []string
	with    []string
	counts  []string
	virtual bool
}

// Flags adds them to a command.
func (w *Question) Flags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringArrayVar(&w.without, "without", nil,
		"plan as if these `HOSTS` were gone: a label selector, or the name of a host; may be repeated")
	flags.StringArrayVar(&w.with, "with", nil,
		"also plan with the SIPClusters in this `FILE`; they replace those of the same name")
	flags.BoolVar(&w.virtual, "with-virtual-hosts", false,
		"plan as if ViNO had already made all virtual hosts of the Site")
	flags.StringArrayVar(&w.counts, "count", nil,
		"plan with a different active count, `NAMESPACE/NAME/ROLE=N`, and report the largest that fits; "+
			"NAME/ROLE=N if no other cluster is called so")
}

// Asked reports whether the site that is planned is one that is not there.
func (w *Question) Asked() bool { return len(w.without)+len(w.with)+len(w.counts) > 0 || w.virtual }

// CheckFleet refuses what one Site alone can read.
func (w *Question) CheckFleet() error {
	if slices.Contains(w.with, manifest.Stdin) {
		return errors.New("--with: found - (standard input) in a fleet, want files")
	}
	return nil
}

// roleCount is a --count.
type roleCount struct {
	cluster schedule.ClusterKey
	role    string
	active  int
}

// Supposed is what was loaded, changed by the flags.
type Supposed struct {
	Site *app.Loaded
	// Lines describe the changes.
	Lines []string
	// today are the specs without the counts: what a largest count is compared with.
	today  []v1.SIPCluster
	counts []roleCount
}

// Apply changes what was loaded.
func (w *Question) Apply(in io.Reader, l *app.Loaded) (*Supposed, error) {
	var errs []error
	changed := *l
	out := &Supposed{Site: &changed}
	if w.virtual {
		errs = append(errs, out.addVirtualHosts())
	}
	for _, asked := range w.without {
		hosts, gone, err := leaveOut(changed.Hosts.Hosts, asked)
		if err != nil {
			errs = append(errs, fmt.Errorf("--without: %w", err))
			continue
		}
		changed.LeftOut = append(changed.LeftOut, gone...)
		kept := *changed.Hosts
		kept.Hosts = hosts
		changed.Hosts = &kept
		out.Lines = append(out.Lines, "without "+asked+": "+text.Count(len(gone), "host")+" left out")
	}
	if len(w.with) > 0 {
		documents, err := kustomization.Specs(w.with, in, nil)
		errs = append(errs, err)
		more, err := api.ClustersFromDocuments(documents)
		if errs = append(errs, err); len(more) == 0 && errors.Join(errs...) == nil {
			errs = append(errs, redact.Errorf("--with: found no SIPCluster in %s", strings.Join(w.with, ", ")))
		}
		for i := range more {
			out.Lines = append(out.Lines, "with "+more[i].Key()+" of "+more[i].Source.String())
			changed.Clusters = slices.DeleteFunc(slices.Clone(changed.Clusters),
				func(c v1.SIPCluster) bool { return c.Key() == more[i].Key() })
		}
		changed.Clusters = append(changed.Clusters, more...)
	}
	out.today = changed.Clusters
	for _, asked := range w.counts {
		clusters := changed.Clusters
		count, err := parseRoleCount(asked, clusters)
		if err == nil {
			clusters, err = schedule.WithCount(clusters, count.cluster, count.role, count.active)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--count: %w", err))
			continue
		}
		changed.Clusters = clusters
		out.counts = append(out.counts, count)
	}
	return out, errors.Join(errs...)
}

// leaveOut parts hosts into those that stay and those that are called so, with or without their namespace; if none is,
// those that a label selector matches.
func leaveOut(hosts []inventory.Host, asked string) (stay, gone []inventory.Host, err error) {
	part := func(out func(h *inventory.Host) bool) {
		for i := range hosts {
			if out(&hosts[i]) {
				gone = append(gone, hosts[i])
			} else {
				stay = append(stay, hosts[i])
			}
		}
	}
	if part(func(h *inventory.Host) bool { return h.Key() == asked || h.Name == asked }); len(gone) > 0 {
		return stay, gone, nil
	}
	selector, err := labels.Parse(asked)
	if err != nil {
		return nil, nil, redact.Errorf("found %q, want a label selector or the name of a host", asked)
	}
	if stay, _, err = schedule.Without(hosts, selector); err != nil {
		if full, ok := withPrefix(hosts, selector); ok {
			if stay, _, whole := schedule.Without(hosts, full); whole == nil {
				return stay, matching(hosts, full), nil
			}
		}
		return nil, nil, fmt.Errorf("%w, and no host has that name", err)
	}
	return stay, matching(hosts, selector), nil
}

// matching returns the hosts that a selector matches.
func matching(hosts []inventory.Host, selector labels.Selector) []inventory.Host {
	return slices.DeleteFunc(slices.Clone(hosts),
		func(h inventory.Host) bool { return !selector.Matches(labels.Set(h.Labels)) })
}

// Matching returns the hosts that --without leaves out.
func Matching(hosts []inventory.Host, asked string) ([]inventory.Host, error) {
	_, gone, err := leaveOut(hosts, asked)
	return gone, err
}

// withPrefix returns a selector with the whole keys of labels, as LabelKey has them.
func withPrefix(hosts []inventory.Host, selector labels.Selector) (labels.Selector, bool) {
	requirements, _ := selector.Requirements()
	full := labels.NewSelector()
	for _, r := range requirements {
		if key := LabelKey(hosts, r.Key()); key != r.Key() {
			whole, err := labels.NewRequirement(key, r.Operator(), r.Values().UnsortedList())
			if err != nil {
				return nil, false
			}
			r = *whole
		}
		full = full.Add(r)
	}
	return full, true
}

// LabelKey returns the whole key of a label for a key that no host has and one label ends in: "rack" is
// "vino.airshipit.org/rack" if no other label of a host ends in "/rack". Any other key stays.
func LabelKey(hosts []inventory.Host, asked string) string {
	meant := map[string]bool{}
	for i := range hosts {
		for key := range hosts[i].Labels {
			if key == asked {
				return asked
			}
			if strings.HasSuffix(key, "/"+asked) {
				meant[key] = true
			}
		}
	}
	if len(meant) == 1 {
		return slices.Collect(maps.Keys(meant))[0]
	}
	return asked
}

// Roles reads numbers of hosts by role, "NAMESPACE/NAME/ROLE=N".
func Roles(flag string, asked []string, clusters []v1.SIPCluster) (map[schedule.RoleKey]int, error) {
	out, errs := map[schedule.RoleKey]int{}, []error(nil)
	for _, one := range asked {
		count, err := parseRoleCount(one, clusters)
		if err == nil {
			_, err = schedule.WithCount(clusters, count.cluster, count.role, 0) // which knows the roles
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--%s: %w", flag, err))
			continue
		}
		out[schedule.RoleKey{Cluster: count.cluster, Role: count.role}] = count.active
	}
	return out, errors.Join(errs...)
}

func parseRoleCount(asked string, clusters []v1.SIPCluster) (roleCount, error) {
	name, number, found := strings.Cut(asked, "=")
	slash := strings.LastIndex(name, "/")
	active, err := strconv.Atoi(number)
	if !found || slash < 0 || err != nil || active < 0 {
		return roleCount{}, redact.Errorf("found %q, want NAMESPACE/NAME/ROLE=N", asked)
	}
	keys := make([]string, len(clusters))
	for i := range clusters {
		keys[i] = clusters[i].Key()
	}
	key, err := cmdline.OneOf(name[:slash], "cluster", keys)
	namespace, cluster, _ := strings.Cut(key, "/")
	return roleCount{schedule.ClusterKey{Namespace: namespace, Name: cluster}, name[slash+1:], active}, err
}
