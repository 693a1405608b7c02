package sentence

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// Warnings returns the sorted sentences of warnings. The same warning about many hosts becomes one sentence.
func Warnings(warnings []schedule.Warning) []string {
	var out []string
	for _, s := range say(warnings) {
		out = append(out, s.line())
	}
	return out
}

// said is a warning as a sentence, with its code, its host, and the part to print after an equal one.
type said struct {
	code, words string
	host        schedule.HostKey
	likewise    string
	// field is the one that the words name, "" for none.
	field string
}

// about returns a warning that is about no host.
func about(code, words string) said { return said{code: code, words: words} }

// aboutHost returns a warning about a host. Its sentence does not name the host.
func aboutHost(code string, host schedule.HostKey, words string) said {
	return said{code: code, words: words, host: host, likewise: host.String()}
}

// line returns the sentence with the host that it is about.
func (s *said) line() string {
	if s.host == (schedule.HostKey{}) {
		return s.words
	}
	return "host " + s.host.String() + ": " + s.words
}

// mostAlike is how many hosts with the same warning have a sentence each.
const mostAlike = 4

// say returns sorted sentences, one for the same warning about many hosts.
func say(warnings []schedule.Warning) []said {
	type kind struct {
		why     schedule.Reason
		unfit   bool
		network string
	}
	var out []said
	alike := map[kind][]said{}
	for _, w := range warnings {
		s := warning(w)
		s.words = text.Line(s.words)
		switch w := w.(type) {
		case schedule.NotHandedOut:
			alike[kind{why: w.Why}] = append(alike[kind{why: w.Why}], s)
		case schedule.Unfit:
			alike[kind{unfit: true, why: w.Why}] = append(alike[kind{unfit: true, why: w.Why}], s)
		case schedule.AddressUnconfirmed: // where a tree is lost, that is all hosts
			s.likewise += " (" + addresses(w.Found) + ")"
			alike[kind{network: w.Network}] = append(alike[kind{network: w.Network}], s)
		default:
			out = append(out, s)
		}
	}
	for _, same := range alike {
		slices.SortFunc(same, func(a, b said) int { return strings.Compare(a.host.String(), b.host.String()) })
		if len(same) > mostAlike {
			var others []string
			for _, other := range same[1:] {
				others = append(others, other.likewise)
			}
			same[0].words += fmt.Sprintf("; the same of %s: %s", text.Count(len(others), "more host"), list(others, 10))
			same = same[:1]
		}
		out = append(out, same...)
	}
	slices.SortFunc(out, func(a, b said) int { return strings.Compare(a.line(), b.line()) })
	return out
}

// Warning returns the sentence of a warning.
func Warning(w schedule.Warning) string {
	s := warning(w)
	return s.line()
}

// warning returns a warning as a sentence. Each kind is one case of the functions below, with its code.
func warning(w schedule.Warning) said {
	for _, say := range []func(schedule.Warning) said{claimWarning, requestWarning, addressWarning, roleWarning} {
		if s := say(w); s.words != "" {
			return s
		}
	}
	return said{}
}

// claimWarning is for warnings about owners of hosts.
func claimWarning(w schedule.Warning) said {
	switch w := w.(type) {
	case schedule.NotHandedOut:
		return aboutHost(faultCode(w.Why), w.Host,
			Reason(w.Why)+": it is not handed out until that is fixed; a cluster that holds it keeps it")
	case schedule.LeftAlone:
		return about(finding.Ownerless, fmt.Sprintf("%s left alone: labeled for %s, which is in neither the specs nor the "+
			"tree: %s; if no other site or tool has it, spec.hosts.release of the Site releases it",
			text.Count(len(w.Hosts), "host"), w.Cluster.Quoted(), someHosts(w.Hosts)))
	case schedule.LabelsDiffer:
		return aboutHost(finding.Mislabelled, w.Host, labelsDiffer(&w))
	case schedule.NotInInventory:
		lacks := "it is not in the inventory"
		if w.Outside {
			lacks = "its namespace is not in spec.hosts.namespaces of the Site"
		}
		gives, ends := "gives it to", "its slot counts as empty"
		switch {
		case w.Pending:
			ends = "its release, which was pending, ends"
		case w.Releasing && w.Outside:
			gives, ends = "releases it from", "the release ends, and the labels that it still has stay"
		case w.Releasing:
			gives, ends = "releases it from", "the release ends"
		}
		return aboutHost(finding.Missing, w.Host,
			fmt.Sprintf("%s %s %s, but %s: %s", w.Source, gives, w.Role, lacks, ends))
	case schedule.AnotherUID:
		return aboutHost(finding.Recreated, w.Host, anotherUID(&w))
	case schedule.WithoutStatus:
		return about(finding.Statusless, text.Count(w.Hosts, "host")+" without status: assumed to be available")
	case schedule.OfCluster:
		return about("", "cluster "+w.Cluster.String()+": "+Warning(w.Warning))
	}
	return said{}
}

