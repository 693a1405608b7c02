// Package inventory is the bare-metal hosts of a site: what a Host is. Hosts come from files and snapshots
// (inventory/files) or from a live cluster (inventory/live). Every source gives the same hosts in the same order, sorted by
// namespace and name.
package inventory

import (
	"net/netip"
	"slices"
	"strings"
)

// Host is a metal3 BareMetalHost as far as placement and rendering need it. It carries no secret.
type Host struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// UID is empty for hosts from files that were never in a cluster.
	UID string `json:"uid,omitempty"`
	// Labels are all labels of the host.
	Labels map[string]string `json:"labels,omitempty"`
	// Addresses are the host's addresses by network id, in the order of its network data.
	Addresses []Address `json:"addresses,omitempty"`
	// AddressProblems say why addresses could not be read. They are the host's own: only who needs an address that is
	// missing is concerned.
	AddressProblems []AddressProblem `json:"addressProblems,omitempty"`
	// BMC says where power control is, by reference.
	BMC BMC `json:"bmc,omitzero"`
	// BootMAC is spec.bootMACAddress.
	BootMAC string `json:"bootMAC,omitempty"`
	// LintIgnore is the annotation sip.airshipit.org/lint-ignore: findings that are accepted, with reasons.
	LintIgnore string `json:"lintIgnore,omitempty"`
	// UnreadAnnotations are the keys of annotations that were meant for sipgen and are none that it reads: the first few, sorted.
	UnreadAnnotations []string `json:"unreadAnnotations,omitempty"`
	State             State    `json:"state,omitzero"`
	// Hardware is what inspection found, nil for a host that was not inspected.
	Hardware *Hardware `json:"hardware,omitempty"`
	// Faults keep the host from being handed out.
	Faults []Fault `json:"faults,omitempty"`
	// Managers is what metadata.managedFields says of the fields that sipgen and the GitOps
	// engines touch. Nil where the source has no managedFields; empty where nobody owns anything.
	Managers []Manager `json:"managers,omitzero"`
	// Engine holds the annotations and labels by which GitOps engines and kubectl track the host.
	Engine map[string]string `json:"engine,omitempty"`
	// NoNamespace: the document has no namespace, and Namespace is Kubernetes' default.
	NoNamespace bool `json:"-"`
	// Source is where the host was read: "file: document n: line n", or the cluster. It is for
	// messages, and never part of a result.
	Source string `json:"-"`
	// Warnings are what a reader should know about how the host was read, for example an address
	// taken from a provisioning-time lease.
	Warnings []string `json:"warnings,omitempty"`
}

// Key is the host's "namespace/name".
func (h *Host) Key() string { return h.Namespace + "/" + h.Name }

// Address is one address of a host on a network.
type Address struct {
	// Network is the network's id in the host's network data.
	Network string     `json:"network"`
	IP      netip.Addr `json:"ip"`
	// Origin says which of the sources the address came from.
	Origin AddressOrigin `json:"origin"`
	// Outside are the networks in which the host's own network data has it, where an annotation says an address that lies in none of them. Empty where
	// it lies in one, and where nothing is known of that: network data may have no netmask, and that of a host in use may be its user's.
	Outside string `json:"outside,omitempty"`
}

// AddressOrigin is where an address was found.
type AddressOrigin string

// The origins, strongest first.
const (
	FromHostAnnotation AddressOrigin = "annotation"
	// FromPreviousTree: the host is held, and had the address when it was handed out.
	FromPreviousTree    AddressOrigin = "previous tree"
	FromNetworkData     AddressOrigin = "networkData"
	FromPreprovisioning AddressOrigin = "preprovisioningNetworkData"
	FromHardware        AddressOrigin = "hardware"
)

// AddressAnnotationKey, followed by a network's id, is the annotation that gives a host's addresses on the network.
const AddressAnnotationKey = "sip.airshipit.org/address."

// The annotations by which operators take a host out of service. Their value is the reason. CordonAnnotation keeps a host from being handed out,
// and its cluster keeps a held one; RetireAnnotation says that the host has failed, whatever metal3 and Cluster API say of it.
const (
	CordonAnnotation = "sip.airshipit.org/cordon"
	RetireAnnotation = "sip.airshipit.org/retire"
)

// NoReason is the reason of an annotation without value.
const NoReason = "no reason given"

// ReadAnnotations are the annotations of a host that sipgen reads or that its patches set, sorted. One that ends in a dot goes on behind it.
func ReadAnnotations() []string {
	return []string{AddressAnnotationKey, CordonAnnotation, "sip.airshipit.org/lint-ignore", "sip.airshipit.org/release-of", RetireAnnotation}
}

// AddressProblem is why a source gives no address.
type AddressProblem struct {
	// Network is the one without address for it; empty where the whole source is of no use.
	Network string `json:"network,omitempty"`
	// Origin is the source.
	Origin AddressOrigin `json:"origin"`
	// Text says where and what was found, and never repeats what stands in a Secret.
	Text string `json:"text"`
}

// NoAddress says why the host has no address on a network, as far as its sources tell; empty where they say nothing of it.
func (h *Host) NoAddress(network string) string {
	var texts []string
	for _, problem := range h.AddressProblems {
		if problem.Network == network || problem.Network == "" {
			texts = append(texts, problem.Text)
		}
	}
	return strings.Join(texts, "; ")
}

// On gives the host's addresses on a network: at most one IPv4 and one IPv6, in this order.
func (h *Host) On(network string) []netip.Addr {
	var v4, v6 netip.Addr
	for _, a := range h.Addresses {
		switch {
		case a.Network != network:
		case a.IP.Is4() && !v4.IsValid():
			v4 = a.IP
		case !a.IP.Is4() && !v6.IsValid():
			v6 = a.IP
		}
	}
	var out []netip.Addr
	for _, a := range []netip.Addr{v4, v6} {
		if a.IsValid() {
			out = append(out, a)
		}
	}
	return out
}

