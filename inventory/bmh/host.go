// Package bmh converts metal3's objects to hosts: BareMetalHosts, the Secrets that they name as network data, and
// HardwareData. All sources of an inventory use it, and only it uses metal3's types.
package bmh

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/types"
	strictjson "sigs.k8s.io/json"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
)

// The annotations and labels by which people and controllers mark a host.
const (
	unhealthyAnnotation = "capm3.metal3.io/unhealthy"
	// CAPM3 up to v1.12 writes and reads this one alone; later ones skip hosts with either.
	oldUnhealthyAnnotation = "capi.metal3.io/unhealthy"

	lintIgnoreAnnotation = "sip.airshipit.org/lint-ignore"
)

// engineKeys are the annotations and labels by which kubectl and the GitOps engines track an object.
var engineKeys = append(inventory.EnginePrefixes(), inventory.EngineLabel,
	"kubectl.kubernetes.io/last-applied-configuration")

func isMetal3(doc *manifest.Document, kind string) bool {
	return doc.Kind == kind && strings.HasPrefix(doc.APIVersion, metal3Group)
}

// Related are the documents that hosts refer to, by namespace and name.
type Related struct {
	Secrets, Hardware map[string]*manifest.Document
	// Unread has the reasons why Secrets are missing, if there is a special one.
	Unread map[string]string
	// twice has the kind and name of each object that is defined more than once, and not alike.
	twice map[string]bool
}

func relatedOf(docs []manifest.Document) Related {
	o := Related{Secrets: map[string]*manifest.Document{}, Hardware: map[string]*manifest.Document{},
		twice: map[string]bool{}}
	add := func(to map[string]*manifest.Document, doc *manifest.Document) {
		key := Key(doc.Namespace, doc.Name)
		if other := to[key]; other != nil && !bytes.Equal(other.JSON, doc.JSON) {
			o.twice[doc.Kind+" "+key] = true
		}
		to[key] = doc
	}
	for i := range docs {
		switch doc := &docs[i]; {
		case doc.Kind == KindSecret && doc.APIVersion == "v1":
			add(o.Secrets, doc)
		case isMetal3(doc, KindHardwareData):
			add(o.Hardware, doc)
		}
	}
	return o
}

// definedTwice returns what is wrong with an object that is defined more than once: which one counts would depend on
// the order of the files. It is empty for any other.
func (o *Related) definedTwice(kind, key string) string {
	if !o.twice[kind+" "+key] {
		return ""
	}
	return fmt.Sprintf("%s %s is defined more than once, and differently", kind, key)
}

// Key returns "namespace/name" of an object.
func Key(namespace, name string) string {
	if namespace == "" {
		namespace = "default"
	}
	return namespace + "/" + name
}

// hostOf returns the host of a document and its related objects. Problems of the document are the host's faults; a
// document without a valid name is left out.
func hostOf(doc *manifest.Document, related Related) (host inventory.Host, why *inventory.LeftOut) {
	var bmh metal3.BareMetalHost
	unreadable := doc.DecodeLoose(&bmh)
	if unreadable != nil {
		// The decoded part may end in the middle of a field.
		bmh = metal3.BareMetalHost{}
		bmh.Namespace, bmh.Name = doc.Namespace, doc.Name
		var object struct {
			Metadata json.RawMessage `json:"metadata"`
		}
		_ = json.Unmarshal(doc.JSON, &object) // there may be none
		uid, labels := ReadIdentity(object.Metadata)
		bmh.UID, bmh.Labels = types.UID(uid), labels
	}
	without := bmh.Namespace == ""
	if without {
		bmh.Namespace = "default"
	}
	if field, text := BadName(bmh.Namespace, bmh.Name); field != "" {
		return host, &inventory.LeftOut{Source: doc.Place(), Field: field, Text: text}
	}
	host = FromObject(&bmh)
	host.Source, host.NoNamespace = doc.Place(), without
	if unreadable != nil {
		host.Faults = append(host.Faults, FaultsOf(unreadable)...)
		host.Faults = host.Faults[:min(len(host.Faults), maxFaults)]
		CheckLabels(&host)
		return host, nil
	}
	CheckLabels(&host)
	if len(bmh.ManagedFields) > 0 {
		host.Managers = Managers(bmh.ManagedFields)
	}
	AddAddresses(&host, &bmh, doc, related)
	return host, nil
}

// ReadIdentity returns the uid and the labels of an object that cannot be decoded as a whole, as far as they can. text
// is the JSON of the mapping that has them.
func ReadIdentity(text []byte) (uid string, labels map[string]string) {
	var fields, values map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return "", nil
	}
	_ = json.Unmarshal(fields["uid"], &uid) // it may be missing, or no text
	if json.Unmarshal(fields["labels"], &values) != nil {
		return uid, nil
	}
	for label, text := range values {
		var value *string
		if json.Unmarshal(text, &value) == nil && value != nil {
			if labels == nil {
				labels = map[string]string{}
			}
			labels[label] = *value
		}
	}
	return uid, labels
}

// maxFaults is how many faults of one document are noted.
const maxFaults = 5

// FaultsOf returns the problems of a document that cannot be decoded: the first few, at least one.
func FaultsOf(err error) (faults []inventory.Fault) {
	for _, problem := range manifest.Split(err) {
		if len(faults) < maxFaults {
			faults = append(faults, faultOf(problem))
		}
	}
	return faults
}

