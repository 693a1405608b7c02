package sentence

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// Warnings says them, sorted. What is wrong with many hosts alike is said once.
func Warnings(warnings []schedule.Warning) []string {
	var out []string
	alike := map[string][]schedule.HasFault{}
	unconfirmed := map[string][]schedule.AddressUnconfirmed{}
	for _, w := range warnings {
		if address, is := w.(schedule.AddressUnconfirmed); is {
			unconfirmed[address.Network] = append(unconfirmed[address.Network], address)
			continue
		}
		if fault, is := w.(schedule.HasFault); is {
			alike[fault.What] = append(alike[fault.What], fault)
			continue
		}
		out = append(out, Warning(w))
	}
	for _, faults := range alike {
		out = append(out, faultsAlike(faults)...)
	}
	for _, same := range unconfirmed {
		out = append(out, unconfirmedAlike(same)...)
	}
	lines(out)
	slices.Sort(out)
	return out
}

// mostAlike is how many hosts of which the same is wrong have a sentence each.
const mostAlike = 4

// faultsAlike says one thing that is wrong with hosts.
func faultsAlike(faults []schedule.HasFault) []string {
	var out []string
	if len(faults) <= mostAlike {
		for _, fault := range faults {
			out = append(out, Warning(fault))
		}
		return out
	}
	var others []string
	for _, fault := range faults[1:] {
		others = append(others, fault.Host.String())
	}
	return []string{fmt.Sprintf("%s; the same is wrong with %s: %s", Warning(faults[0]), text.Count(len(others), "more host"), list(others, 10, "more"))}
}

// unconfirmedAlike says of hosts on one network that their addresses should be looked at. Where a tree is lost that is all of them.
func unconfirmedAlike(hosts []schedule.AddressUnconfirmed) []string {
	var out, others []string
	slices.SortFunc(hosts, func(a, b schedule.AddressUnconfirmed) int { return strings.Compare(a.Host.String(), b.Host.String()) })
	for i, w := range hosts {
		out = append(out, Warning(w))
		if i > 0 {
			others = append(others, fmt.Sprintf("%s (%s)", w.Host, addresses(w.Found)))
		}
	}
	if len(hosts) <= mostAlike {
		return out
	}
	return []string{fmt.Sprintf("%s; likewise %s: %s", out[0], text.Count(len(others), "more host"), list(others, 10, "more"))}
}

// Warning says what a person should look at.
func Warning(w schedule.Warning) string {
	for _, say := range []func(schedule.Warning) string{claimWarning, annotationWarning, addressWarning, roleWarning} {
		if words := say(w); words != "" {
			return words
		}
	}
	return ""
}

// claimWarning is about who has which host.
func claimWarning(w schedule.Warning) string {
	switch w := w.(type) {
	case schedule.HasFault:
		return fmt.Sprintf("host %s: %s: it is not handed out until that is fixed; a cluster that holds it keeps it", w.Host, w.What)
	case schedule.Unlabelled:
		return fmt.Sprintf("host %s: carries some of %s, but not a whole claim: it is not handed out until they are removed or completed", w.Host, keys(w.Keys))
	case schedule.LabelsContradictTree:
		if w.Unpatchable {
			return fmt.Sprintf("host %s: its labels (%s) contradict %s: %s keeps its claim, because sipgen may not patch this host", w.Host, keys(w.Keys), w.Source, w.Cluster)
		}
		return fmt.Sprintf("host %s: its labels (%s) contradict %s: the host is not in use, or they are not a whole claim, so %s keeps its claim", w.Host, keys(w.Keys), w.Source, w.Cluster)
	case schedule.LeftAlone:
		return fmt.Sprintf("%s left alone: labelled for %s, which is in neither the specs nor the tree: %s; if no other site or tool has it, spec.hosts.release of the Site lets it go",
			text.Count(len(w.Hosts), "host"), w.Cluster.Quoted(), someHosts(w.Hosts))
	case schedule.RolesDiffer:
		return fmt.Sprintf("host %s: its labels say %s %s, but %s says role %s: sipgen goes by the labels", w.Host, w.Cluster, w.Labels, w.Source, w.Tree)
	case schedule.ClustersDiffer:
		return clustersDiffer(w)
	case schedule.NobodyGets:
		source := w.Source
		if source == "" {
			source = "its labels"
		}
		return fmt.Sprintf("host %s: %s, according to %s: it is not handed out", w.Host, Reason(w.Why), source)
	case schedule.NotInInventory:
		return fmt.Sprintf("host %s: %s gives it to %s, but it is not in the inventory: its slot counts as empty", w.Host, w.Source, w.Role)
	case schedule.CreatedAnew:
		decides := ""
		if w.Labelled {
			decides = ", and the host's labels decide who has it"
		}
		return fmt.Sprintf("host %s: %s knows it by uid %s, but its uid is now %s: the host was re-created, so the claim is void%s", w.Host, w.Source, w.Was, w.Is, decides)
	case schedule.Restored:
		return fmt.Sprintf("host %s: %s knows it by uid %s, but its uid is now %s: it carries the cluster's labels, so it was restored or moved, and keeps its slot and its addresses", w.Host, w.Source, w.Was, w.Is)
	case schedule.WithoutStatus:
		return text.Count(w.Hosts, "host") + " without status: assumed to be available"
	case schedule.OfCluster:
		return "cluster " + w.Cluster.String() + ": " + Warning(w.Warning)
	}
	return ""
}

