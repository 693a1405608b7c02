// Package upstream checks the specs of other projects' kinds by the definitions that these projects publish, with the
// library of the API server. crds/README.md has the origin of each definition.
package upstream

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kube-openapi/pkg/validation/errors"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/yaml"
)

//go:embed crds/*.yaml
var crds embed.FS

// Kind is a kind of another project.
type Kind struct {
	APIVersion, Kind string
	// Origin is the project and the version that the definition is of.
	Origin string
	file   string
	// spec is the structural schema of the kind's spec. It is parsed when it is needed.
	spec func() (*schema.Structural, error)
}

// The kinds that a Site has services of.
var (
	Ironic = kind("ironic.metal3.io/v1alpha1", "Ironic", "ironic-standalone-operator v0.10.0",
		"ironics.yaml")
	Vino         = kind("airship.airshipit.org/v1", "Vino", "ViNO 83374ff", "vinoes.yaml")
	PlacementAPI = kind("placement.openstack.org/v1beta1", "PlacementAPI",
		"placement-operator 8f5b392", "placementapis.yaml")
	NetworkAttachmentDefinition = kind("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition",
		"network-attachment-definition-client v1.7.7",
		"network-attachment-definitions.yaml")
	IPAddressPool = kind("metallb.io/v1beta1", "IPAddressPool", "MetalLB v0.16.2", "ipaddresspools.yaml")
)

// IronicVersions are the versions of Ironic that the operator of the definition can install, oldest first.
var IronicVersions = []string{"33.0", "34.0", "35.0", "37.0", "latest"}

func kind(apiVersion, name, origin, file string) *Kind {
	return &Kind{apiVersion, name, origin, file,
		sync.OnceValues(func() (*schema.Structural, error) { return parse(file) })}
}

// Definition is the kind's CustomResourceDefinition, as its project publishes it.
func (k *Kind) Definition() ([]byte, error) { return crds.ReadFile("crds/" + k.file) }

func parse(file string) (*schema.Structural, error) {
	text, err := crds.ReadFile("crds/" + file)
	if err != nil {
		return nil, err
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &definition); err != nil {
		return nil, err
	}
	published := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&published, &internal,
		nil); err != nil {
		return nil, err
	}
	spec, err := schema.NewStructural(&internal)
	if err != nil {
		return nil, err
	}
	withoutDefaulted(spec)
	return spec, nil
}

// withoutDefaulted requires no field that has a default: the API server fills it in before it validates.
func withoutDefaulted(s *schema.Structural) {
	if s == nil {
		return
	}
	if s.ValueValidation != nil {
		s.ValueValidation.Required = slices.DeleteFunc(s.ValueValidation.Required, func(name string) bool {
			property := s.Properties[name]
			return property.Default.Object != nil
		})
	}
	for name, property := range s.Properties {
		withoutDefaulted(&property)
		s.Properties[name] = property
	}
	if s.AdditionalProperties != nil {
		withoutDefaulted(s.AdditionalProperties.Structural)
	}
	withoutDefaulted(s.Items)
}

// Fault is a value that the definition does not allow.
type Fault struct {
	Field, Message string
	// Value is the one that was found, nil if Message says enough.
	Value any
}

// Unknown is a field that the definition does not have, and the fields that it has in that place.
type Unknown struct {
	Field string
	Known []string
}

// Check holds a spec against the definition. Fields are paths in the spec, as "networks[0].subnet".
func (k *Kind) Check(spec map[string]any) (faults []Fault, unknown []Unknown, err error) {
	s, err := k.spec()
	if err != nil {
		return nil, nil, err
	}
	pruned := runtime.DeepCopyJSON(spec)
	for _, path := range pruning.PruneWithOptions(pruned, s, false,
		schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}) {
		unknown = append(unknown, Unknown{path, k.known(s, path)})
	}
	result := validate.NewSchemaValidator(s.ToKubeOpenAPI(), nil, "", strfmt.Default).Validate(pruned)
	for _, err := range result.Errors {
		fault := Fault{Message: "want it to be another value"}
		if invalid, is := err.(*errors.Validation); is {
			fault = faultOf(invalid)
		}
		faults = append(faults, fault)
	}
	slices.SortStableFunc(faults, func(a, b Fault) int { return strings.Compare(a.Field, b.Field) })
	return faults, unknown, nil
}

// faultOf puts the library's error into the words of other messages: the library repeats values.
func faultOf(err *errors.Validation) Fault {
	fault := Fault{Field: strings.TrimPrefix(err.Name, "."), Value: err.Value}
	_, should, _ := strings.Cut(err.Error(), " should ")
	switch err.Code() {
	case errors.RequiredFailCode:
		fault.Message, fault.Value = "missing", nil
	case errors.InvalidTypeCode:
		_, wanted, _ := strings.Cut(err.Error(), "must be of type ")
		wanted, found, _ := strings.Cut(wanted, ": ")
		fault.Message, fault.Value = "found "+typeName(strings.Trim(found, `"`))+", want "+typeName(wanted), nil
	case errors.EnumFailCode:
		var values []string
		for _, value := range err.Values {
			values = append(values, cmp.Or(fmt.Sprint(value), `""`))
		}
		fault.Message = "want " + strings.Join(values, " or ")
	default:
		fault.Message = "want it to " + cmp.Or(should, "be another value")
	}
	return fault
}

// typeName is a type of JSON in the words of other messages.
func typeName(name string) string {
	names := map[string]string{
		"integer": "a whole number", "number": "a number", "boolean": "true or false", "array": "a list",
		"object": "a mapping", "string": "a string",
		"null": "no value",
	}
	return cmp.Or(names[name], name)
}

// known are the fields beside the last one of a path.
func (k *Kind) known(s *schema.Structural, path string) []string {
	steps := strings.Split(path, ".")
	for _, step := range steps[:len(steps)-1] {
		name, _, _ := strings.Cut(step, "[")
		next, found := s.Properties[name]
		if !found {
			return nil
		}
		for range strings.Count(step, "[") {
			if next.Items == nil {
				return nil
			}
			next = *next.Items
		}
		s = &next
	}
	var names []string
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
