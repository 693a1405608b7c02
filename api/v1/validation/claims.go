package validation

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/redact"
)

// Resource is something on the management cluster that one cluster has.
type Resource struct {
	Kind ResourceKind
	Name string
}

// ResourceKind says what the name of a resource is.
type ResourceKind int

// The kinds of resources. Addresses are as CanonicalIP writes them.
const (
	NodePort    ResourceKind = iota // a number
	ClusterIP                       // an address
	PodIP                           // "namespace/name address" of a NetworkAttachmentDefinition
	Balancer                        // an address, which Services may share
	DexState                        // a namespace, in which a Dex keeps its signing keys
	SyncObjects                     // a SyncName
)

// Claim is a claim of a resource. The other fields are those of a load balancer's address.
type Claim struct {
	Resource
	SharingKey, Provider string
	Ports                v1.PortRange
}

// Held is what a cluster has in the tree.
type Held map[Resource][]Claim

// Add adds a claim, once.
func (h Held) Add(c Claim) {
	if !slices.Contains(h[c.Resource], c) {
		h[c.Resource] = append(h[c.Resource], c)
	}
}

// AddSynced adds the objects that sync a cluster.
func (h Held) AddSynced(namespace, name string) {
	for _, part := range v1.SyncParts {
		h.Add(Claim{Resource: Resource{SyncObjects, v1.SyncName(namespace, name, part)}})
	}
}

// CanonicalIP returns the text of an address as netip writes it, and IPv4 in IPv6 as IPv4.
func CanonicalIP(ip string) string {
	if parsed, err := netip.ParseAddr(ip); err == nil {
		return parsed.Unmap().String()
	}
	return ip
}

// ValidateClusters reports what several clusters claim on one management cluster: node ports, cluster IPs, load
// balancer addresses and fixed pod addresses; and node ports outside portStart to portEnd. Errors are in the order
// of clusters and fields. The second claim is the error, and names the first.
func ValidateClusters(clusters []v1.SIPCluster, portStart, portEnd int32) []ClusterError {
	return ValidateHeld(clusters, nil, portStart, portEnd)
}

// ValidateHeld is ValidateClusters for a site where clusters hold some of what they claim, by "namespace/name" in
// held. The newcomer is the error, in any order of clusters. Clusters of held that are not among clusters keep what
// they hold.
func ValidateHeld(clusters []v1.SIPCluster, held map[string]Held, portStart, portEnd int32) []ClusterError {
	s := siteClaims{held: held, claims: map[Resource][]claimant{}, said: map[[2]string]bool{}}
	asked := map[string][]claimant{}
	for i := range clusters {
		asked[clusters[i].Key()] = claimsOf(&clusters[i])
	}
	s.addHeld(asked)
	for i := range clusters {
		c := &clusters[i]
		for _, e := range c.Entries() {
			p := e.NodePorts
			if isPort(p.Start) && isPort(p.End) && (p.Start < portStart || p.End > portEnd) { // else validation complains
				s.say(c, e.NodePortField, PortOutside, redact.Sprintf("found %s, want one within %d to %d, the site's range",
					p.Described(), portStart, portEnd))
			}
		}
		for _, claim := range asked[c.Key()] {
			s.claim(claim)
		}
	}
	return s.errs
}

// claimant is a claim of a cluster.
type claimant struct {
	Claim
	cluster *v1.SIPCluster
	// path is the entry that claims it, field the one that is complained about if the resource is another's.
	path, field string
}

func (c claimant) String() string { return c.cluster.Key() + " " + c.path }

// claimsOf returns the claims of a spec, in the order of its fields.
func claimsOf(c *v1.SIPCluster) []claimant {
	var out []claimant
	add := func(kind ResourceKind, name, path, field string) *claimant {
		out = append(out, claimant{Claim{Resource: Resource{kind, name}}, c, path, field})
		return &out[len(out)-1]
	}
	for _, part := range v1.SyncParts {
		add(SyncObjects, v1.SyncName(c.Namespace, c.Name, part), "metadata.name", "metadata.name")
	}
	if path := "spec.services." + v1.ListDex + "[0]"; len(c.Spec.Services.Dex) > 0 {
		add(DexState, c.Namespace, path, path)
	}
	for _, e := range c.Entries() {
		// Without a number the API server chooses; validation complains about too many.
		if e.NodePorts.Start != 0 && e.NodePorts.Len() <= MaxServicePorts {
			for port := e.NodePorts.Start; port <= e.NodePorts.End; port++ {
				add(NodePort, strconv.Itoa(int(port)), e.Path, e.NodePortField)
			}
		}
		if e.Type == corev1.ServiceTypeLoadBalancer {
			exposure := e.Service.Service
			for _, ip := range exposure.Addresses() {
				claim := add(Balancer, CanonicalIP(ip), e.Path, e.Path+".service.loadBalancerIP")
				claim.SharingKey, claim.Provider, claim.Ports = exposure.SharingKey, exposure.AddressProvider(), e.Ports
			}
		}
		if ip := e.Service.ClusterIP; ip != nil && *ip != "" && *ip != corev1.ClusterIPNone {
			add(ClusterIP, CanonicalIP(*ip), e.Path, e.Path+".clusterIP")
		}
		for i, n := range e.Service.NetworkAttachments {
			for j, ip := range n.IPs {
				if prefix, err := netip.ParsePrefix(ip); err == nil { // else validation complains
					add(PodIP, PodAddress(c.Namespace, n.Namespace, n.Name, prefix.Addr()), e.Path,
						fmt.Sprintf("%s.networkAttachments[%d].ips[%d]", e.Path, i, j))
				}
			}
		}
	}
	return out
}