// anotherUID is about a host that was created anew, or restored.
func anotherUID(w *schedule.AnotherUID) string {
	words := fmt.Sprintf("%s has it with uid %s, but its uid is now %s: ", w.Source, w.Was, w.Is)
	switch {
	case w.Restored:
		return words + "it carries sipgen's labels, so it was restored or moved, and keeps its slot and its addresses"
	case w.TakenBack:
		return words + "the host was recreated, and nothing uses it: its role takes it back"
	}
	return words + "the host was recreated, so it leaves the cluster: no other cluster gets it before a later run " +
		"finds it unused and without labels"
}

// labelsDiffer is about labels that are not those of the tree, and which of the two counts.
func labelsDiffer(w *schedule.LabelsDiffer) string {
	words := fmt.Sprintf("its labels name %s, but %s names %s: ",
		strings.TrimSpace(w.Labels.Cluster.Quoted()+" "+w.Labels.Role), w.Source, w.Tree)
	switch {
	case w.Unpatchable:
		return words + "the tree counts, because sipgen may not patch this host"
	case w.Unsure:
		return words + "the tree counts, because the use of the host is unknown"
	case w.Approved:
		return words + "the release is approved, so the tree counts, and the next sync removes the labels"
	}
	return words + "the host is not in use, so the tree counts, and the next sync corrects the labels"
}

// someHosts returns the first ten, and how many more there are.
func someHosts(hosts []schedule.HostKey) string {
	return text.Some(hostNames(hosts), 10)
}

// requestWarning is about hosts that annotations of a cluster, or the Site, name.
func requestWarning(w schedule.Warning) said {
	switch w := w.(type) {
	case schedule.NamesNothing:
		return said{code: finding.NoEffect, words: namesNothing(&w), field: annotation(w.Annotation)}
	case schedule.NotApproved:
		return said{code: finding.NoEffect, words: notApproved(&w), field: annotation(w.Annotation)}
	case schedule.ReleaseOfNothing:
		return said{code: finding.NoEffect, words: releaseOfNothing(w), field: "spec.hosts.release"}
	}
	return said{}
}

func annotation(key string) string { return "metadata.annotations[" + key + "]" }

// notApproved is about an approval that has no effect.
func notApproved(w *schedule.NotApproved) string {
	switch {
	case w.Wanted:
		return fmt.Sprintf("annotation %s approves the release of %s that the role still needs: no effect until "+
			"its count "+
			"is lower: %s", w.Annotation, text.Count(len(w.Hosts), "host"), someHosts(w.Hosts))
	case w.Older:
		return fmt.Sprintf("annotation %s names %s for another use than the present one, or from before the cluster had the "+
			"host: no effect; to approve this use, remove the name, publish, and add the name again: %s", w.Annotation,
			text.Count(len(w.Hosts), "host"), someHosts(w.Hosts))
	case w.Consumer != "":
		return fmt.Sprintf("annotation %s names host %s, which %s keeps for its next machine: such a release cannot be "+
			"approved; if no machine is to come, remove the host's consumer (sipgen help runbook free-a-host)", w.Annotation,
			w.Hosts[0], w.Consumer)
	}
	return fmt.Sprintf("annotation %s approves the release of host %s, whose uid is not known: it waits until sipgen "+
		"reads the host from the cluster or a new snapshot", w.Annotation, w.Hosts[0])
}

