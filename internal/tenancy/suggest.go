package tenancy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/schedule"
)

// Files maps each cluster to its file, in the form of Path, or to nothing.
type Files map[string]string

// Suggest returns the grants that clusters need, with room to grow: the Site's tenants, widened by what their
// clusters ask for and hold, and for every other namespace a tenant of that name, with what its clusters ask for and
// twice their hosts. The Site's tenants keep their order, the others follow by name. A reserved namespace gets no
// tenant: Ungranted has its clusters. Review the result before you paste it.
func (t *Tenants) Suggest(clusters []v1.SIPCluster, files Files, held Counts) []v1alpha1.Tenant {
	byNamespace := map[string]*need{}
	needs := make([]*need, 0, len(t.site.Spec.Tenants))
	for i := range t.site.Spec.Tenants {
		n := newNeed(t.site, t.site.Spec.Tenants[i])
		n.listed = true
		needs = append(needs, n)
		for _, namespace := range n.tenant.Namespaces {
			byNamespace[namespace] = n
		}
	}
	sorted := slices.SortedFunc(slices.Values(clusters), func(a, b v1.SIPCluster) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	for i := range sorted {
		c := &sorted[i]
		n := byNamespace[c.Namespace]
		if n == nil && t.taken(c.Namespace) != "" {
			continue
		}
		if n == nil {
			n = newNeed(t.site, v1alpha1.Tenant{Name: c.Namespace, Namespaces: []string{c.Namespace},
				Patches: v1alpha1.PatchesNone})
			needs = append(needs, n)
			byNamespace[c.Namespace] = n
		}
		n.add(c)
		var want Count
		if !c.Leaves() {
			want = Wants(c)
		}
		has := held.Of(schedule.KeyOf(c))
		n.hosts = n.hosts.plus(Count{max(want.Hosts, has.Hosts), max(want.Standby, has.Standby)})
	}
	// Clusters without a spec hold hosts, too, until they are released.
	for key, count := range held.counts {
		gone := !slices.ContainsFunc(sorted, func(c v1.SIPCluster) bool { return schedule.KeyOf(&c) == key })
		if n := byNamespace[key.Namespace]; n != nil && gone {
			n.hosts = n.hosts.plus(count)
		}
	}
	folders := specsOf(sorted, files)
	out := make([]v1alpha1.Tenant, 0, len(needs))
	for _, n := range needs {
		if !n.listed {
			n.tenant.Specs = folders[n.tenant.Name]
		}
		n.finish()
		out = append(out, n.tenant.Tenant)
	}
	return out
}

// Ungranted returns the clusters that Suggest suggests nothing for, because their namespace is not for tenants: most
// likely it is misspelled.
func (t *Tenants) Ungranted(clusters []v1.SIPCluster) (errs []validation.ClusterError) {
	for i := range clusters {
		c := &clusters[i]
		if t.byNamespace[c.Namespace] == nil && t.taken(c.Namespace) != "" {
			for _, e := range t.Namespace(c) {
				errs = append(errs, validation.ClusterError{Cluster: c, FieldError: e})
			}
		}
	}
	return errs
}

// Alike returns the tenant namespace that an unassigned namespace most likely misspells, "" if there is none.
func (t *Tenants) Alike(namespace string) string {
	var known []string
	for i := range t.site.Spec.Tenants {
		known = append(known, t.site.Spec.Tenants[i].Namespaces...)
	}
	if slices.Contains(known, namespace) {
		return ""
	}
	return manifest.Nearest(namespace, known)
}

// need collects what the clusters of a tenant ask for beyond its grants.
type need struct {
	site   *v1alpha1.Site
	tenant Tenant
	// listed: the Site has it.
	listed              bool
	ports               []v1alpha1.NodePorts
	hosts               Count
	addresses           map[netip.Addr]bool
	domains, issuers    map[string]bool
	classes, pools      map[string]bool
	clusters            int
	images, attachments map[string]bool
}

func newNeed(site *v1alpha1.Site, tenant v1alpha1.Tenant) *need {
	return &need{
		site: site, tenant: Tenant{Tenant: tenant},
		addresses: map[netip.Addr]bool{}, domains: map[string]bool{}, issuers: map[string]bool{}, images: map[string]bool{},
		attachments: map[string]bool{},
		classes:     map[string]bool{}, pools: map[string]bool{},
	}
}

func (n *need) add(c *v1.SIPCluster) {
	t := &n.tenant
	n.clusters++
	t.MaxPriority = max(t.MaxPriority, c.Spec.Priority)
	if len(c.Spec.Patches)+len(c.HAProxyLines()) > 0 {
		t.Patches = v1alpha1.PatchesAny
	}
	ofSite := asked{site: n.site}
	for _, e := range c.Entries() {
		if image := e.Image; image != "" && !ofSite.ofSite(image) && !t.mayRun(image) {
			name, _, _ := v1.SplitImage(image)
			n.images[name] = true
		}
		n.poolsOf(e.Service.Annotations)
		if e.Service.Service != nil {
			n.poolsOf(e.Service.Service.Annotations)
			if class := e.Service.Service.LoadBalancerClass; class != "" && !slices.Contains(t.LoadBalancerClasses, class) {
				n.classes[class] = true
			}
		}
		for _, a := range e.Service.NetworkAttachments {
			if !t.mayAttach(c.Namespace, a.Namespace, a.Name) {
				n.attachments[a.Namespace+"/"+a.Name] = true
			}
		}
	}
	for _, claim := range validation.Claims(c) {
		switch {
		case needsAddress(c, &claim) && !t.mayHave(claim.IP):
			n.addresses[claim.IP.Unmap()] = true
		case claim.Kind == validation.NodePort && !t.mayName(claim.Ports):
			n.ports = append(n.ports, v1alpha1.NodePorts{Start: claim.Ports.Start, End: claim.Ports.End})
		}
	}
	for i := range c.Spec.Services.Dex {
		n.dex(&c.Spec.Services.Dex[i])
	}
}

func (n *need) dex(dex *v1.Dex) {
	if issuer, err := url.Parse(dex.Issuer); err == nil && !n.tenant.maySpeakFor(issuer.Hostname()) {
		n.domains[strings.ToLower(issuer.Hostname())] = true
	}
	if ref := dex.TLS.IssuerRef; ref != nil && !n.tenant.mayAsk(*ref) {
		issuer := kindOf(*ref) + "/" + ref.Name
		if ref.Group != "" && ref.Group != "cert-manager.io" {
			issuer = ref.Group + "/" + issuer
		}
		n.issuers[issuer] = true
	}
}

func (n *need) poolsOf(annotations map[string]string) {
	for key, pool := range validation.AddressPools(annotations) {
		if isPool(pool) && !n.tenant.mayTakeFrom(pool) && n.site.Spec.Defaults.Annotations[key] != pool {
			n.pools[pool] = true
		}
	}
}

// finish writes the collected needs into the tenant's grants.
func (n *need) finish() {
	t := &n.tenant
	t.NodePorts = slices.Clip(t.NodePorts) // the Site's own lists are not to be written into
	slices.SortFunc(n.ports, func(a, b v1alpha1.NodePorts) int { return int(a.Start - b.Start) })
	own := len(t.NodePorts)
	for _, p := range n.ports {
		if last := len(t.NodePorts) - 1; last >= own && p.Start <= t.NodePorts[last].End+1 {
			t.NodePorts[last].End = max(t.NodePorts[last].End, p.End)
			continue
		}
		t.NodePorts = append(t.NodePorts, p)
	}
	t.Addresses = slices.Clip(t.Addresses)
	for _, ip := range slices.SortedFunc(maps.Keys(n.addresses), netip.Addr.Compare) {
		t.Addresses = append(t.Addresses, netip.PrefixFrom(ip, ip.BitLen()).String())
	}
	for _, grant := range []struct {
		list *[]string
		more map[string]bool
	}{
		{&t.IssuerDomains, n.domains}, {&t.CertificateIssuers, n.issuers}, {&t.Images, n.images},
		{&t.NetworkAttachments, n.attachments}, {&t.LoadBalancerClasses, n.classes}, {&t.AddressPools, n.pools},
	} {
		*grant.list = append(slices.Clip(*grant.list), slices.Sorted(maps.Keys(grant.more))...)
	}
	mostClusters := *n.site.Spec.MaxClustersPerTenant
	if t.MaxClusters != nil {
		mostClusters = *t.MaxClusters
	}
	if n.clusters > mostClusters {
		t.MaxClusters = &n.clusters
	}
	most, standby := 2*n.hosts.Hosts, 2*n.hosts.Standby
	if n.listed {
		most, standby = max(n.hosts.Hosts, *t.Hosts.Max), max(n.hosts.Standby, *t.Hosts.MaxStandby)
	}
	t.Hosts.Max, t.Hosts.MaxStandby = &most, &standby
}

// specsOf returns the folder of each namespace's specs, where all of them are in one that has no other namespace's.
// Else nothing: the namespace alone binds them, until they have a folder.
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
			folder := path.Dir(file)
			if file == "" || folder == "." || path.Base(folder) == ".." || len(users[folder]) > 1 {
				found = nil
				break
			}
			found[folder] = true
		}
		out[namespace] = slices.Sorted(maps.Keys(found))
	}
	return out
}

// Render writes tenants as they are pasted below the spec of a Site, a grant a line, in the order of their
// documentation.
func Render(tenants []v1alpha1.Tenant) (string, error) {
	text, err := json.Marshal(map[string][]v1alpha1.Tenant{"tenants": tenants})
	if err != nil {
		return "", err
	}
	var document yaml.Node // JSON is YAML, and a Node keeps the order of the fields
	if err := yaml.Unmarshal(text, &document); err != nil {
		return "", err
	}
	restyle(&document, 0)
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(&document); err != nil {
		return "", err
	}
	return "  " + strings.ReplaceAll(strings.TrimSuffix(out.String(), "\n"), "\n", "\n  ") + "\n", nil
}

// grantDepth is where a grant's value begins: document, mapping, tenants, tenant.
const grantDepth = 4

// restyle gives a node read from JSON the style of YAML: block style down to the grants, and flow style below.
func restyle(n *yaml.Node, depth int) {
	n.Style = 0
	if depth >= grantDepth && n.Kind != yaml.ScalarNode {
		n.Style = yaml.FlowStyle
	}
	for _, inner := range n.Content {
		restyle(inner, depth+1)
	}
}
