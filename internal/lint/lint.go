// Package lint finds likely mistakes in a site whose objects are all valid; nothing is refused or frozen for them.
//
// Findings depend only on the arguments of Check, and not on their order.
package lint

import (
	"cmp"
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// Input is the input of Check.
type Input struct {
	// Site with its defaults filled in.
	Site     *v1alpha1.Site
	Clusters []v1.SIPCluster
	Hosts    []inventory.Host
	// ByUID: the hosts are patched one by one, and each patch names its host by the uid.
	ByUID bool
	// ByDigest: images without a digest are findings.
	ByDigest bool
	// Networks are those on which hosts may have addresses, where the Site lists any.
	Networks []inventory.HostNetwork
	// LeftOut are the objects that no host was made of.
	LeftOut []inventory.LeftOut
	// Notes are about the files of hosts and Empty about those of specs, each an error with its place.
	Notes, Empty []error
	// Leaving decides which clusters leave, as for package schedule.
	Leaving map[schedule.ClusterKey]bool
	// Served are the load balancers that the tree has had already: "namespace/name" of the cluster and the path of the
	// field.
	Served map[string]bool
	// Said are the findings of the placement and of the network plan, which can be suppressed like those of this
	// package.
	Said []finding.Finding
	// Placement of the clusters. Nil where there is none.
	Placement *schedule.Placement
	// Secrets are the known ones, by "namespace/name". In a namespace with no known Secret of a BMC, or of a service,
	// missing ones of that kind are not reported: files seldom have Secrets, and accounts seldom may list them.
	Secrets map[string]bool
}

// Check returns the findings of a site that are not silenced, by place, code, object, field and message.
func Check(site *v1alpha1.Site, clusters []v1.SIPCluster, hosts []inventory.Host,
	placement *schedule.Placement) []finding.Finding {
	return Input{Site: site, Clusters: clusters, Hosts: hosts, Placement: placement}.Check()
}

// Check returns the findings as the function Check does, those about Secrets that clusters name among them.
func (in Input) Check() []finding.Finding {
	c := &checker{Input: in}
	c.Clusters = slices.Clone(in.Clusters)
	slices.SortStableFunc(c.Clusters, func(a, b v1.SIPCluster) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Source.String(), b.Source.String()))
	})
	c.Hosts = slices.Clone(in.Hosts)
	slices.SortStableFunc(c.Hosts, func(a, b inventory.Host) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Source.String(), b.Source.String()))
	})
	c.readIgnores()
	for _, f := range c.Said {
		if !c.silences(f.Object, f.Code) {
			c.add(f)
		}
	}
	c.warnings()
	c.notes()
	c.leftOut()
	c.backendless()
	c.dexes()
	c.objects()
	c.duplicates()
	c.roles()
	c.widerRoles()
	c.clusterAPI()
	c.unread()
	c.powerless()
	c.emptied()
	c.states()
	c.nameless()
	c.ownerless()
	c.alike()
	c.unmanageable()
	c.siteAnnotations()
	c.unreadAnnotations()
	c.secrets()
	c.images()
	c.siteImages()
	c.credentials()
	return finding.Sorted(c.findings)
}

// checker collects findings. Its clusters and hosts are sorted by namespace and name.
type checker struct {
	Input
	findings []finding.Finding
	// ignored are the codes that an object silences.
	ignored map[finding.Ref]map[string]bool
	guesses int
	// clusters are those of the specs, placements those of the plan, made when they are asked for.
	clusters   map[schedule.ClusterKey]*v1.SIPCluster
	placements map[schedule.ClusterKey]*schedule.Cluster
}

func clusterName(c *v1.SIPCluster) finding.Ref { return finding.To(v1.Kind, c.Namespace, c.Name) }
func siteName(s *v1alpha1.Site) finding.Ref    { return finding.To(v1alpha1.Kind, "", s.Name) }
func hostName(h *inventory.Host) finding.Ref {
	return finding.To(finding.KindHost, h.Namespace, h.Name)
}
func (c *checker) add(f finding.Finding)                 { c.findings = append(c.findings, f.OnOneLine()) }
func (c *checker) silences(o finding.Ref, s string) bool { return c.ignored[o][s] }

// leaves reports whether a cluster leaves.
func (c *checker) leaves(cluster *v1.SIPCluster) bool {
	options := schedule.Options{Leaving: c.Leaving}
	return options.Leaves(cluster)
}

// cluster notes a finding about a field of a cluster, unless the cluster silences it.
func (c *checker) cluster(code string, severity finding.Severity, cluster *v1.SIPCluster, field, message, fix string) {
	if object := clusterName(cluster); !c.silences(object, code) {
		c.add(finding.Finding{Code: code, Severity: severity, Place: finding.In(cluster.Document, cluster.Source, field),
			Object: object, Field: field, Message: message, Fix: fix})
	}
}

// host notes a finding about a host, unless the host silences it.
func (c *checker) host(code string, severity finding.Severity, host *inventory.Host, field, message, fix string) {
	if object := hostName(host); !c.silences(object, code) {
		c.add(finding.Finding{Code: code, Severity: severity, Place: finding.At(host.Source), Object: object, Field: field,
			Message: message, Fix: fix})
	}
}

// site notes a finding about a field of the Site, unless the Site silences it.
func (c *checker) site(code string, severity finding.Severity, field, message, fix string) {
	if object := siteName(c.Site); !c.silences(object, code) {
		place := finding.In(c.Site.Document, manifest.Place{}, field)
		c.add(finding.Finding{Code: code, Severity: severity, Place: place, Object: object, Field: field, Message: message,
			Fix: fix})
	}
}