// PodAddress returns the name of a pod's address: of a pod in a namespace, on an attachment in its own or another one.
func PodAddress(namespace, ofAttachment, attachment string, ip netip.Addr) string {
	if ofAttachment != "" {
		namespace = ofAttachment
	}
	return namespace + "/" + attachment + " " + ip.String()
}

type siteClaims struct {
	held   map[string]Held
	claims map[Resource][]claimant
	// said has who was told of a claim of whom.
	said map[[2]string]bool
	errs []ClusterError
}

// addHeld enters the resources of clusters that are not among those given, whose services stay as they are, and the
// resources that the given clusters no longer ask for: they stay theirs until their services are applied without them.
func (s *siteClaims) addHeld(asked map[string][]claimant) {
	for _, key := range slices.Sorted(maps.Keys(s.held)) {
		cluster, asks := &v1.SIPCluster{}, map[Resource]bool{}
		cluster.Namespace, cluster.Name, _ = strings.Cut(key, "/")
		for _, claim := range asked[key] {
			cluster, asks[claim.Resource] = claim.cluster, true
		}
		for resource, claims := range s.held[key] {
			if asks[resource] || resource.Kind != Balancer && len(s.claims[resource]) > 0 {
				continue
			}
			for _, claim := range claims {
				s.claims[resource] = append(s.claims[resource], claimant{claim, cluster, "in the tree", ""})
			}
		}
	}
}

// claim enters a claim. Of two that clash, the one that is held stays, else the first.
func (s *siteClaims) claim(c claimant) {
	has := func(c claimant) bool { return len(s.held[c.cluster.Key()][c.Resource]) > 0 }
	var others []claimant
	lost := false
	for _, other := range s.claims[c.Resource] {
		switch _, clash := c.clash(other); {
		case clash == "" || lost:
		case has(c) && !has(other):
			s.tell(other, c)
			continue
		default:
			s.tell(c, other)
			lost = true
		}
		others = append(others, other)
	}
	if !lost {
		others = append(others, c)
	}
	s.claims[c.Resource] = others
}

// tell complains about a claim of a resource that another one has, once for each field and each other entry.
func (s *siteClaims) tell(loser, winner claimant) {
	pair := [2]string{loser.cluster.Key() + " " + loser.field, winner.String()}
	if kind, message := loser.clash(winner); !s.said[pair] {
		s.said[pair] = true
		s.say(loser.cluster, loser.field, kind, message)
	}
}

func (s *siteClaims) say(c *v1.SIPCluster, field string, kind Kind, message string) {
	s.errs = append(s.errs, ClusterError{c, FieldError{Path: field, Message: message, Kind: kind}})
}

// clash returns the complaint about a claim of what another one has, empty if both may have it: load balancers may
// share an address with the same key and different ports, as MetalLB allows.
func (c claimant) clash(other claimant) (kind Kind, message string) {
	switch c.Kind {
	case NodePort:
		return PortTaken, redact.Sprintf("node port %s is claimed by %s already", c.Name, other)
	case DexState:
		return DexTaken, redact.Sprintf("%s keeps its signing keys in namespace %s already, and two would share them: "+
			"give the clusters namespaces of their own", other, c.Name)
	case SyncObjects:
		return OfField, redact.Sprintf("its objects in the tree would have the names of those of %s, because both are "+
			"cut to %d characters: choose a shorter name", other.cluster.Key(), validation.LabelValueMaxLength)
	case Balancer:
		switch {
		case c.SharingKey == "" || other.SharingKey != c.SharingKey:
			message = redact.Sprintf("%s is claimed by %s already, and the two do not give the same sharingKey", c.Name,
				other)
		case other.Provider != c.Provider:
			message = redact.Sprintf("%s is claimed from %q by %s already, and from %q here", c.Name, other.Provider, other,
				c.Provider)
		case c.Ports.Start <= other.Ports.End && other.Ports.Start <= c.Ports.End:
			message = redact.Sprintf("%s is shared with %s, and both listen on port %d", c.Name, other,
				max(c.Ports.Start, other.Ports.Start))
		}
		return OfField, message
	}
	return OfField, redact.Sprintf("%s is claimed by %s already", c.Name, other)
}