// namesNothing is about a name in an annotation that has no effect.
func namesNothing(w *schedule.NamesNothing) string {
	switch {
	case w.More > 0:
		return fmt.Sprintf("annotation %s: %s no effect", w.Annotation,
			text.Plural(w.More, "more name has", "more names have"))
	case len(w.Hosts) == 0 && strings.ContainsAny(w.Name, " \t\n;"):
		return redact.Sprintf("annotation %s: found %q, want names of hosts with commas between them: it has no effect",
			w.Annotation, w.Name)
	case len(w.Hosts) == 0:
		return redact.Sprintf("annotation %s names host %q, which is not in the inventory: this entry has no effect; "+
			"remove it from the annotation", w.Annotation, w.Name)
	case len(w.Hosts) > 1:
		return fmt.Sprintf("annotation %s names host %q, but the cluster holds two hosts of that name, %s and %s: this "+
			"entry has no effect; write namespace/name", w.Annotation, w.Name, w.Hosts[0], w.Hosts[1])
	case w.Holder != schedule.RoleKey{}:
		return fmt.Sprintf("annotation %s names host %s, which %s holds: this entry has no effect; remove it from the "+
			"annotation", w.Annotation, w.Hosts[0], w.Holder)
	}
	return fmt.Sprintf("annotation %s names host %s, which the cluster does not hold: the cluster cannot get this "+
		"host while the annotation names it", w.Annotation, w.Hosts[0])
}

// addressWarning is about where hosts are reached.
func addressWarning(w schedule.Warning) said {
	switch w := w.(type) {
	case schedule.AddressDiffers:
		return aboutHost(finding.Readdressed, w.Host, addressDiffers(&w))
	case schedule.AddressProblem:
		words := w.Problem
		if len(w.Kept) > 0 {
			words += fmt.Sprintf("; the host keeps %s on network %s, and the services stay as they are: correct the "+
				"annotation, or list the address in the Site's spec.hosts.networks", addresses(w.Kept), w.Network)
		}
		return aboutHost(finding.NoAddress, w.Host, words)
	case schedule.AddressUnconfirmed:
		return aboutHost(finding.Readdressed, w.Host, addressUnconfirmed(&w))
	case schedule.Unreached:
		return about(finding.NoAddress, unreached(&w))
	}
	return said{}
}

// addressUnconfirmed is for a held host whose address only its network data has.
func addressUnconfirmed(w *schedule.AddressUnconfirmed) string {
	use := Reason(w.Use)
	if by, _ := w.Use.(schedule.Condition); by.Code != holdings.InUse {
		use = "in use (" + use + ")"
	}
	return fmt.Sprintf("on network %s its %s has %s, and sipgen uses that; but the host is %s, which may have "+
		"replaced its network data, and the previous tree has no address to compare with: check the address, and "+
		"confirm it with the host's annotation %s%s: %s", w.Network, inventory.FromNetworkData, addresses(w.Found), use,
		inventory.AddressAnnotationKey, w.Network, addresses(w.Found))
}

// unreached is for hosts without an address that services, or a role, need.
func unreached(w *schedule.Unreached) string {
	if w.Network != "" {
		return fmt.Sprintf("services on network %s leave out %s, because no address there is known; %s", w.Network,
			unaddressed(w.Hosts), sayAddress(w.Network))
	}
	var names []string
	for _, host := range w.Hosts {
		names = append(names, fmt.Sprintf("%s (no address on %s: %s)", host.Host, host.Network, host.Problem))
	}
	return "matched but unavailable: " + list(names, mostHosts)
}

// addressDiffers is for a held host with another address than in the tree.
func addressDiffers(w *schedule.AddressDiffers) string {
	annotation := inventory.AddressAnnotationKey + w.Network
	source := string(w.Origin)
	if w.Origin == inventory.FromHostAnnotation {
		source = "annotation " + annotation
	}
	words := fmt.Sprintf("on network %s the previous tree has %s, but the host's %s has %s: ", w.Network,
		addresses(w.Was), source, addresses(w.Is))
	switch {
	case w.Moves:
		return words + "sipgen uses the host's address, and the services on that network change with it"
	case w.Frozen:
		return words + "its cluster is frozen, so the tree's address stays, in its services too"
	case w.Other != schedule.HostKey{}:
		return words + fmt.Sprintf("host %s has or had that address, so the tree's address stays, in the services "+
			"too; correct "+
			"the annotation, or move host %[1]s away first", w.Other)
	}
	return words + fmt.Sprintf("the tree's address stays; if the host's address is right, confirm it with the host's "+
		"annotation %s: %s", annotation, addresses(w.Is))
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
	return list(names, mostHosts)
}

