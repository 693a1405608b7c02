// Package inventory has the bare-metal hosts of a site. Hosts come from files and snapshots (inventory/files) or from
// a live cluster (inventory/live). Every source gives the same hosts in the same order, sorted by namespace and name.
package inventory

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/manifest"
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
	// AddressProblems are why addresses could not be read. They matter only to a role or service that needs the
	// address.
	AddressProblems []AddressProblem `json:"addressProblems,omitempty"`
	// BMC refers to the baseboard management controller.
	BMC BMC `json:"bmc,omitzero"`
	// BootMAC is spec.bootMACAddress.
	BootMAC string `json:"bootMAC,omitempty"`
	// LintIgnore is the annotation sip.airshipit.org/lint-ignore: suppressed findings, with reasons.
	LintIgnore string `json:"lintIgnore,omitempty"`
	// UnreadAnnotations are the keys of annotations that look like sipgen's and have no effect: the first few,
	// sorted.
	UnreadAnnotations []string `json:"unreadAnnotations,omitempty"`
	State             State    `json:"state,omitzero"`
	// Hardware is the result of inspection, nil for a host that was not inspected.
	Hardware *Hardware `json:"hardware,omitempty"`
	// Faults keep the host from being assigned.
	Faults []Fault `json:"faults,omitempty"`
	// Managers are the owners, by metadata.managedFields, of the fields that sipgen and the GitOps engines touch. It
	// is nil if the source has no managedFields, and empty if no manager owns such a field.
	Managers []Manager `json:"managers,omitzero"`
	// Engine holds the annotations and labels by which GitOps engines and kubectl track the host.
	Engine map[string]string `json:"engine,omitempty"`
	// NoNamespace: the document has no namespace, and Namespace is Kubernetes' default.
	NoNamespace bool `json:"-"`
	// Source is the origin of the host: "file: document n: line n", or the cluster. It is for messages, and never
	// part of a result.
	Source manifest.Place `json:"-"`
	// Warnings are about how the host was read, for example an address taken from a provisioning-time lease.
	Warnings []string `json:"warnings,omitempty"`
}

// Key returns the host's "namespace/name".
func (h *Host) Key() string { return h.Namespace + "/" + h.Name }

// Address is one address of a host on a network.
type Address struct {
	// Network is the network's id in the host's network data.
	Network string     `json:"network"`
	IP      netip.Addr `json:"ip"`
	// Origin is the source of the address.
	Origin AddressOrigin `json:"origin"`
	// Outside are the networks of the host's own network data, if an annotation gives an address outside all of them.
	// It is empty if the address is in one of them, or if they are unknown: network data may have no netmask, and
	// that of a host in use may be its consumer's.
	Outside string `json:"outside,omitempty"`
}

// AddressOrigin is the source of an address.
type AddressOrigin string

// The origins, strongest first.
const (
	FromHostAnnotation AddressOrigin = "annotation"
	// FromPreviousTree: the host is held, and had the address when it was assigned.
	FromPreviousTree    AddressOrigin = "previous tree"
	FromNetworkData     AddressOrigin = "networkData"
	FromPreprovisioning AddressOrigin = "preprovisioningNetworkData"
	FromHardware        AddressOrigin = "hardware"
)

// AddressAnnotationKey plus a network's id is the annotation with the host's addresses on that network. Example:
// sip.airshipit.org/address.oam.
const AddressAnnotationKey = "sip.airshipit.org/address."

// The annotations by which operators take a host out of service. Their value is the reason. CordonAnnotation keeps a
// free host from being assigned, and a held one stays. RetireAnnotation marks the host as failed, whatever metal3 and
// Cluster API report.
const (
	CordonAnnotation = "sip.airshipit.org/cordon"
	RetireAnnotation = "sip.airshipit.org/retire"
)

// ReleaseOfAnnotation is the annotation with which the patch of a host in use shows that its release was approved.
const ReleaseOfAnnotation = "sip.airshipit.org/release-of"

// EngineLabel is the label by which Argo CD may track an object. EnginePrefixes returns the prefixes of the other
// labels and annotations that Flux and Argo CD write.
const EngineLabel = "app.kubernetes.io/instance"

func EnginePrefixes() []string {
	return []string{"kustomize.toolkit.fluxcd.io/", "argocd.argoproj.io/"}
}

// NoReason is the reason of an annotation without a value.
const NoReason = "no reason given"

// ReadAnnotations returns the annotations of a host that sipgen reads or that its patches set, sorted. One that ends
// in a dot is a prefix.
func ReadAnnotations() []string {
	return []string{AddressAnnotationKey, CordonAnnotation, "sip.airshipit.org/lint-ignore", ReleaseOfAnnotation,
		RetireAnnotation}
}

// AddressProblem is why a source has no usable address.
type AddressProblem struct {
	// Network is the network without an address, empty if the whole source is unusable.
	Network string `json:"network,omitempty"`
	// Origin is the source.
	Origin AddressOrigin `json:"origin"`
	// Text is the place and what was found. It never repeats the contents of a Secret.
	Text string `json:"text"`
}

// NoAddress returns why the host has no address on a network, "" if its sources do not mention the network.
func (h *Host) NoAddress(network string) string {
	var texts []string
	for _, problem := range h.AddressProblems {
		if problem.Network == network || problem.Network == "" {
			texts = append(texts, problem.Text)
		}
	}
	return strings.Join(texts, "; ")
}

