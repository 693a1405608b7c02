package tenancy

import (
	"bytes"
	"cmp"
	"maps"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
)

// Files says where a cluster was written: its file, as Path gives it, or nothing.
type Files map[string]string

// Suggest gives the grants that clusters need, one tenant for each namespace, by name: what they ask for and hold now, and no more. What a
// patch does is not looked at: patches stay safe where there are some. Whoever pastes it should read it: it allows what there is.
func (t *Tenants) Suggest(clusters []v1.SIPCluster, files Files, held Holdings) []v1alpha1.Tenant {
	byNamespace := map[string]*need{}
	sorted := slices.SortedFunc(slices.Values(clusters), func(a, b v1.SIPCluster) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	for i := range sorted {
		c := &sorted[i]
		n := byNamespace[c.Namespace]
		if n == nil {
			n = &need{site: t.site}
			n.tenant = v1alpha1.Tenant{Name: c.Namespace, Namespaces: []string{c.Namespace}}
			n.tenant.OwnsHosts = slices.Contains(t.hosts, c.Namespace) && !slices.Contains(t.site.Spec.Hosts.SharedNamespaces, c.Namespace)
			byNamespace[c.Namespace] = n
		}
		n.add(c)
		want, has := Wants(c), held.Of(keyOf(c))
		n.hosts = n.hosts.plus(Count{max(want.Hosts, has.Hosts), max(want.Standby, has.Standby)})
	}
	// Clusters without a spec hold hosts, too, until they are released.
	for key, count := range held.counts {
		gone := !slices.ContainsFunc(sorted, func(c v1.SIPCluster) bool { return keyOf(&c) == key })
		if n := byNamespace[key.Namespace]; n != nil && gone {
			n.hosts = n.hosts.plus(count)
		}
	}
	folders := specsOf(sorted, files)
	var out []v1alpha1.Tenant
	for _, namespace := range slices.Sorted(maps.Keys(byNamespace)) {
		n := byNamespace[namespace]
		n.tenant.Specs = folders[namespace]
		n.finish()
		out = append(out, n.tenant)
	}
	return out
}

// need gathers what the clusters of a namespace ask for.
type need struct {
	site                *v1alpha1.Site
	tenant              v1alpha1.Tenant
	ports               []v1alpha1.NodePorts
	hosts               Count
	patches             bool
	replicas            int32
	addresses           map[netip.Addr]bool
	domains, issuers    map[string]bool
	classes             map[string]bool
	clusters            int
	images, attachments map[string]bool
}

func (n *need) add(c *v1.SIPCluster) {
	if n.addresses == nil {
		n.classes = map[string]bool{}
		n.addresses, n.domains, n.issuers, n.images, n.attachments = map[netip.Addr]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	}
	n.clusters++
	n.tenant.MaxPriority = max(n.tenant.MaxPriority, c.Spec.Priority)
	n.patches = n.patches || len(c.Spec.Patches) > 0
	ofSite := asked{site: n.site}
	for _, e := range c.Entries() {
		if image := e.Service.Image; image != "" && !ofSite.ofSite(image) {
			n.images[imageName(image)] = true
		}
		if ip := e.Service.ClusterIP; ip != nil && *ip != corev1.ClusterIPNone {
			n.address(*ip)
		}
		if e.Service.Service != nil {
			for _, ip := range e.Service.Service.Addresses() {
				n.address(ip)
			}
			if class := e.Service.Service.LoadBalancerClass; class != "" {
				n.classes[class] = true
			}
		}
		if e.NodePorts.Start != 0 {
			n.ports = append(n.ports, v1alpha1.NodePorts{Start: e.NodePorts.Start, End: e.NodePorts.End})
		}
		if e.Service.Replicas != nil {
			n.replicas = max(n.replicas, *e.Service.Replicas)
		}
		for _, a := range e.Service.NetworkAttachments {
			if a.Namespace != "" && a.Namespace != c.Namespace {
				n.attachments[a.Namespace+"/"+a.Name] = true
				for _, ip := range a.IPs {
					if prefix, err := netip.ParsePrefix(ip); err == nil {
						n.address(prefix.Addr().String())
					}
				}
			}
		}
	}
	for i := range c.Spec.Services.Dex {
		dex := &c.Spec.Services.Dex[i]
		if issuer, err := url.Parse(dex.Issuer); err == nil {
			n.domains[strings.ToLower(issuer.Hostname())] = true
		}
		if ref := dex.TLS.IssuerRef; ref != nil {
			issuer := kindOf(*ref) + "/" + ref.Name
			if ref.Group != "" && ref.Group != "cert-manager.io" {
				issuer = ref.Group + "/" + issuer
			}
			n.issuers[issuer] = true
		}
	}
}

func (n *need) address(text string) {
	if ip, err := netip.ParseAddr(text); err == nil {
		n.addresses[ip.Unmap()] = true
	}
}

func (n *need) finish() {
	t := &n.tenant
	slices.SortFunc(n.ports, func(a, b v1alpha1.NodePorts) int { return int(a.Start - b.Start) })
	for _, p := range n.ports {
		if last := len(t.NodePorts) - 1; last >= 0 && p.Start <= t.NodePorts[last].End+1 {
			t.NodePorts[last].End = max(t.NodePorts[last].End, p.End)
			continue
		}
		t.NodePorts = append(t.NodePorts, p)
	}
	for _, ip := range slices.SortedFunc(maps.Keys(n.addresses), netip.Addr.Compare) {
		t.Addresses = append(t.Addresses, netip.PrefixFrom(ip, ip.BitLen()).String())
	}
	t.IssuerDomains, t.CertificateIssuers = slices.Sorted(maps.Keys(n.domains)), slices.Sorted(maps.Keys(n.issuers))
	t.Images, t.NetworkAttachments = slices.Sorted(maps.Keys(n.images)), slices.Sorted(maps.Keys(n.attachments))
	t.LoadBalancerClasses = slices.Sorted(maps.Keys(n.classes))
	if n.clusters > *n.site.Spec.MaxClustersPerTenant {
		t.MaxClusters = &n.clusters
	}
	t.Patches = v1alpha1.PatchesNone
	if n.patches {
		t.Patches = v1alpha1.PatchesSafe
	}
	if n.replicas > 10 {
		t.Limits.Replicas = &n.replicas
	}
	hosts := n.hosts
	t.Hosts.Max, t.Hosts.MaxStandby = &hosts.Hosts, &hosts.Standby
}

// specsOf gives the folders of each namespace's specs: where all of them are in a folder of their own it, else those of their files that
// have no other namespace's. Nothing for a namespace that shares a file with another one, or whose clusters are read from the cluster.
func specsOf(clusters []v1.SIPCluster, files Files) map[string][]string {
	users := map[string]map[string]bool{} // path, and all that it lies in → namespaces
	paths := map[string]map[string]bool{} // namespace → its files
	for i := range clusters {
		c := &clusters[i]
		file := files[c.Key()]
		if paths[c.Namespace] == nil {
			paths[c.Namespace] = map[string]bool{}
		}
		paths[c.Namespace][file] = true
		for at := file; at != "" && at != "."; at = path.Dir(at) {
			if users[at] == nil {
				users[at] = map[string]bool{}
			}
			users[at][c.Namespace] = true
		}
	}
	out := map[string][]string{}
	for namespace, mine := range paths {
		found := map[string]bool{}
		for file := range mine {
			switch folder := path.Dir(file); {
			case file == "" || len(users[file]) > 1:
				found = nil
			case folder != "." && len(users[folder]) == 1:
				found[folder] = true
			default:
				found[file] = true
			}
			if found == nil {
				break
			}
		}
		out[namespace] = slices.Sorted(maps.Keys(found))
	}
	return out
}

// Render writes tenants as they are pasted into a Site.
func Render(tenants []v1alpha1.Tenant) (string, error) {
	var site struct {
		Spec struct {
			Tenants []suggestion `yaml:"tenants"`
		} `yaml:"spec"`
	}
	for i := range tenants {
		t := &tenants[i]
		s := suggestion{
			Name: t.Name, Specs: t.Specs, Namespaces: t.Namespaces, OwnsHosts: t.OwnsHosts,
			Hosts: suggestedHosts{*t.Hosts.Max, *t.Hosts.MaxStandby}, MaxPriority: t.MaxPriority,
			MaxClusters: t.MaxClusters, LoadBalancerClasses: t.LoadBalancerClasses,
			Addresses: t.Addresses, IssuerDomains: t.IssuerDomains, CertificateIssuers: t.CertificateIssuers, Images: t.Images,
			NetworkAttachments: t.NetworkAttachments, Patches: string(t.Patches),
		}
		for _, p := range t.NodePorts {
			s.NodePorts = append(s.NodePorts, suggestedPorts{p.Start, p.End})
		}
		if t.Limits.Replicas != nil {
			s.Limits = map[string]int32{"replicas": *t.Limits.Replicas}
		}
		site.Spec.Tenants = append(site.Spec.Tenants, s)
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	err := encoder.Encode(site)
	return out.String(), err
}

// suggestion is a tenant with the fields that Suggest fills, in the order of the documentation.
type suggestion struct {
	Name                string           `yaml:"name"`
	Specs               []string         `yaml:"specs,omitempty,flow"`
	Namespaces          []string         `yaml:"namespaces,flow"`
	OwnsHosts           bool             `yaml:"ownsHosts,omitempty"`
	Hosts               suggestedHosts   `yaml:"hosts,flow"`
	MaxClusters         *int             `yaml:"maxClusters,omitempty"`
	MaxPriority         int32            `yaml:"maxPriority,omitempty"`
	NodePorts           []suggestedPorts `yaml:"nodePorts,omitempty,flow"`
	Addresses           []string         `yaml:"addresses,omitempty,flow"`
	LoadBalancerClasses []string         `yaml:"loadBalancerClasses,omitempty,flow"`
	IssuerDomains       []string         `yaml:"issuerDomains,omitempty,flow"`
	CertificateIssuers  []string         `yaml:"certificateIssuers,omitempty,flow"`
	Images              []string         `yaml:"images,omitempty,flow"`
	NetworkAttachments  []string         `yaml:"networkAttachments,omitempty,flow"`
	Patches             string           `yaml:"patches"`
	Limits              map[string]int32 `yaml:"limits,omitempty,flow"`
}

type (
	suggestedHosts struct {
		Max        int `yaml:"max"`
		MaxStandby int `yaml:"maxStandby"`
	}
	suggestedPorts struct {
		Start int32 `yaml:"start"`
		End   int32 `yaml:"end"`
	}
)
