package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
)

// typedFields maps fields of objects to the field of a service's entry that sets them, by kind and path; "[]" is any
// item of a list.
var typedFields = map[string][]struct{ path, field string }{
	"Deployment": {
		{"spec.replicas", "replicas"},
		{"spec.template.spec.nodeSelector", "nodeLabels"},
		{"spec.template.spec.affinity", "pods.nodeAffinity, pods.podAffinity and pods.podAntiAffinity"},
		{"spec.template.spec.topologySpreadConstraints", "pods.topologySpread"},
		{"spec.template.spec.containers[].image", "image"},
		{"spec.template.spec.containers[].resources", "resources"},
		{"spec.template.spec.containers[].livenessProbe", "pods.probes.liveness"},
		{"spec.template.spec.containers[].readinessProbe", "pods.probes.readiness"},
		{"spec.template.spec.containers[].startupProbe", "pods.probes.startup"},
		{"spec.template.metadata.labels", "pods.labels"},
		{"spec.template.metadata.annotations", "pods.annotations"},
		{"metadata.labels", "labels"},
		{"metadata.annotations", "annotations"},
	},
	"Service": {
		{"metadata.labels", "labels"},
		{"metadata.annotations", "service.annotations"},
	},
	"NetworkPolicy":       {{"metadata.labels", "labels"}, {"metadata.annotations", "annotations"}},
	"PodDisruptionBudget": {{"metadata.labels", "labels"}, {"metadata.annotations", "annotations"}},
}

// patchedFields returns warnings of patches that set what a field of the entry sets. It reads only the texts of
// patches, so it can miss some.
func patchedFields(c *v1.SIPCluster) []FieldError {
	var out []FieldError
	for i := range c.Spec.Patches {
		patch := &c.Spec.Patches[i]
		documents, err := manifest.Bounded([]byte(patch.Patch), manifest.Bounds{Bytes: MaxPatchBytes,
			Nodes: MaxPatchNodes, Depth: MaxPatchDepth})
		if err != nil {
			continue // said elsewhere
		}
		fields := map[string]bool{}
		for _, document := range documents {
			kind := ""
			if patch.Target != nil {
				kind = patch.Target.Kind
			}
			for _, path := range patchedPaths(document.Content[0], &kind) {
				for _, known := range typedFields[kind] {
					if path == known.path || strings.HasPrefix(path, known.path+".") || strings.HasPrefix(path,
						known.path+"[") {
						fields[known.field] = true
					}
				}
			}
		}
		if len(fields) > 0 {
			out = append(out, FieldError{Path: fmt.Sprintf("spec.patches[%d]", i), Message: fmt.Sprintf(
				"sets what the service's entry has a field for: %s; use the field instead of a patch",
				strings.Join(slices.Sorted(maps.Keys(fields)), "; "))})
		}
	}
	return out
}

// patchedPaths returns the paths that a patch sets, of JSON 6902 operations or of a strategic merge. An empty kind
// is set from the patch.
func patchedPaths(root *yaml.Node, kind *string) []string {
	var out []string
	if root.Kind == yaml.SequenceNode {
		for _, operation := range root.Content {
			for i := 0; i+1 < len(operation.Content); i += 2 {
				if operation.Content[i].Value == "path" {
					out = append(out, pathOfPointer(operation.Content[i+1].Value))
				}
			}
		}
		return out
	}
	var walk func(path string, n *yaml.Node)
	walk = func(path string, n *yaml.Node) {
		switch n.Kind {
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				key, value := n.Content[i].Value, n.Content[i+1]
				if path == "" && key == "kind" && *kind == "" {
					*kind = value.Value
				}
				walk(strings.TrimPrefix(path+"."+key, "."), value)
			}
		case yaml.SequenceNode:
			for _, item := range n.Content {
				walk(path+"[]", item)
			}
		default:
			out = append(out, path)
		}
	}
	walk("", root)
	return out
}

// pathOfPointer returns a JSON pointer as a path: /spec/containers/0/image is spec.containers[].image.
func pathOfPointer(text string) string {
	var out strings.Builder
	for _, step := range strings.Split(strings.TrimPrefix(text, "/"), "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		if step == "-" || step != "" && strings.Trim(step, "0123456789") == "" {
			out.WriteString("[]")
			continue
		}
		if out.Len() > 0 {
			out.WriteByte('.')
		}
		out.WriteString(step)
	}
	return out.String()
}