// someHosts are the first ten, and how many more there are.
func someHosts(hosts []schedule.HostKey) string {
	const most = 10
	more := ""
	if len(hosts) > most {
		more = fmt.Sprintf(" and %d more", len(hosts)-most)
	}
	return strings.Join(hostNames(hosts[:min(most, len(hosts))]), ", ") + more
}

func clustersDiffer(w schedule.ClustersDiffer) string {
	words := fmt.Sprintf("host %s: its labels say cluster %s, but %s says cluster %s: ", w.Host, w.Labels.Quoted(), w.Source, w.Tree)
	if w.Foreign {
		return words + fmt.Sprintf("sipgen goes by the labels, so %s loses the host; if the labels are wrong, correct them by hand", w.Tree)
	}
	return words + fmt.Sprintf("sipgen goes by the labels, because the host is %s; perhaps the tree was rolled back. If the labels are wrong, correct them by hand", Reason(w.Use))
}

// annotationWarning is about the annotations of a cluster that name hosts.
func annotationWarning(w schedule.Warning) string {
	switch w := w.(type) {
	case schedule.NamesUnknownHost:
		if strings.ContainsAny(w.Host, " \t\n;") {
			return fmt.Sprintf("annotation %s: found %q, want names of hosts with commas between them: it has no effect", w.Annotation, w.Host)
		}
		return fmt.Sprintf("annotation %s names host %q, which is not in the inventory: this entry has no effect; remove it from the annotation", w.Annotation, w.Host)
	case schedule.NamesHostOfOthers:
		return fmt.Sprintf("annotation %s names host %s, which %s holds: this entry has no effect; remove it from the annotation", w.Annotation, w.Host, w.Holder)
	case schedule.NamesSeveralHosts:
		return fmt.Sprintf("annotation %s names host %q, but the cluster holds two hosts of that name, %s and %s: this entry has no effect; write namespace/name", w.Annotation, w.Name, w.Hosts[0], w.Hosts[1])
	case schedule.NamesMore:
		return fmt.Sprintf("annotation %s: %d more names have no effect", w.Annotation, w.More)
	case schedule.ReleaseOfNothing:
		return releaseOfNothing(w)
	case schedule.ApprovedWithoutUID:
		return fmt.Sprintf("annotation %s approves the release of host %s, whose uid is not known: it waits until sipgen reads the host from the cluster or a new snapshot", w.Annotation, w.Host)
	case schedule.NeverApproved:
		return fmt.Sprintf("annotation %s names host %s, which %s keeps for its next machine: such a release cannot be approved; it waits until Cluster API lets the host go", w.Annotation, w.Host, w.Consumer)
	case schedule.ApprovedButWanted:
		return fmt.Sprintf("annotation %s approves the release of %s that the role still wants: no effect until its count is lower: %s", w.Annotation, text.Count(len(w.Hosts), "host"), someHosts(w.Hosts))
	case schedule.NamesFreeHost:
		return fmt.Sprintf("annotation %s names host %s, which the cluster does not hold: the cluster cannot get this host while the annotation names it", w.Annotation, w.Host)
	}
	return ""
}

