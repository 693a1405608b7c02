package validation

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

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

// Claim is a claim of a resource. The other fields are those of a load balancer's address, and of a node port.
type Claim struct {
	Resource
	SharingKey, Provider, Class string
	Ports                       v1.PortRange
	// Service that has a node port.
	Service string
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

// Asked is a claim of a spec.
type Asked struct {
	Claim // of node ports: their range, without a name
	// Path is the entry that claims it, Field the one that is complained about if the resource is another's.
	Path, Field string
	// IP is the address. Pool is the pool of MetalLB that it is to be from, if one is named. Attachment is the
	// "namespace/name" of a pod's network.
	IP               netip.Addr
	Pool, Attachment string
}

// Claims returns what a cluster claims on the management cluster, in the order of its fields. A value that validation
// complains about claims nothing.
func Claims(c *v1.SIPCluster) []Asked {
	var out []Asked
	add := func(kind ResourceKind, name, path, field string) *Asked {
		out = append(out, Asked{Claim: Claim{Resource: Resource{kind, name}}, Path: path, Field: field})
		return &out[len(out)-1]
	}
	address := func(kind ResourceKind, text, path, field string) *Asked {
		ip, err := netip.ParseAddr(strings.TrimSpace(text))
		if err != nil {
			return &Asked{}
		}
		asked := add(kind, ip.Unmap().String(), path, field)
		asked.IP = ip
		return asked
	}
	for _, part := range v1.SyncParts {
		add(SyncObjects, v1.SyncName(c.Namespace, c.Name, part), "metadata.name", "metadata.name")
	}
	if path := "spec.services." + v1.ListDex + "[0]"; len(c.Spec.Services.Dex) > 0 {
		add(DexState, c.Namespace, path, path)
	}
	for _, e := range c.Entries() {
		if p := e.NodePorts; p.Start > 0 && p.End >= p.Start { // without a number the API server chooses
			asked := add(NodePort, "", e.Path, e.NodePortField)
			asked.Ports, asked.Service = p, e.Name
		}
		if exposure := e.Service.Service; exposure != nil {
			for _, ip := range exposure.Addresses() {
				asked := address(Balancer, ip, e.Path, e.Path+".service.loadBalancerIP")
				asked.SharingKey, asked.Provider, asked.Ports = exposure.SharingKey, exposure.AddressProvider(), e.Ports
				asked.Class = exposure.LoadBalancerClass
				for _, key := range poolKeys {
					asked.Pool = cmp.Or(asked.Pool, exposure.Annotations[key])
				}
			}
		}
		if ip := e.Service.ClusterIP; ip != nil {
			address(ClusterIP, *ip, e.Path, e.Path+".clusterIP")
		}
		for i, n := range e.Service.NetworkAttachments {
			for j, text := range n.IPs {
				if prefix, err := netip.ParsePrefix(text); err == nil {
					on := cmp.Or(n.Namespace, c.Namespace) + "/" + n.Name
					asked := add(PodIP, PodAddress(on, prefix.Addr()), e.Path,
						fmt.Sprintf("%s.networkAttachments[%d].ips[%d]", e.Path, i, j))
					asked.IP, asked.Attachment = prefix.Addr(), on
				}
			}
		}
	}
	return out
}

// claimant is a claim of a cluster.
type claimant struct {
	Asked
	cluster *v1.SIPCluster
}

func (c claimant) String() string { return c.cluster.Key() + " " + c.Path }

// claimsOf returns the claims of a spec, one for each port of a range. Validation complains about too many.
func claimsOf(c *v1.SIPCluster) []claimant {
	var out []claimant
	for _, asked := range Claims(c) {
		switch {
		case asked.Kind != NodePort:
			out = append(out, claimant{asked, c})
		case asked.Ports.Len() <= MaxServicePorts:
			for port := asked.Ports.Start; port <= asked.Ports.End; port++ {
				asked.Name = strconv.Itoa(int(port))
				out = append(out, claimant{asked, c})
			}
		}
	}
	return out
}

// PodAddress returns the name of a pod's address on an attachment, "namespace/name".
func PodAddress(attachment string, ip netip.Addr) string { return attachment + " " + ip.String() }

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
				s.claims[resource] = append(s.claims[resource], claimant{Asked{Claim: claim, Path: "in the tree"}, cluster})
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
		s.moves(c)
	}
	s.claims[c.Resource] = others
}

// moves complains about a node port that another Service of the cluster has in the tree. The API server refuses a port
// that two Services have, and an engine deletes or changes the other one only after an apply that succeeds.
func (s *siteClaims) moves(c claimant) {
	for _, held := range s.held[c.cluster.Key()][c.Resource] {
		pair := [2]string{c.cluster.Key() + " " + c.Field, held.Service}
		if c.Kind != NodePort || held.Service == "" || held.Service == c.Service || s.said[pair] {
			continue
		}
		s.said[pair] = true
		s.say(c.cluster, c.Field, OfField, redact.Sprintf("node port %s is that of Service %s in the tree, and the API "+
			"server refuses a port that two Services have: give it up there in one commit, and ask for it here once that is "+
			"applied", c.Name, held.Service))
	}
}

// tell complains about a claim of a resource that another one has, once for each field and each other entry.
func (s *siteClaims) tell(loser, winner claimant) {
	pair := [2]string{loser.cluster.Key() + " " + loser.Field, winner.String()}
	if kind, message := loser.clash(winner); !s.said[pair] {
		s.said[pair] = true
		s.say(loser.cluster, loser.Field, kind, message)
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
		case other.Provider == c.Provider && other.Class != c.Class:
			message = redact.Sprintf("%s is claimed by %s already, of another loadBalancerClass: both would announce it",
				c.Name, other)
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