// On returns the host's addresses on a network: at most one IPv4 and one IPv6, in this order.
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

// State is the state of a host, by metal3 and Cluster API.
type State struct {
	// Known is false for hosts from files without a status. Then only what spec and annotations show is set.
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
	// Unhealthy: annotation capm3.metal3.io/unhealthy, or capi.metal3.io/unhealthy of CAPM3 up to v1.12.
	Unhealthy bool `json:"unhealthy,omitempty"`
	// Cordoned and Retired are the reasons in the annotations sip.airshipit.org/cordon and sip.airshipit.org/retire,
	// empty without the annotation.
	Cordoned string `json:"cordoned,omitempty"`
	Retired  string `json:"retired,omitempty"`
	// NodeReuse is the label NodeReuseLabel: the machines for which Cluster API keeps the host.
	NodeReuse string `json:"nodeReuse,omitempty"`
	// Deleting: metadata.deletionTimestamp is set.
	Deleting bool `json:"deleting,omitempty"`
	// Online is spec.online.
	Online bool `json:"online,omitempty"`
	// PoweredOff: spec.online is true, and metal3 found the power off and could not switch it on.
	PoweredOff bool `json:"poweredOff,omitempty"`
	// ExternallyProvisioned is spec.externallyProvisioned.
	ExternallyProvisioned bool `json:"externallyProvisioned,omitempty"`
	// Uncleaned: spec.automatedCleaningMode is disabled. metal3 leaves the data on the disks when the host is given
	// back.
	Uncleaned bool `json:"uncleaned,omitempty"`
	// Image: spec.image or spec.customDeploy is set.
	Image bool `json:"image,omitempty"`
	// ImageName is the name of spec.image or spec.customDeploy: "image/" with host and path of the URL, without user,
	// port and query, or "customDeploy/" with the method. It distinguishes uses of a host without a consumer.
	ImageName string `json:"imageName,omitempty"`
}

// Provisioned reports whether a system is on the host, or is being written or removed.
func (s *State) Provisioned() bool {
	if s.Image || s.ExternallyProvisioned {
		return true
	}
	return slices.Contains(ProvisionedStates(), s.Provisioning)
}

// ProvisionedStates returns the values of status.provisioning.state in which a system is on a host, or is being
// written or removed.
func ProvisionedStates() []string {
	return []string{"provisioning", "provisioned", "externally provisioned", "deprovisioning"}
}

// ProvisioningStates returns the states that metal3 writes into status.provisioning.state, those that are deprecated
// too.
func ProvisioningStates() []string {
	return append([]string{"unmanaged", "registering", "match profile", "inspecting", "preparing", "ready", "available",
		"powering off before delete", "deleting"}, ProvisionedStates()...)
}

// Emptied reports whether the status shows a system on the host and its spec names neither an image nor a BMC. metal3
// wipes such a server as soon as the BMC's address is restored without an image. A deliberate deprovisioning removes
// the image and leaves the BMC.
func (h *Host) Emptied() bool {
	s := &h.State
	return slices.Contains([]string{"provisioning", "provisioned", "externally provisioned"}, s.Provisioning) &&
		h.BMC.Address == "" && !s.Image && !s.ExternallyProvisioned &&
		// whose spec could not be read
		!slices.ContainsFunc(h.Faults, func(f Fault) bool { return f.Kind == FaultObject })
}

// Forgotten reports whether the host is in use and has no status, which a backup or a move left out. metal3 takes such
// a server for a new one: it inspects the server again, and provisions it again if the spec has an image.
func (h *Host) Forgotten() bool {
	s := &h.State
	return !s.Known && s.InUse() && !s.ExternallyProvisioned && !h.Unsure()
}

// InError reports whether metal3 reports an error.
func (s *State) InError() bool {
	return s.Operational == "error" || s.ErrorMessage != "" || s.ErrorType != ""
}

// InUse reports whether the host has a consumer or is provisioned. The sync guard checks the same on the live object.
func (s *State) InUse() bool { return s.Consumer != nil || s.Provisioned() }

// NodeReuseLabel is the label by which Cluster API's provider for metal3 keeps a host for the next machine of one
// control plane or MachineDeployment. Only such a machine removes it.
const NodeReuseLabel = "infrastructure.cluster.x-k8s.io/node-reuse"

// ClusterKind is the kind of the consumer of a host that Cluster API's node reuse keeps for a cluster's next machine.
const ClusterKind = "Cluster"

// MachineKind is the kind of the consumer of a host that a machine of Cluster API's provider for metal3 uses.
const MachineKind = "Metal3Machine"

// ClusterAPILabel is the label with the name of the Cluster API cluster that uses a host. Cluster API's provider for
// metal3 sets it together with the consumer, and the cluster is in the consumer's namespace.
const ClusterAPILabel = "cluster.x-k8s.io/cluster-name"

// Consumer is the user of a host: for Cluster API, a Metal3Machine.
type Consumer struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name,omitempty"`
}

// String returns "Kind namespace/name", "" for no consumer.
func (c *Consumer) String() string {
	if c == nil {
		return ""
	}
	return strings.TrimSpace(c.Kind + " " + c.Namespace + "/" + c.Name)
}

// Manager is one entry of managedFields, reduced to the fields that matter.
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
	// Metadata are finalizers and ownerReferences, if the manager owns them or some of them.
	Metadata []string `json:"metadata,omitempty"`
}
