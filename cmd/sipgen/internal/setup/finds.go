package setup

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	k8s "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/rest"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/survey"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/files"
	"github.com/airshipit/sipgen/inventory/live"
	"github.com/airshipit/sipgen/schedule"
)

func (b *Beginning) hosts(ctx context.Context, ui *terminal.UI) (*inventory.Inventory, error) {
	defer ui.Stage("reading hosts")()
	if b.In.Inventory != app.FromCluster {
		return files.Load([]string{b.In.Inventory}, ui.In)
	}
	return b.In.LiveHosts(ctx, &v1alpha1.Site{}, nil, time.Now())
}

// leaveOut removes the hosts in namespaces of other sites: plan refuses a Site with such a namespace. It returns the
// sorted names of the other sites on the API server.
func (b *Beginning) leaveOut(ctx context.Context, ui *terminal.UI, site string,
	found *inventory.Inventory) ([]string, error) {
	if b.In.Inventory != app.FromCluster {
		return nil, nil
	}
	guards, err := b.In.LiveGuards(ctx)
	if err != nil {
		ui.Warn("namespaces of other sites were not looked for: %v", err)
		return nil, nil
	}
	sites, owners, left := map[string]bool{}, map[string]string{}, map[string]int{}
	for i := range guards {
		if guards[i].Site == site {
			continue
		}
		sites[guards[i].Site] = true
		for j := range found.Hosts {
			if namespace := found.Hosts[j].Namespace; guards[i].Overlap([]string{namespace}) != "" {
				owners[namespace] = guards[i].Site
			}
		}
	}
	own := slices.DeleteFunc(slices.Clone(found.Hosts), func(h inventory.Host) bool {
		_, others := owners[h.Namespace]
		if others {
			left[h.Namespace]++
		}
		return others
	})
	var of []string
	for _, namespace := range slices.Sorted(maps.Keys(left)) {
		of = append(of, redact.Sprintf("%s in %s (site %s)", text.Count(left[namespace], "host"), namespace,
			owners[namespace]))
	}
	if len(of) > 0 && len(own) == 0 {
		return nil, fmt.Errorf("the guards of other sites cover all hosts: %s: want a namespace of site %s's own, "+
			"or --name with the name of the site", strings.Join(of, ", "), site)
	}
	if len(of) > 0 {
		ui.Say("left out, because the guards of other sites cover them: %s", strings.Join(of, ", "))
	}
	found.Hosts = own
	return slices.Sorted(maps.Keys(sites)), nil
}

// apart gives the first SIPCluster a namespace that no other site on the API server proposes: two sites with one
// namespace and name replace each other's services.
func (b *Beginning) apart(ui *terminal.UI, answers *survey.Answers, sites []string) error {
	if len(sites) == 0 || b.Named {
		return nil
	}
	namespace := answers.Site + "-" + answers.Namespace
	shared := fmt.Sprintf("this API server has other sites (%s), and each namespace and name is for one SIPCluster",
		text.Some(sites, 3))
	if len(k8s.IsDNS1123Label(namespace)) > 0 {
		return redact.Errorf("--cluster is required: %s", shared)
	}
	ui.Say("the first SIPCluster is in namespace %s: %s", namespace, shared)
	answers.Namespace = namespace
	return nil
}

// freeNodePort proposes a node port that no Service of the live cluster has, if there is one.
func (b *Beginning) freeNodePort(ctx context.Context, ui *terminal.UI, cfg *rest.Config, answers *survey.Answers) {
	taken, err := live.NodePorts(ctx, cfg)
	if err != nil {
		ui.Warn("node ports in use were not looked for: %v", err)
	}
	port, found := survey.FreeNodePort(taken)
	if !found {
		ui.Warn("the Services of the cluster have all node ports from %d to %d: nodePort of the load balancer is %d, "+
			"which is not free", survey.LowestNodePort, survey.HighestNodePort, port)
	}
	answers.NodePort = port
}

// The API groups that an engine and Cluster API bring.
const (
	fluxGroup       = "kustomize.toolkit.fluxcd.io"
	argoGroup       = "argoproj.io"
	clusterAPIGroup = "cluster.x-k8s.io"
)