// faultOf returns a problem of a document that cannot be read.
func faultOf(err error) inventory.Fault {
	if problem := (*manifest.Problem)(nil); errors.As(err, &problem) {
		return inventory.Fault{Kind: inventory.FaultObject, Field: clean(problem.Field), Text: clean(problem.Message),
			Line: problem.Line}
	}
	return inventory.Fault{Kind: inventory.FaultObject, Text: "cannot be read"}
}

// FromObject returns the host of a BareMetalHost; addresses are added later. An object without a status gets the one
// that its annotation has.
func FromObject(bmh *metal3.BareMetalHost) inventory.Host {
	faults := restoreStatus(bmh)
	host := inventory.Host{
		Namespace: bmh.Namespace, Name: bmh.Name, UID: string(bmh.UID), Labels: bmh.Labels,
		BMC: inventory.BMC{
			Address:         WithoutUser(bmh.Spec.BMC.Address),
			CredentialsName: bmh.Spec.BMC.CredentialsName,
			InsecureTLS:     bmh.Spec.BMC.DisableCertificateVerification,
		},
		State: inventory.State{
			Known:        hasStatus(bmh),
			Provisioning: string(bmh.Status.Provisioning.State),
			Operational:  string(bmh.Status.OperationalStatus),
			ErrorType:    string(bmh.Status.ErrorType),
			ErrorMessage: bmh.Status.ErrorMessage,
			Paused:       has(bmh.Annotations, metal3.PausedAnnotation),
			Detached:     has(bmh.Annotations, metal3.DetachedAnnotation),
			Unhealthy: has(bmh.Annotations, unhealthyAnnotation) ||
				has(bmh.Annotations, oldUnhealthyAnnotation),
			Retired:               reason(bmh.Annotations, inventory.RetireAnnotation),
			Cordoned:              reason(bmh.Annotations, inventory.CordonAnnotation),
			NodeReuse:             bmh.Labels[inventory.NodeReuseLabel],
			Deleting:              bmh.DeletionTimestamp != nil,
			Online:                bmh.Spec.Online,
			PoweredOff:            staysOff(bmh),
			ExternallyProvisioned: bmh.Spec.ExternallyProvisioned,
			Uncleaned:             bmh.Spec.AutomatedCleaningMode == metal3.CleaningModeDisabled,
			Image:                 hasImage(&bmh.Spec) || bmh.Spec.CustomDeploy != nil,
		},
		Engine:     engineMarks(bmh),
		BootMAC:    bmh.Spec.BootMACAddress,
		LintIgnore: bmh.Annotations[lintIgnoreAnnotation],
		Faults:     faults,

		UnreadAnnotations: unreadAnnotations(bmh),
	}
	CheckLength(&host)
	host.State.ImageName = imageName(&bmh.Spec)
	if ref := bmh.Spec.ConsumerRef; ref != nil {
		host.State.Consumer = &inventory.Consumer{APIVersion: ref.APIVersion, Kind: ref.Kind, Namespace: ref.Namespace,
			Name: ref.Name}
	}
	Clean(&host)
	CheckSecrets(&host)
	return host
}

// staysOff reports whether metal3 found the power off and could not switch it on.
func staysOff(bmh *metal3.BareMetalHost) bool {
	return bmh.Spec.Online && !bmh.Status.PoweredOn && bmh.Status.ErrorType == metal3.PowerManagementError
}

func hasStatus(bmh *metal3.BareMetalHost) bool {
	return bmh.Status.Provisioning.State != "" || bmh.Status.OperationalStatus != ""
}

// maxStatus is how large the annotations of an object may be: the API server's limit.
const maxStatus = 256 << 10

// restoreStatus reads the status of an object without one from metal3's annotation, which clusterctl move and
// backups write. baremetal-operator does the same.
func restoreStatus(bmh *metal3.BareMetalHost) []inventory.Fault {
	text, found := bmh.Annotations[metal3.StatusAnnotation]
	if !found || hasStatus(bmh) {
		return nil
	}
	fault := ""
	var status metal3.BareMetalHostStatus
	if len(text) > maxStatus {
		fault = fmt.Sprintf("found %d bytes, want at most %d", len(text), maxStatus)
	} else if strict, err := strictjson.UnmarshalStrict([]byte(text), &status,
		strictjson.DisallowDuplicateFields); err != nil {
		fault = "cannot be read, want the JSON of a host's status"
	} else if len(strict) > 0 {
		fault = "a field in it is given twice, want the JSON of a host's status"
	}
	if fault == "" {
		bmh.Status = status
		return nil
	}
	return []inventory.Fault{{Kind: inventory.FaultObject, Field: "metadata.annotations[" + metal3.StatusAnnotation + "]",
		Text: fault}}
}

// hasImage reports whether a spec has an image for metal3, and for the guards: one without a URL is none.
func hasImage(spec *metal3.BareMetalHostSpec) bool { return spec.Image != nil && spec.Image.URL != "" }

// imageName returns inventory.State.ImageName of a spec. The sync guard builds the same name from the live object,
// with the URL functions of the API server's CEL library: url.ParseRequestURI, then url.Parse.
func imageName(spec *metal3.BareMetalHostSpec) string {
	if hasImage(spec) {
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

// reason returns the value of an annotation that should have one, "" without the annotation.
func reason(annotations map[string]string, key string) string {
	value, found := annotations[key]
	if found && clean(value) == "" {
		return inventory.NoReason
	}
	return value
}

func has(m map[string]string, key string) bool {
	_, found := m[key]
	return found
}

// engineMarks returns the annotations and labels of GitOps engines and kubectl. Of
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
