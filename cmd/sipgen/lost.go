package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/internal/text"
)

func lostTreeFlag(command *cobra.Command, accept *bool) {
	command.Flags().BoolVar(accept, "accept-lost-tree", false, "accept that the tree is lost: plan from the hosts' labels alone")
}

// lost refuses to begin anew where an engine has synced a tree before: the branch was pushed by force or its folder deleted. A new tree would lack the clusters
// that have no spec any more, with their services, and the addresses and releases that nothing but the old one has.
func (d *decided) lost(accept bool) error {
	//guard: a branch that has lost its tree gets a new one, without the clusters whose specs are gone
	if accept || !d.before.missing() {
		return nil
	}
	var synced []string
	for i := range d.hosts.Hosts {
		if h := &d.hosts.Hosts[i]; preflight.Synced(d.options.Keys, h) {
			synced = append(synced, h.Key())
		}
	}
	//guard(TestFluxRows/lost): a branch that has lost its tree gets a new one by the labels of live hosts
	if len(synced) == 0 {
		return nil
	}
	return fmt.Errorf(`refused: %s has no tree, but Flux or Argo CD has labelled %s for clusters (%s): the tree is lost; put it back (sipgen help runbook tree-lost); `+
		"if there is none to put back, sipgen publish --accept-lost-tree goes by the labels alone", d.before.where, text.Count(len(synced), "host"), firstHosts(synced))
}

// noTree says that there is no tree and that hosts carry labels of clusters, which nobody knows to be an engine's: those of hosts that somebody, or the SIP
// operator, labelled before the first tree look like those of a tree that is lost.
func (d *decided) noTree() string {
	if !d.before.missing() {
		return ""
	}
	var labelled []string
	for i := range d.placement.Holdings.Hosts {
		if h := &d.placement.Holdings.Hosts[i]; h.Labels.NameCluster() {
			labelled = append(labelled, h.Host.Key())
		}
	}
	//guard: nobody is told that a branch without a tree may have lost it, where no engine shows among the owners of the labels
	if len(labelled) == 0 {
		return ""
	}
	return fmt.Sprintf(`there is no tree, and %s of clusters (%s): if there was one, it is lost, and they are its hosts; put it back, and do not release them `+
		`(sipgen help runbook tree-lost). If this is the first tree, nothing is wrong`, text.Plural(len(labelled), "host carries labels", "hosts carry labels"), firstHosts(labelled))
}

// firstHosts are the first of many hosts.
func firstHosts(hosts []string) string {
	const most = 5
	names := strings.Join(hosts[:min(most, len(hosts))], ", ")
	if more := len(hosts) - most; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return names
}
