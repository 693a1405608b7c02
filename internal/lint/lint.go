// Package lint finds what is likely wrong with a site though every object is valid by itself: across tenants, across hosts,
// and between the two. Each finding has a code, a place and a way to fix it; docs/lint.md explains the codes.
//
// Findings depend on the arguments of Check only, and not on their order.
package lint

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// Severity is how bad a finding is.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // the site cannot work like this
	Warning Severity = "warning" // it works, and not as somebody meant it
)

// Finding is one thing that is likely wrong.
type Finding struct {
	// Code is stable: SIP001.
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Place    Place    `json:"place"`
	// Object is "SIPCluster namespace/name", "BareMetalHost namespace/name" or "Site name".
	Object string `json:"object"`
	// Field of the object, empty for the object as a whole.
	Field string `json:"field,omitempty"`
	// Message says what was found, on one line.
	Message string `json:"message"`
	// Fix says what to do about it, on one line.
	Fix string `json:"mend"`
}

// OfCluster says whether the finding is about a SIPCluster, and not about a host.
func (f *Finding) OfCluster() bool { return strings.HasPrefix(f.Object, v1.Kind+" ") }

// OfPlacement says whether the finding is about slots that stay empty: whether a plan may go on with that, the placement says.
func (f *Finding) OfPlacement() bool { return f.Code == codeCompete || f.Code == codeShort }

// String is the finding on one line, with its code and place.
func (f *Finding) String() string {
	return strings.TrimPrefix(f.Place.String()+": ", ": ") + f.Code + ": " + f.text()
}

// Input is what findings are looked for in.
type Input struct {
	// Site with its defaults filled in.
	Site     *v1alpha1.Site
	Clusters []v1.SIPCluster
	Hosts    []inventory.Host
	// ByUID: the hosts are patched one by one, and each patch names its host by the uid.
	ByUID bool
	// Networks are those on which hosts may have addresses, where the Site lists any.
	Networks []inventory.HostNetwork
	// LeftOut are the objects that no host was made of.
	LeftOut []inventory.LeftOut
	// Granted are the selectors of roles, narrowed to the hosts that their tenants are granted, where that is less than what the specs select.
	Granted map[schedule.RoleKey]labels.Selector
	// Beyond is what clusters ask for that their tenants are not granted.
	Beyond []v1.ClusterError
	// Empty are the files of specs with nothing in them.
	Empty []string
	// Served are the load balancers that the tree has had already: "namespace/name" of the cluster and the path of the field.
	Served map[string]bool
	// Held is what the services in the tree have already, by "namespace/name" of the cluster: of two that claim a thing, the other one is at fault.
	Held map[string]v1.Held
	// Clashes are claims of things that a cluster has which keeps what it has in the tree, whatever its spec says.
	Clashes []v1.ClusterError
	// Renamed are clusters and roles that most likely had another name in the tree.
	Renamed []Renamed
	// Placement of the clusters. Nil where there is none: hosts that fall short are not looked for then.
	Placement *schedule.Placement
	// Secrets that are known by "namespace/name". Of a namespace in which no host's power control has its Secret, or no cluster's
	// service, nothing is said of those: files seldom hold Secrets, and an account seldom may list them.
	Secrets map[string]bool
}

// Renamed is a cluster, or a role of it, that most likely had another name in the tree.
type Renamed struct {
	Cluster *v1.SIPCluster
	// Path of the name, and what is said of it.
	Path, Message string
	// Was is the cluster in the tree, "namespace/name"; empty for a role.
	Was string
}

// String says it for a plan.
func (r *Renamed) String() string {
	role, is := strings.CutPrefix(r.Path, "spec.nodes.")
	if !is {
		return r.Cluster.Key() + ": " + r.Message
	}
	return r.Cluster.Key() + ": " + role + ": " + r.Message
}

// Check gives the findings of a site that are not silenced, by place, code, object, field and message.
func Check(site *v1alpha1.Site, clusters []v1.SIPCluster, hosts []inventory.Host, placement *schedule.Placement) []Finding {
	return Input{Site: site, Clusters: clusters, Hosts: hosts, Placement: placement}.Check()
}