// sayAddress returns the remedy for hosts without an address on a network.
func sayAddress(network string) string {
	return "set the address in the host's annotation " + inventory.AddressAnnotationKey + network
}

// roleWarning is about the hosts of a role.
func roleWarning(w schedule.Warning) said {
	switch w := w.(type) {
	case schedule.Unlabelled:
		return about(finding.NoDomain, unlabelled(&w))
	case schedule.Unfit:
		return aboutHost(finding.Unfit, w.Host, Reason(w.Why)+": it has an active slot, and no machine can take it")
	case schedule.Crowded:
		return about(finding.Uneven, fmt.Sprintf("%s=%s: %d of the role's hosts are there, and the limit is %d: they "+
			"are kept", w.Key, w.Value, w.Hosts, w.Max))
	case schedule.Unpacked:
		return about(finding.Uneven, fmt.Sprintf("its hosts are to lie in one %s, and lie in %s: they are kept", w.Key,
			list(w.Domains, mostRoles)))
	case schedule.Crossing:
		words := crossing(&w.Label)
		if w.More > 0 {
			words += fmt.Sprintf("; %s %s so, too", text.Count(w.More, "more host"), Verb(w.More, "differs", "differ"))
		}
		return aboutHost(finding.Crosses, w.Host, words)
	case schedule.TooMuchReserved:
		return about(finding.TooMuchReserved, fmt.Sprintf("reservation %s (count %d): want %s, but only %d available: "+
			"add hosts that it selects, or lower its count in spec.hosts.reserved", w.Name, w.Count,
			text.Count(w.Lack, "free host"), w.Could))
	case schedule.Uneven:
		return about(finding.Uneven, fmt.Sprintf("spread: %s=%s has %s of the role and %s=%s has %d: the difference may "+
			"be at most %d", w.Key, w.Fullest, text.Count(w.Most, "host"), w.Key, w.Emptiest, w.Least, w.Skew))
	}
	return said{}
}

// unlabelled is about hosts that lack a topology key of a role.
func unlabelled(w *schedule.Unlabelled) string {
	keys := strings.Join(w.Keys, " or ")
	switch {
	case w.None:
		return "no host that fits carries label " + keys + ": nothing keeps the role's hosts apart"
	case w.Allowed:
		return fmt.Sprintf("%s without label %s could be chosen: the limits per domain do not apply to them",
			text.Count(w.Count, "host"), keys)
	case w.Held:
		return fmt.Sprintf("host %s has no label %s: it stays, but its domain is unknown; label it", w.Hosts[0], keys)
	}
	names := hostNames(w.Hosts)
	if more := w.Count - len(names); more > 0 {
		names = append(names, strconv.Itoa(more)+" more")
	}
	return fmt.Sprintf("left out: %s without label %s, because their failure domain is unknown (%s)",
		text.Count(w.Count, "free host"), keys, strings.Join(names, ", "))
}

// releaseOfNothing explains why a request of the Site releases nothing.
func releaseOfNothing(w schedule.ReleaseOfNothing) string {
	words := fmt.Sprintf("spec.hosts.release of the Site: host %s of cluster %s: ",
		strings.TrimPrefix(w.Host.String(), "/"), w.Cluster)
	switch {
	case !w.Found:
		return words + "the inventory has no such host"
	case w.Spec:
		return words + "the cluster has a SIPCluster, which decides about its hosts: remove this entry from " +
			"spec.hosts.release"
	case w.Use != nil:
		return words + Reason(w.Use) + ": the request does not approve its release, which waits until it is free"
	case w.Labels == schedule.ClusterKey{}:
		return words + "the host carries no cluster's labels: remove this entry from spec.hosts.release"
	}
	return words + "its labels name " + w.Labels.Quoted() + ", so the host is not released"
}