// installed answers what the live cluster shows: the engine, unless one was asked for, whether there is Cluster API,
// and a free node port.
func (b *Beginning) installed(ctx context.Context, ui *terminal.UI, answers *survey.Answers) error {
	answers.Engine = b.Engine
	if b.In.Inventory != app.FromCluster {
		if b.Engine == "auto" {
			answers.Engine = string(v1alpha1.EngineFlux)
		}
		return nil
	}
	cfg, err := b.In.RestConfig()
	if err != nil {
		return err
	}
	b.freeNodePort(ctx, ui, cfg, answers)
	groups, err := live.Groups(ctx, cfg)
	if err != nil {
		return err
	}
	answers.ClusterAPI = groups[clusterAPIGroup]
	switch {
	case b.Engine != "auto":
	case groups[fluxGroup] && groups[argoGroup]:
		answers.Engine = string(v1alpha1.EngineFlux)
		answers.EngineWhy = "Flux and Argo CD are installed on the cluster; --engine argocd chooses the other"
	case groups[fluxGroup]:
		answers.Engine, answers.EngineWhy = string(v1alpha1.EngineFlux), "Flux is installed on the cluster"
	case groups[argoGroup]:
		answers.Engine, answers.EngineWhy = string(v1alpha1.EngineArgoCD), "Argo CD is installed on the cluster"
	default:
		answers.Engine = string(v1alpha1.EngineFlux)
		answers.EngineWhy = "the default: neither Flux nor Argo CD is installed on the cluster yet"
	}
	return nil
}

// plannable is what a plan without clusters finds of the hosts.
type plannable struct {
	// free are the hosts that plan hands out, by their keys.
	free map[string]bool
	// others are why it does not hand out the others, with numbers.
	others string
	// labeled is how many carry labels of a cluster.
	labeled int
}

// planned asks a plan without clusters.
func planned(hosts []inventory.Host) (*plannable, error) {
	var site v1alpha1.Site
	site.Default()
	inventory.Conflicts(hosts)
	placement, err := schedule.Plan(nil, hosts, schedule.Previous{}, app.Options(&site))
	if err != nil {
		return nil, err
	}
	p, others := &plannable{free: map[string]bool{}}, map[string]int{}
	for _, line := range placement.Hosts {
		if line.Verdict == schedule.Free {
			p.free[line.Host.Key()] = true
			continue
		}
		others[whyNot(line.Reason)]++
	}
	var counts []string
	for _, why := range slices.Sorted(maps.Keys(others)) {
		counts = append(counts, fmt.Sprintf("%d %s", others[why], why))
	}
	p.others = strings.Join(counts, ", ")
	for i := range placement.Holdings.Hosts {
		if labels := &placement.Holdings.Hosts[i].Labels; labels.Cluster != (schedule.ClusterKey{}) {
			p.labeled++
		}
	}
	return p, nil
}

// whyNot returns why a host is not free, without what only this host has.
func whyNot(why schedule.Reason) string {
	if c, is := why.(schedule.Condition); is {
		c.Message = ""
		if c.Code != holdings.ProvisioningState && c.Code != holdings.OperationalStatus {
			c.Detail = ""
		}
		why = c
	}
	return sentence.Reason(why)
}

// sayUnreadable gives the reasons why objects are no hosts, and why hosts cannot be read.
func sayUnreadable(ui *terminal.UI, found *inventory.Inventory) {
	var findings []finding.Finding
	for _, object := range found.LeftOut {
		findings = append(findings, finding.Finding{Code: finding.Object, Place: finding.At(object.Source),
			Object: finding.To(finding.KindHost, "", ""), Field: object.Field,
			Message: object.Text + ": no host is made of it"})
	}
	for i := range found.Hosts {
		host := &found.Hosts[i]
		for j := range host.Faults {
			fault, at := &host.Faults[j], host.Source
			if fault.Kind != inventory.FaultObject && fault.Kind != inventory.FaultLabel {
				continue
			}
			at.Line = cmp.Or(fault.Line, at.Line)
			findings = append(findings, finding.Finding{Code: finding.Object, Place: finding.At(at),
				Object: finding.To(finding.KindHost, host.Namespace, host.Name), Field: fault.Field,
				Message: fault.Text + ": it is not free until that is fixed"})
		}
	}
	for _, f := range finding.Fold(findings, mostUnreadable, "sipgen lint shows them") {
		ui.Warn("%s", f.String())
	}
}

