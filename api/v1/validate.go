package v1

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// MaxCount is the largest count a role may ask for: more hosts than a site has.
const MaxCount = 100_000

// FieldError is a complaint about one field of an object. Path is as in
// "spec.nodes.Worker.count.active"; items of lists are "[n]".
type FieldError struct{ Path, Message string }

func (e FieldError) Error() string { return e.Path + ": " + e.Message }

// FromDocuments decodes and validates the SIPClusters among docs, and leaves documents of other
// kinds alone. The result is sorted by namespace and name. Every problem is reported.
func FromDocuments(docs []manifest.Document) ([]SIPCluster, error) {
	var (
		clusters []SIPCluster
		problems manifest.Problems
		seen     = map[string]string{}
	)
	for _, d := range Decode(docs) {
		for _, err := range d.Errs {
			problems.Add(err)
		}
		if d.Cluster == nil {
			continue
		}
		//guard: of two specs of one name one counts, in silence
		if first, twice := seen[d.Cluster.Key()]; twice {
			problems.Add(d.Twice(first))
			continue
		}
		seen[d.Cluster.Key()] = d.Cluster.Source
		clusters = append(clusters, *d.Cluster)
	}
	slices.SortFunc(clusters, compareKeys)
	return clusters, problems.Err()
}

// Decoded is a document that is, or reads as if it were meant to be, a SIPCluster.
type Decoded struct {
	Document *manifest.Document
	// Cluster is nil if the document could not be decoded, and if it has more in it than a spec may: nobody is to compute anything from that.
	Cluster *SIPCluster
	// Errs are all that is wrong with it by itself.
	Errs []error
}

// Twice is the complaint about a document whose cluster another one has already, at first.
func (d *Decoded) Twice(first string) error {
	return d.Document.Problem("metadata.name", "SIPCluster %s is a duplicate, first defined at %s: delete one of them, or rename it", d.Cluster.Key(), first)
}

// Decode is FromDocuments with what is wrong kept apart for each document, and with clusters that stand twice. The order is that of docs.
func Decode(docs []manifest.Document) []Decoded {
	var out []Decoded
	for i := range docs {
		d := Decoded{Document: &docs[i]}
		doc := d.Document
		switch {
		case doc.Kind == "" && doc.APIVersion == "":
			d.Errs = append(d.Errs, doc.Problem("", "no apiVersion and no kind: not a Kubernetes object"))
		//guard: a spec that lost its kind is no spec, and all hosts of its cluster are released
		case doc.NoKind():
			d.Errs = append(d.Errs, doc.Problem("kind", "missing, want %q or another object's", Kind))
		case doc.APIVersion == APIVersion && doc.Kind != Kind:
			d.Errs = append(d.Errs, doc.Problem("kind", "found %q, want %q", doc.Kind, Kind))
		case doc.Kind == Kind && doc.APIVersion != APIVersion:
			d.Errs = append(d.Errs, doc.Problem("apiVersion", "found %q, want %q", doc.APIVersion, APIVersion))
		case doc.Kind != Kind:
			continue
		default:
			d.decode()
		}
		out = append(out, d)
	}
	return out
}

func (d *Decoded) decode() {
	doc, cluster := d.Document, &SIPCluster{}
	if err := doc.Decode(cluster); err != nil {
		d.Errs = append(d.Errs, err)
		return
	}
	d.Cluster = cluster
	cluster.Source, cluster.Document = doc.Where(), doc
	open := doc.OpenSecrets()
	for i, path := range slices.Sorted(maps.Keys(open)) {
		if i == MaxProblems {
			d.Errs = append(d.Errs, doc.Problem("spec", "and %d more values like these", len(open)-MaxProblems))
			break
		}
		d.Errs = append(d.Errs, doc.Problem(path, "%s in plain text: git would keep it for ever; put the name of a Secret here, and replace the exposed value wherever it is in use", open[path]))
	}
	seen := map[string]bool{}
	for _, found := range append(cluster.Validate(), zeros(doc.JSON)...) {
		zeroAgain := seen[found.Path] && found.Message == zeroFound
		seen[found.Path] = true
		if open[found.Path] == "" && !zeroAgain {
			d.Errs = append(d.Errs, doc.Problem(found.Path, "%s", found.Message))
		}
	}
	//guard: a spec is refused for 5,000 topology keys, and its domains are computed all the same
	if len(cluster.limits()) > 0 {
		d.Cluster = nil
	}
}

func compareKeys(a, b SIPCluster) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// Validate reports what is wrong with the cluster by itself: names that could leave
// their place in a path, a label or a template, selectors, counts, and the services. Of more than MaxProblems it says how many there are.
func (c *SIPCluster) Validate() []FieldError {
	var errs []FieldError
	add := func(path, format string, args ...any) {
		errs = append(errs, FieldError{path, redact.Sprintf(format, args...)})
	}
	//guard: a spec of 60,000 roles holds everybody's plan for minutes
	if errs := c.limits(); len(errs) > 0 {
		return errs
	}
	// Both become label values (63 characters), folders, and parts of object names.
	for _, field := range []struct{ path, value string }{{"metadata.namespace", c.Namespace}, {"metadata.name", c.Name}} {
		//guard: a cluster without a namespace is in whatever namespace the engine takes
		if field.value == "" {
			add(field.path, "missing")
		}
		for _, message := range validation.IsDNS1123Label(field.value) {
			if field.value != "" {
				add(field.path, "found %q: %s", field.value, message)
			}
		}
	}
	c.validateAnnotations(add)
	for _, role := range slices.Sorted(maps.Keys(c.Spec.Nodes)) {
		set := c.Spec.Nodes[role]
		errs = append(errs, set.validate(role)...)
	}
	errs = append(errs, c.validateServices()...)
	return firstOf(append(errs, c.validatePatches()...))
}

