// Package ledger renders the hosts of a site, and who has them, for OpenStack Placement: each host is a resource provider with an inventory of
// one that can be claimed once, each cluster a consumer whose allocations are its hosts. Placement then refuses a second claim by itself.
//
// The bodies are those of the Placement API at Microversion, without the generations, which only the Placement that is loaded knows:
//
//	PUT  /resource_classes/{resource_class}           no body
//	PUT  /traits/{trait}                              no body
//	POST /resource_providers                          resource_providers[].provider
//	PUT  /resource_providers/{uuid}/inventories       inventories, and resource_provider_generation
//	PUT  /resource_providers/{uuid}/traits            resource_providers[].traits, and resource_provider_generation
//	PUT  /allocations/{uuid}                          consumers[].body, and consumer_generation
package ledger

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/schedule"
)

const (
	// Path of the file in the tree. It is no object: no engine applies it.
	Path = "site/placement/inventory.json"
	// Format is that of the file. Who loads it refuses another one.
	Format = 1
	// Microversion of the Placement API that the bodies are for: the first with consumer_type (OpenStack Xena).
	Microversion = "1.38"
	// ResourceClass of every host. It is sipgen's own, so that no other scheduler takes a host by accident.
	ResourceClass = "CUSTOM_SIPGEN_HOST"
	// ConsumerType of every cluster.
	ConsumerType = "SIPCLUSTER"
)

// about is what a reader of the file has to know.
const about = "Rendered by sipgen for OpenStack Placement, to be loaded by ci/placement/load.sh. Edits here are overwritten."

// stock is one of a kind, all of it for whoever claims the host.
type stock struct {
	Total           int     `json:"total"`
	Reserved        int     `json:"reserved"`
	MinUnit         int     `json:"min_unit"`
	MaxUnit         int     `json:"max_unit"`
	StepSize        int     `json:"step_size"`
	AllocationRatio float64 `json:"allocation_ratio"`
}

var once = stock{Total: 1, MinUnit: 1, MaxUnit: 1, StepSize: 1, AllocationRatio: 1}

type provider struct {
	Host     string       `json:"host"`
	Provider providerBody `json:"provider"`
	Traits   []string     `json:"traits"`
}

type providerBody struct {
	Name string `json:"name"`
	UUID string `json:"uuid"`
}

// consumer is the head of a cluster's entry; its allocations follow line by line.
type consumer struct {
	Cluster string `json:"cluster"`
	UUID    string `json:"uuid"`
}

// consumerBody is what a cluster's body has beside its allocations.
type consumerBody struct {
	ConsumerType string `json:"consumer_type"`
	ProjectID    string `json:"project_id"`
	UserID       string `json:"user_id"`
}

type allocation struct {
	Resources map[string]int `json:"resources"`
}

// UserID is the user of every allocation of a site. By it who loads the ledger knows the site's own from others'.
func UserID(site string) string { return "sipgen/" + site }

// ProjectID is the project that a tenant's namespace is, so that Placement can be asked how much it uses.
func ProjectID(site, namespace string) string { return site + "/" + namespace }

// Render gives the file: every host of the inventory, and the claims of the placement, by namespace and name, one line for each, so that a
// diff shows what changes. A host that is being released is its cluster's until it was seen clean: nobody else may claim it before. It
// depends on which hosts there are, on their labels that are traits, and on who has them; not on what state they are in.
func Render(site *v1alpha1.Site, placement *schedule.Placement) ([]byte, error) {
	w := writer{}
	w.text("{\n")
	w.field("about", about)
	w.field("format", Format)
	w.field("microversion", Microversion)
	w.field("site", site.Name)
	w.field("resource_class", ResourceClass)
	w.field("inventories", map[string]stock{ResourceClass: once})
	providers, traits, claims := read(site, placement)
	w.list("traits", len(traits), func(i int) { w.value(traits[i]) })
	w.text(",\n")
	w.list("resource_providers", len(providers), func(i int) { w.value(providers[i]) })
	w.text(",\n")
	w.list("consumers", len(claims), func(i int) { w.claim(site.Name, &claims[i]) })
	w.text("\n}\n")
	return w.out.Bytes(), w.err
}