// mostUnreadable is how many unreadable objects are named.
const mostUnreadable = 5

// shownValues is how many values of a label are shown.
const shownValues = 6

// show prints what was found. assumed: the engine is the default.
func show(ui *terminal.UI, found *survey.Found, answers survey.Answers, assumed bool) {
	var namespaces []string
	for _, n := range found.Namespaces {
		namespaces = append(namespaces, fmt.Sprintf("%s (%d)", text.Line(n.Name), n.Hosts))
	}
	width := ui.Width()
	line := fmt.Sprintf("%s, %d of them free, in %s", text.Count(found.Hosts, "host"), found.Free,
		strings.Join(namespaces, ", "))
	fmt.Fprintln(ui.Out, text.Fold(line, width, "  "))
	engine := answers.Engine
	switch {
	case answers.EngineWhy != "":
		engine += " (" + answers.EngineWhy + ")"
	case assumed:
		engine += " (the default: files do not show which engine the cluster has; --engine argocd chooses Argo CD)"
	}
	fmt.Fprintln(ui.Out, text.Fold("engine: "+engine, width, "  "))
	if answers.ClusterAPI {
		fmt.Fprintln(ui.Out, "Cluster API: installed on the cluster")
	}
	fmt.Fprintln(ui.Out)
	rows := [][]string{{"LABEL", "LOOKS LIKE", "VALUES (HOSTS)"}}
	for _, l := range found.Labels {
		var values []string
		for i, v := range l.Values {
			if i == shownValues {
				values = append(values, fmt.Sprintf("… %d more", len(l.Values)-i))
				break
			}
			values = append(values, fmt.Sprintf("%s (%d)", v.Name, v.Hosts))
		}
		looks := string(l.Looks)
		if looks == "" {
			looks = "-"
		}
		rows = append(rows, []string{l.Key, looks, strings.Join(values, ", ")})
	}
	for _, n := range found.Networks {
		kind := "network"
		if n.Inspected {
			kind = "network of the inspection"
		}
		rows = append(rows, []string{text.Line(n.Name), kind, fmt.Sprintf("(%d)", n.Hosts)})
	}
	for i, h := range found.Hardware {
		if i == shownValues {
			rows = append(rows, []string{fmt.Sprintf("… %d more", len(found.Hardware)-i), "hardware", ""})
			break
		}
		rows = append(rows, []string{text.Line(h.Name), "hardware", fmt.Sprintf("(%d)", h.Hosts)})
	}
	_ = ui.Columns(rows, len(rows[0])-1) // the terminal's; no message can be written there either
}

// sayLabelled points to the way from SIP where hosts carry labels of clusters.
func sayLabelled(ui *terminal.UI, labeled, hosts int) {
	if labeled > 0 {
		ui.Say("%d of %s carry labels of a cluster and are not free; "+
			"if the SIP operator set them, docs/from-sip.md has the way", labeled, text.Count(hosts, "host"))
	}
}

// sayNameless reports hosts without a uid, and returns whether all hosts lack one. A host that cannot be read may have
// one.
func sayNameless(ui *terminal.UI, hosts []inventory.Host) (all bool) {
	var nameless []string
	read := 0
	for i := range hosts {
		if hosts[i].Unsure() { // sayUnreadable has the reason
			continue
		}
		if read++; hosts[i].UID == "" {
			nameless = append(nameless, fmt.Sprintf("%s (%s)", hosts[i].Key(), hosts[i].Source))
		}
	}
	n := len(nameless)
	if n == 0 || n == read {
		return n > 0
	}
	ui.Warn("%d of %s have no metadata.uid: %s; sipgen plan works with them, but render and publish need the uid that "+
		"the API server gave each host; read all hosts from the cluster (--inventory cluster), or from a snapshot of it "+
		"(sipgen inventory); or, if the engine applies all these manifests from git, set spec.hosts.apply: overlay",
		n, text.Count(read, "host"), text.Some(nameless, shownHosts))
	return false
}

// shownHosts is how many hosts a message names.
const shownHosts = 3
