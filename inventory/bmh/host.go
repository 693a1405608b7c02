// Package bmh makes hosts of metal3's objects: BareMetalHosts, the Secrets that they name as network data, and HardwareData.
// It is what every source of an inventory has in common, and the one place that knows metal3's types.
package bmh

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
)

// The annotations and labels by which people and controllers mark a host.
const (
	unhealthyAnnotation  = "capm3.metal3.io/unhealthy"
	nodeReuseLabel       = "infrastructure.cluster.x-k8s.io/node-reuse"
	lintIgnoreAnnotation = "sip.airshipit.org/lint-ignore"
)

// engineKeys are the annotations and labels by which kubectl and the GitOps engines track an object.
var engineKeys = []string{
	"argocd.argoproj.io/", "kustomize.toolkit.fluxcd.io/", "kubectl.kubernetes.io/last-applied-configuration", "app.kubernetes.io/instance",
}

func isMetal3(doc *manifest.Document, kind string) bool {
	return doc.Kind == kind && strings.HasPrefix(doc.APIVersion, metal3Group)
}

// Related are the documents that hosts refer to, by namespace and name.
type Related struct {
	Secrets, Hardware map[string]*manifest.Document
	// Unread says of Secrets why they are not among them, where there is more to say than that.
	Unread map[string]string
}

func relatedOf(docs []manifest.Document) Related {
	o := Related{Secrets: map[string]*manifest.Document{}, Hardware: map[string]*manifest.Document{}}
	for i := range docs {
		switch doc := &docs[i]; {
		case doc.Kind == KindSecret && doc.APIVersion == "v1":
			o.Secrets[Key(doc.Namespace, doc.Name)] = doc
		case isMetal3(doc, KindHardwareData):
			o.Hardware[Key(doc.Namespace, doc.Name)] = doc
		}
	}
	return o
}

// Key is "namespace/name" of an object.
func Key(namespace, name string) string {
	if namespace == "" {
		namespace = "default"
	}
	return namespace + "/" + name
}

// hostOf makes a host of its document and of what it refers to.
func hostOf(doc *manifest.Document, related Related) (inventory.Host, error) {
	var bmh metal3.BareMetalHost
	if err := doc.DecodeLoose(&bmh); err != nil {
		return inventory.Host{}, err
	}
	if bmh.Namespace == "" {
		bmh.Namespace = "default"
	}
	var problems manifest.Problems
	problems.Add(CheckNames(doc, bmh.Namespace, bmh.Name, bmh.Labels))
	host := FromObject(&bmh)
	host.Source = doc.Where()
	if len(bmh.ManagedFields) > 0 {
		host.Managers = Managers(bmh.ManagedFields)
	}
	AddAddresses(&host, &bmh, doc, related)
	return host, problems.Err()
}

// CheckNames refuses names and labels that an API server would refuse too: they become paths and
// labels in what is rendered, and files are not checked by an API server.
func CheckNames(doc *manifest.Document, namespace, name string, labels map[string]string) error {
	var problems manifest.Problems
	for _, message := range validation.IsDNS1123Subdomain(name) {
		problems.Add(doc.Problem("metadata.name", "found %q: %s", name, message))
	}
	for _, message := range validation.IsDNS1123Label(namespace) {
		problems.Add(doc.Problem("metadata.namespace", "found %q: %s", namespace, message))
	}
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		if len(validation.IsQualifiedName(label)) > 0 {
			problems.Add(doc.Problem("metadata.labels", "%q is no valid label", label))
		} else if len(validation.IsValidLabelValue(labels[label])) > 0 {
			problems.Add(doc.Problem("metadata.labels["+label+"]", "found %q, want at most 63 letters, digits and - _ . between them", labels[label]))
		}
	}
	return problems.Err()
}

// FromObject takes what sipgen needs out of a BareMetalHost; addresses are added later.
func FromObject(bmh *metal3.BareMetalHost) inventory.Host {
	host := inventory.Host{
		Namespace: bmh.Namespace, Name: bmh.Name, UID: string(bmh.UID), Labels: bmh.Labels,
		BMC: inventory.BMC{
			Address:         WithoutUser(bmh.Spec.BMC.Address),
			CredentialsName: bmh.Spec.BMC.CredentialsName,
			InsecureTLS:     bmh.Spec.BMC.DisableCertificateVerification,
		},
		State: inventory.State{
			Known:                 bmh.Status.Provisioning.State != "" || bmh.Status.OperationalStatus != "",
			Provisioning:          string(bmh.Status.Provisioning.State),
			Operational:           string(bmh.Status.OperationalStatus),
			ErrorType:             string(bmh.Status.ErrorType),
			ErrorMessage:          bmh.Status.ErrorMessage,
			Paused:                has(bmh.Annotations, metal3.PausedAnnotation),
			Detached:              has(bmh.Annotations, metal3.DetachedAnnotation),
			Unhealthy:             has(bmh.Annotations, unhealthyAnnotation),
			NodeReuse:             bmh.Labels[nodeReuseLabel],
			Deleting:              bmh.DeletionTimestamp != nil,
			Online:                bmh.Spec.Online,
			ExternallyProvisioned: bmh.Spec.ExternallyProvisioned,
			Image:                 bmh.Spec.Image != nil && bmh.Spec.Image.URL != "" || bmh.Spec.CustomDeploy != nil,
		},
		Engine:     engineMarks(bmh),
		BootMAC:    bmh.Spec.BootMACAddress,
		LintIgnore: bmh.Annotations[lintIgnoreAnnotation],
	}
	host.State.ImageName = imageName(&bmh.Spec)
	if ref := bmh.Spec.ConsumerRef; ref != nil {
		host.State.Consumer = &inventory.Consumer{APIVersion: ref.APIVersion, Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}
	}
	Clean(&host)
	return host
}

// imageName is inventory.State.ImageName of a spec. The sync guard builds the same name from the live object, with the URL functions of the
// API server's CEL library: url.ParseRequestURI, then url.Parse.
func imageName(spec *metal3.BareMetalHostSpec) string {
	if spec.Image != nil {
		if _, err := url.ParseRequestURI(spec.Image.URL); err != nil {
			return "image/"
		}
		parsed, err := url.Parse(spec.Image.URL)
		if err != nil {
			return "image/"
		}
		return "image/" + parsed.Hostname() + parsed.EscapedPath()
	}
	if spec.CustomDeploy != nil {
		return "customDeploy/" + spec.CustomDeploy.Method
	}
	return ""
}

func has(m map[string]string, key string) bool {
	_, found := m[key]
	return found
}

// engineMarks are the annotations and labels of GitOps engines and kubectl. Of
// last-applied-configuration only the presence: its content is a whole object.
func engineMarks(bmh *metal3.BareMetalHost) map[string]string {
	marks := map[string]string{}
	for _, from := range []map[string]string{bmh.Labels, bmh.Annotations} {
		for name, value := range from {
			if slices.ContainsFunc(engineKeys, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
				if strings.HasPrefix(name, "kubectl.") {
					value = "present"
				}
				marks[name] = value
			}
		}
	}
	if len(marks) == 0 {
		return nil
	}
	return marks
}

var urlScheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)

// WithoutUser takes user and password out of an address. A password that is not escaped may hold any
// character, so all between the scheme and the last @ goes, even where that costs a path its @.
func WithoutUser(address string) string {
	i := strings.LastIndexByte(address, '@')
	if i < 0 {
		return address
	}
	return urlScheme.FindString(address[:i]) + address[i+1:]
}