// Check gives the findings as the function Check does, those about Secrets that clusters name among them.
func (in Input) Check() []Finding {
	c := &checker{Input: in, outOfRange: map[string]bool{}}
	c.Clusters = slices.Clone(in.Clusters)
	slices.SortStableFunc(c.Clusters, func(a, b v1.SIPCluster) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Source, b.Source))
	})
	c.Hosts = slices.Clone(in.Hosts)
	slices.SortStableFunc(c.Hosts, func(a, b inventory.Host) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Source, b.Source))
	})
	c.readIgnores()
	c.claims()
	c.beyond()
	c.networks()
	c.warnings()
	c.backendless()
	for _, r := range c.Renamed {
		c.cluster(codeRenamed, Warning, r.Cluster, r.Path, r.Message, "put the name back; if the hosts are to be exchanged, go on")
	}
	for _, file := range c.Empty {
		c.add(Finding{codeEmpty, Warning, Place{File: file}, v1.Kind, "", "nothing in it but comments; if a spec was here, it is gone", "restore the spec; if the cluster is to go, delete the file"})
	}
	c.dexes()
	c.objects()
	c.duplicates()
	c.roles()
	c.clusterAPI()
	c.unread()
	c.shortages()
	c.failed()
	c.powerless()
	c.emptied()
	c.nameless()
	c.ownerless()
	c.alike()
	c.unmanageable()
	c.unreadAnnotations()
	c.secrets()
	c.images()
	c.siteImages()
	c.credentials()
	slices.SortFunc(c.findings, compare)
	return slices.Compact(c.findings)
}

func compare(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Place.Document, b.Place.Document),
		cmp.Compare(a.Code, b.Code), cmp.Compare(a.Object, b.Object), cmp.Compare(a.Field, b.Field),
		cmp.Compare(a.Message, b.Message), cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Fix, b.Fix),
	)
}

// checker collects findings. Its clusters and hosts are sorted by namespace and name.
type checker struct {
	Input
	findings []Finding
	// ignored are the codes that an object silences.
	ignored map[string]map[string]bool
	// outOfRange are the node ports that the site does not have, by cluster and field, as far as findings say so.
	outOfRange map[string]bool
	guesses    int
}

func clusterName(c *v1.SIPCluster) string    { return v1.Kind + " " + c.Key() }
func siteName(s *v1alpha1.Site) string       { return v1alpha1.Kind + " " + s.Name }
func hostName(h *inventory.Host) string      { return "BareMetalHost " + h.Key() }
func (c *checker) add(f Finding)             { c.findings = append(c.findings, f.onOneLine()) }
func (c *checker) silences(o, s string) bool { return c.ignored[o][s] }

// cluster notes a finding about a field of a cluster, unless the cluster silences it.
func (c *checker) cluster(code string, severity Severity, cluster *v1.SIPCluster, field, message, fix string) {
	if object := clusterName(cluster); !c.silences(object, code) {
		c.add(Finding{code, severity, placeOfCluster(cluster, field), object, field, message, fix})
	}
}

// host notes a finding about a host, unless the host silences it.
func (c *checker) host(code string, severity Severity, host *inventory.Host, field, message, fix string) {
	if object := hostName(host); !c.silences(object, code) {
		c.add(Finding{code, severity, placeOfHost(host), object, field, message, fix})
	}
}

// site notes a finding about a field of the Site, unless the Site silences it.
func (c *checker) site(code string, severity Severity, field, message, fix string) {
	if object := siteName(c.Site); !c.silences(object, code) {
		var place Place
		if doc := c.Site.Document; doc != nil && !noFile(doc.File) {
			place = Place{File: doc.File, Document: doc.Index, Line: doc.LineOf(field)}
		}
		c.add(Finding{code, severity, place, object, field, message, fix})
	}
}

func (f Finding) onOneLine() Finding {
	for _, words := range []*string{&f.Object, &f.Field, &f.Message, &f.Fix} {
		*words = text.Line(*words)
	}
	return f
}