// BMC is a reference to a host's baseboard management controller.
type BMC struct {
	// Address is spec.bmc.address, without user info.
	Address string `json:"address,omitempty"`
	// CredentialsName is the name of the Secret; the Secret itself is never read.
	CredentialsName string `json:"credentialsName,omitempty"`
	// InsecureTLS is spec.bmc.disableCertificateVerification.
	InsecureTLS bool `json:"insecureTLS,omitempty"`
}

// State is what metal3 and Cluster API say of a host.
type State struct {
	// Known is false for hosts from files without a status: nothing below is then known but
	// what the spec and the annotations say.
	Known bool `json:"known,omitempty"`
	// Provisioning is status.provisioning.state.
	Provisioning string `json:"provisioning,omitempty"`
	// Operational is status.operationalStatus.
	Operational string `json:"operational,omitempty"`
	// ErrorType and ErrorMessage are status.errorType and status.errorMessage.
	ErrorType    string `json:"errorType,omitempty"`
	ErrorMessage string `json:"errorMessage,omitempty"`
	// Consumer is spec.consumerRef.
	Consumer *Consumer `json:"consumer,omitempty"`
	// Paused: annotation baremetalhost.metal3.io/paused.
	Paused bool `json:"paused,omitempty"`
	// Detached: annotation baremetalhost.metal3.io/detached.
	Detached bool `json:"detached,omitempty"`
	// Unhealthy: annotation capm3.metal3.io/unhealthy.
	Unhealthy bool `json:"unhealthy,omitempty"`
	// Cordoned and Retired are the reasons in the annotations sip.airshipit.org/cordon and sip.airshipit.org/retire; empty without the annotation.
	Cordoned string `json:"cordoned,omitempty"`
	Retired  string `json:"retired,omitempty"`
	// NodeReuse: label infrastructure.cluster.x-k8s.io/node-reuse, kept for one consumer.
	NodeReuse string `json:"nodeReuse,omitempty"`
	// Deleting: metadata.deletionTimestamp is set.
	Deleting bool `json:"deleting,omitempty"`
	// Online is spec.online.
	Online bool `json:"online,omitempty"`
	// ExternallyProvisioned is spec.externallyProvisioned.
	ExternallyProvisioned bool `json:"externallyProvisioned,omitempty"`
	// Image: spec.image or spec.customDeploy is set.
	Image bool `json:"image,omitempty"`
	// ImageName is what spec.image or spec.customDeploy names: "image/" with host and path of the URL, without user, port and query, or
	// "customDeploy/" with the method. It tells one use of a host from another where there is no consumer.
	ImageName string `json:"imageName,omitempty"`
}

// Provisioned: a system is on the host, goes on to it or comes off it.
func (s *State) Provisioned() bool {
	//guard: a host that is externally provisioned is released
	if s.Image || s.ExternallyProvisioned {
		return true
	}
	return slices.Contains(ProvisionedStates(), s.Provisioning)
}

// ProvisionedStates are the values of status.provisioning.state in which a system is on a host, goes on to it or comes off it.
func ProvisionedStates() []string {
	//guard: a host is released while a system is written to it
	return []string{"provisioning", "provisioned", "externally provisioned", "deprovisioning"}
}

// Emptied: a system is on the host by its status, and its spec names neither that nor a BMC any more. metal3 wipes such a server as soon as somebody puts the
// BMC's address back, and no image. What deprovisions a host on purpose takes the image and leaves the BMC.
func (h *Host) Emptied() bool {
	s := &h.State
	return slices.Contains([]string{"provisioning", "provisioned", "externally provisioned"}, s.Provisioning) &&
		//guard: every host that is deprovisioned on purpose is said to have lost its spec, and nobody believes the warning any more
		h.BMC.Address == "" && !s.Image && !s.ExternallyProvisioned &&
		!slices.ContainsFunc(h.Faults, func(f Fault) bool { return f.Kind == FaultObject }) // whose spec nobody could read
}

// InError: metal3 reports an error.
func (s *State) InError() bool {
	return s.Operational == "error" || s.ErrorMessage != "" || s.ErrorType != ""
}

// InUse: somebody consumes the host, or it is provisioned. The sync guard asks the same of the live object.
func (s *State) InUse() bool { return s.Consumer != nil || s.Provisioned() }

// ClusterKind is the kind of the consumer that a host has while it is kept for a cluster's next machine, by Cluster API's node reuse.
const ClusterKind = "Cluster"

// Consumer is what uses a host: for Cluster API, a Metal3Machine.
type Consumer struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name,omitempty"`
}

// String is "Kind namespace/name", and empty for no consumer.
func (c *Consumer) String() string {
	if c == nil {
		return ""
	}
	return strings.TrimSpace(c.Kind + " " + c.Namespace + "/" + c.Name)
}

// Manager is one entry of managedFields, cut down to the fields that matter.
type Manager struct {
	Name string `json:"name"`
	// Operation is Apply or Update.
	Operation   string `json:"operation"`
	Subresource string `json:"subresource,omitempty"`
	// OwnsSpec: the manager owns spec or something in it.
	OwnsSpec bool `json:"ownsSpec,omitempty"`
	// Labels are the label keys the manager owns, sorted.
	Labels []string `json:"labels,omitempty"`
	// Annotations are the annotation keys the manager owns, sorted.
	Annotations []string `json:"annotations,omitempty"`
}