// addressWarning is about where hosts are reached.
func addressWarning(w schedule.Warning) string {
	switch w := w.(type) {
	case schedule.AddressDiffers:
		return fmt.Sprintf("host %s: on network %s its %s says %s, but the previous tree says %s, which sipgen keeps; if the new address is right, confirm it with the host's annotation %s%s: %s",
			w.Host, w.Network, w.Origin, addresses(w.Found), addresses(w.Kept), inventory.AddressAnnotationKey, w.Network, addresses(w.Found))
	case schedule.AddressChanges:
		return fmt.Sprintf("host %s: on network %s the previous tree says %s, but the host's annotation %s%s says %s: sipgen uses the latter, and the services on that network change with it",
			w.Host, w.Network, addresses(w.Was), inventory.AddressAnnotationKey, w.Network, addresses(w.Is))
	case schedule.AddressWaits:
		return fmt.Sprintf("host %s: on network %s the previous tree says %s, but the host's annotation %s%s says %s: its cluster is frozen, so the former stays, in its services too",
			w.Host, w.Network, addresses(w.Was), inventory.AddressAnnotationKey, w.Network, addresses(w.Is))
	case schedule.AddressTaken:
		return fmt.Sprintf("host %s: on network %s its annotation %s%s says %s, but host %s has or had that address: %[1]s keeps %[7]s, as in the previous tree, and the services stay as they are; correct the annotation, or move host %[6]s away first",
			w.Host, w.Network, inventory.AddressAnnotationKey, w.Network, addresses(w.Is), w.Other, addresses(w.Was))
	case schedule.AddressOutside:
		return fmt.Sprintf("host %s: %s; the host keeps %s on network %s, and the services stay as they are: correct the annotation, or list the address in the Site's spec.hosts.networks",
			w.Host, w.Why, addresses(w.Kept), w.Network)
	case schedule.AddressUnconfirmed:
		use := Reason(w.Use)
		if _, named := w.Use.(schedule.InUse); !named {
			use = "in use (" + use + ")"
		}
		return fmt.Sprintf("host %s: on network %s its %s says %s, and sipgen uses that; but the host is %s, which may have replaced its network data, "+
			"and the previous tree has no address to compare with: check the address, and confirm it with the host's annotation %s%s: %s",
			w.Host, w.Network, inventory.FromNetworkData, addresses(w.Found), use, inventory.AddressAnnotationKey, w.Network, addresses(w.Found))
	case schedule.AddressProblem:
		return fmt.Sprintf("host %s: %s", w.Host, w.Problem)
	case schedule.ServicesWithout:
		return fmt.Sprintf("services on network %s leave out %s, because no address there is known; %s", w.Network, unaddressed(w.Hosts), sayAddress(w.Network))
	case schedule.NotReached:
		var names []string
		for _, host := range w.Hosts {
			names = append(names, fmt.Sprintf("%s (no address on %s: %s)", host.Host, host.Network, host.Problem))
		}
		return "matched but unavailable: " + list(names, mostHosts, "more")
	}
	return ""
}

func addresses(ips []netip.Addr) string {
	texts := make([]string, len(ips))
	for i, ip := range ips {
		texts[i] = ip.String()
	}
	return strings.Join(texts, ",")
}

func unaddressed(hosts []schedule.Unaddressed) string {
	var names []string
	for _, host := range hosts {
		names = append(names, host.Host.String()+known(host.Problem))
	}
	return list(names, mostHosts, "more")
}

// sayAddress says what helps hosts without an address on a network.
func sayAddress(network string) string {
	return "set the address in the host's annotation " + inventory.AddressAnnotationKey + network
}

// roleWarning is about the hosts of a role.
func roleWarning(w schedule.Warning) string {
	switch w := w.(type) {
	case schedule.StandbyShort:
		return fmt.Sprintf("standby: short %d of %d", w.Short, w.Want)
	case schedule.LeftOut:
		var names []string
		for _, host := range w.Hosts {
			names = append(names, host.String())
		}
		if more := w.Count - len(names); more > 0 {
			names = append(names, strconv.Itoa(more)+" more")
		}
		return fmt.Sprintf("left out: %s without label %s, because their failure domain is unknown (%s)", text.Count(w.Count, "free host"), strings.Join(w.Keys, " or "), strings.Join(names, ", "))
	case schedule.KeptUnlabelled:
		return fmt.Sprintf("host %s has no label %s any more: it stays, but its domain is unknown; label it", w.Host, w.Key)
	case schedule.NoneLabelled:
		return "no host that fits carries label " + strings.Join(w.Keys, " or ") + ": nothing keeps the role's hosts apart"
	case schedule.SomeUnlabelled:
		return fmt.Sprintf("%s without label %s could be chosen: the limits per domain do not apply to them", text.Count(w.Hosts, "host"), strings.Join(w.Keys, " or "))
	case schedule.Crowded:
		return fmt.Sprintf("%s=%s: %d of the role's hosts are there, and the limit is %d: they are kept", w.Key, w.Value, w.Hosts, w.Max)
	case schedule.Uneven:
		return fmt.Sprintf("spread: %s=%s has %s of the role and %s=%s has %d: the difference may be at most %d",
			w.Key, w.Fullest, text.Count(w.Most, "host"), w.Key, w.Emptiest, w.Least, w.Skew)
	}
	return ""
}

// releaseOfNothing is why a request of the Site releases nothing.
func releaseOfNothing(w schedule.ReleaseOfNothing) string {
	words := fmt.Sprintf("spec.hosts.release of the Site: host %s of cluster %s: ", strings.TrimPrefix(w.Host.String(), "/"), w.Cluster)
	switch {
	case !w.Found:
		return words + "the inventory has no such host"
	case w.Spec:
		return words + "the cluster has a SIPCluster, which decides about its hosts: remove this entry from spec.hosts.release"
	case w.Use != nil:
		return words + Reason(w.Use) + ": the request does not approve its release, which waits until it is free"
	case w.Labels == schedule.ClusterKey{}:
		return words + "the host no longer carries a cluster's labels: remove this entry from spec.hosts.release"
	}
	return words + "its labels say " + w.Labels.Quoted() + ", so the host is not released"
}