func (n *NodeSet) validate(role string) []FieldError {
	var errs []FieldError
	path := "spec.nodes." + role
	if len(validation.IsValidLabelValue(role)) > 0 {
		path = redact.Sprintf("spec.nodes[%q]", role)
	}
	add := func(field, format string, args ...any) {
		errs = append(errs, FieldError{path + field, redact.Sprintf(format, args...)})
	}
	switch {
	case role == "":
		add("", "a role needs a name")
	//guard: the name of a role is any text
	case len(validation.IsValidLabelValue(role)) > 0:
		hint := ""
		if near := knownRole(role); near != "" {
			hint = redact.Sprintf("; did you mean %q?", near)
		}
		add("", "the role's name becomes a label value: found %q, want at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends%s", role, hint)
	}
	if _, err := metav1.LabelSelectorAsSelector(&n.LabelSelector); err != nil {
		add(".labelSelector", "not a valid selector: %s", redact.Quotes(err.Error()))
	}
	n.validateNamespaces(add)
	asked := cmp.Or(n.Count, &NodeCount{})
	for _, count := range []struct {
		field string
		n     int
	}{{".count.active", asked.Active}, {".count.standby", asked.Standby}} {
		//guard: a count of a billion hosts is planned
		if count.n < 0 || count.n > MaxCount {
			add(count.field, "found %d, want 0 to %d", count.n, MaxCount)
		}
	}
	n.validateTopology(add)
	return errs
}

// knownRole is the role that the load balancers know and that another one's name is a slip of.
func knownRole(role string) string {
	for _, known := range []string{RoleControlPlane, RoleWorker} {
		if role != known && manifest.Nearest(role, []string{known}) != "" {
			return known
		}
	}
	return ""
}

// validateTopology looks at what the role says of domains.
func (n *NodeSet) validateTopology(add func(field, format string, args ...any)) {
	if n.TopologyKey != "" {
		for _, message := range validation.IsQualifiedName(n.TopologyKey) {
			add(".topologyKey", "found %q: %s", n.TopologyKey, message)
		}
	}
	if n.TopologyKey != "" && len(n.TopologyKeys) > 0 {
		add(".topologyKeys", "not together with topologyKey")
	}
	seen := map[string]bool{}
	for i, key := range n.TopologyKeys {
		for _, message := range validation.IsQualifiedName(key) {
			add(fmt.Sprintf(".topologyKeys[%d]", i), "found %q: %s", key, message)
		}
		if seen[key] {
			add(fmt.Sprintf(".topologyKeys[%d]", i), "%q is a duplicate", key)
		}
		seen[key] = true
	}
	switch {
	case n.Unlabelled != "" && n.Unlabelled != UnlabelledRefuse && n.Unlabelled != UnlabelledAllow:
		add(".unlabelled", "found %q, want %s or %s", n.Unlabelled, UnlabelledRefuse, UnlabelledAllow)
	case n.Unlabelled != "" && n.TopologyKey == "" && len(n.TopologyKeys) == 0:
		add(".unlabelled", "needs topologyKey, the label that hosts may lack")
	}
	n.validateLimits(add)
	n.validateSpread(add)
	n.validatePack(add)
	n.Hardware.validate(add)
}

func (n *NodeSet) validatePack(add func(field, format string, args ...any)) {
	if n.Pack == "" {
		return
	}
	for _, message := range validation.IsQualifiedName(n.Pack) {
		add(".pack", "found %q: %s", n.Pack, message)
	}
	if slices.Contains(n.Keys(), n.Pack) || n.Spread != nil && n.Spread.TopologyKey == n.Pack {
		add(".pack", "%q is a key that keeps the role's hosts apart, want another one", n.Pack)
	}
}

func (n *NodeSet) validateLimits(add func(field, format string, args ...any)) {
	if n.MaxPerDomain < 0 || n.MaxPerDomain > MaxCount {
		add(".maxPerDomain", "found %d, want 1 to %d", n.MaxPerDomain, MaxCount)
	}
	if n.MaxPerDomain > 0 && n.TopologyKey == "" {
		add(".maxPerDomain", "needs topologyKey, the label whose values are the domains; with topologyKeys, use maxPerDomainByKey")
	}
	if n.MaxPerDomain > 0 && len(n.MaxPerDomainByKey) > 0 {
		add(".maxPerDomainByKey", "not together with maxPerDomain")
	}
	for _, key := range slices.Sorted(maps.Keys(n.MaxPerDomainByKey)) {
		if len(validation.IsQualifiedName(key)) > 0 || !slices.Contains(n.Keys(), key) {
			add(".maxPerDomainByKey", "%q is not a topology key of the role", key)
			continue
		}
		if most := n.MaxPerDomainByKey[key]; most < 1 || most > MaxCount {
			add(".maxPerDomainByKey["+key+"]", "found %d, want 1 to %d", most, MaxCount)
		}
	}
}

func (n *NodeSet) validateSpread(add func(field, format string, args ...any)) {
	if n.Spread == nil {
		return
	}
	for _, message := range validation.IsQualifiedName(n.Spread.TopologyKey) {
		add(".spread.topologyKey", "found %q: %s", n.Spread.TopologyKey, message)
	}
	if n.Spread.MaxSkew < 0 || n.Spread.MaxSkew > MaxCount {
		add(".spread.maxSkew", "found %d, want 1 to %d", n.Spread.MaxSkew, MaxCount)
	}
	if n.Spread.TopologyKey == n.TopologyKey || slices.Contains(n.TopologyKeys, n.Spread.TopologyKey) {
		add(".spread.topologyKey", "%q is a topology key of the role already: it is spread by that", n.Spread.TopologyKey)
	}
}