// claim is the hosts of a cluster, by namespace and name.
type claim struct {
	cluster schedule.ClusterKey
	hosts   []string // UUIDs
}

// read sorts what is to be written.
func read(site *v1alpha1.Site, placement *schedule.Placement) (providers []provider, traits []string, claims []claim) {
	hosts := slices.Clone(placement.Hosts)
	slices.SortFunc(hosts, func(a, b schedule.HostLine) int {
		return cmp.Or(cmp.Compare(a.Host.Namespace, b.Host.Namespace), cmp.Compare(a.Host.Name, b.Host.Name))
	})
	known, of := map[string]bool{}, map[schedule.ClusterKey]int{}
	for i := range hosts {
		host := schedule.HostKey{Namespace: hosts[i].Host.Namespace, Name: hosts[i].Host.Name}
		p := provider{Host: host.String(), Traits: traitsOf(site, hosts[i].Host.Labels)}
		p.Provider = providerBody{Name: ProviderName(site.Name, host), UUID: HostID(site.Name, host)}
		providers = append(providers, p)
		for _, trait := range p.Traits {
			known[trait] = true
		}
		if !claimed(hosts[i].Verdict) {
			continue
		}
		at, found := of[hosts[i].Cluster]
		if !found {
			at = len(claims)
			of[hosts[i].Cluster] = at
			claims = append(claims, claim{cluster: hosts[i].Cluster})
		}
		claims[at].hosts = append(claims[at].hosts, p.Provider.UUID)
	}
	for trait := range known {
		traits = append(traits, trait)
	}
	slices.Sort(traits)
	slices.SortFunc(claims, func(a, b claim) int {
		return cmp.Or(cmp.Compare(a.cluster.Namespace, b.cluster.Namespace), cmp.Compare(a.cluster.Name, b.cluster.Name))
	})
	return providers, traits, claims
}

// claimed says whether a host is a cluster's: from the run that assigns it to the one that sees it without labels.
func claimed(verdict schedule.Verdict) bool {
	switch verdict {
	case schedule.Assigned, schedule.Held, schedule.Pending, schedule.Releasing:
		return true
	}
	return false
}

// writer writes JSON with a line for each entry. It keeps the first error.
type writer struct {
	out bytes.Buffer
	err error
}

func (w *writer) text(text string) { w.out.WriteString(text) }

func (w *writer) value(value any) {
	text, err := json.Marshal(value)
	if w.err == nil {
		w.err = err
	}
	w.out.Write(text)
}

func (w *writer) field(name string, value any) {
	w.text("  ")
	w.value(name)
	w.text(": ")
	w.value(value)
	w.text(",\n")
}

func (w *writer) list(name string, n int, put func(i int)) {
	w.text("  ")
	w.value(name)
	w.text(": [")
	for i := range n {
		if i > 0 {
			w.text(",")
		}
		w.text("\n    ")
		put(i)
	}
	if n > 0 {
		w.text("\n  ")
	}
	w.text("]")
}

// claim writes a cluster's entry, with a line for each of its hosts.
func (w *writer) claim(site string, c *claim) {
	open := func(value any) { // an object without its closing brace
		text, err := json.Marshal(value)
		if w.err == nil {
			w.err = err
		}
		w.out.Write(bytes.TrimSuffix(text, []byte("}")))
	}
	open(consumer{Cluster: c.cluster.String(), UUID: ClusterID(site, c.cluster)})
	w.text(`,"body":`)
	open(consumerBody{ConsumerType: ConsumerType, ProjectID: ProjectID(site, c.cluster.Namespace), UserID: UserID(site)})
	w.text(`,"allocations":{`)
	for i, host := range c.hosts {
		if i > 0 {
			w.text(",")
		}
		w.text("\n      ")
		w.value(host)
		w.text(":")
		w.value(allocation{Resources: map[string]int{ResourceClass: 1}})
	}
	w.text("\n    }}}")
}
