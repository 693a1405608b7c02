package validation

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
)

// What the patches of one cluster may have. kustomize applies each to every object that it matches, and the engine
// does so again at every sync: the work is bounded by what it is given.
const (
	MaxPatchBytes  = 16 << 10
	MaxPatchNodes  = 1_000
	MaxPatchDepth  = 40
	maxPatchesText = 64 << 10
)

// validatePatches reports patches that are not to be handed to kustomize, by what they are alone. What they do is seen
// where they are applied.
func validatePatches(c *v1.SIPCluster) []FieldError {
	var errs []FieldError
	root := complaints{"spec.patches", &errs}
	size := 0
	for i := range c.Spec.Patches {
		patch, at := &c.Spec.Patches[i], root.at("[%d]", i)
		size += len(patch.Patch)
		if err := CheckPatch(patch.Patch); err != nil {
			at.at(".patch").add("%s", err)
		}
	}
	if size > maxPatchesText {
		root.add("%d bytes in all patches, want at most %d", size, maxPatchesText)
	}
	return errs
}

// JoinPatches joins JSON 6902 patches of the same objects that follow one another into one, as long as it is within the
// bounds of a patch: kustomize and the engine write and read each object for each patch. All others stay as they are.
func JoinPatches(patches []v1.Patch) []v1.Patch {
	var out []v1.Patch
	var open *yaml.Node // the operations of the last one, nil if nothing may be added to it
	for i := range patches {
		patch := patches[i]
		operations := operationsOf(&patch)
		if last := len(out) - 1; open != nil && operations != nil && *out[last].Target == *patch.Target {
			joined := *open
			joined.Style = 0
			joined.Content = slices.Concat(open.Content, operations.Content)
			if text, err := yaml.Marshal(&joined); err == nil && CheckPatch(string(text)) == nil {
				out[last].Patch, open = string(text), &joined
				continue
			}
		}
		out, open = append(out, patch), operations
	}
	return out
}

// operationsOf returns the operations of a JSON 6902 patch whose target does not depend on what patches change, nil for
// another.
func operationsOf(patch *v1.Patch) *yaml.Node {
	if patch.Target == nil || patch.Target.LabelSelector+patch.Target.AnnotationSelector != "" {
		return nil
	}
	documents, err := manifest.Bounded([]byte(patch.Patch), manifest.Bounds{Bytes: MaxPatchBytes, Nodes: MaxPatchNodes,
		Depth: MaxPatchDepth})
	if err != nil || len(documents) != 1 || documents[0].Content[0].Kind != yaml.SequenceNode {
		return nil
	}
	return documents[0].Content[0]
}

// CheckPatch refuses the text of a patch that is too large, no plain YAML, or has an operation or directive that
// grows, moves or hides what a reader sees. The error names the line, and no value.
func CheckPatch(text string) error {
	documents, err := manifest.Bounded([]byte(text), manifest.Bounds{Bytes: MaxPatchBytes, Nodes: MaxPatchNodes,
		Depth: MaxPatchDepth})
	if err != nil {
		return err
	}
	if len(documents) == 0 {
		return errors.New("it is empty")
	}
	for _, document := range documents {
		switch root := document.Content[0]; {
		case root.Kind == yaml.MappingNode:
			err = cmp.Or(checkNoList(root), checkMerge(root))
		case root.Kind == yaml.SequenceNode && len(documents) == 1:
			err = checkOperations(root)
		default:
			err = fmt.Errorf("line %d: want a strategic merge patch, which is an object, or a JSON 6902 patch, "+
				"which is a list of operations", root.Line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkNoList refuses a List: kustomize takes it for the objects in it, and passes over an empty one in silence.
func checkNoList(object *yaml.Node) error {
	for i := 0; i+1 < len(object.Content); i += 2 {
		if key, value := object.Content[i], object.Content[i+1]; key.Value == "kind" &&
			strings.HasSuffix(value.Value, "List") {
			return fmt.Errorf("line %d: kind: found a List, want one object, or a document for each", value.Line)
		}
	}
	return nil
}

// checkOperations reads a JSON 6902 patch. copy grows: twenty of them make a million of one. What move does, remove
// and add do.
func checkOperations(list *yaml.Node) error {
	for _, operation := range list.Content {
		if operation.Kind != yaml.MappingNode {
			return fmt.Errorf("line %d: want an operation, with op and path", operation.Line)
		}
		has := map[string]bool{}
		for i := 0; i+1 < len(operation.Content); i += 2 {
			key, value := operation.Content[i], operation.Content[i+1]
			has[key.Value] = true
			switch key.Value {
			case "op":
				if !slices.Contains([]string{"add", "remove", "replace", "test"}, value.Value) {
					return fmt.Errorf("line %d: op: want add, remove, replace or test; copy and move are not taken",
						value.Line)
				}
			case "path":
				if value.Kind != yaml.ScalarNode || !strings.HasPrefix(value.Value, "/") {
					return fmt.Errorf("line %d: path: want a field below the object, as in /spec/replicas", value.Line)
				}
				for step := range strings.SplitSeq(value.Value, "/") {
					if err := checkKey(strings.NewReplacer("~1", "/", "~0", "~").Replace(step),
						value.Line); err != nil {
						return err
					}
				}
			case "value":
				if err := checkMerge(value); err != nil {
					return err
				}
			default:
				return fmt.Errorf("line %d: want op, path and value; copy and move are not taken", key.Line)
			}
		}
		if !has["op"] || !has["path"] {
			return fmt.Errorf("line %d: want an operation, with op and path", operation.Line)
		}
	}
	return nil
}

// checkMerge looks for the keys that kustomize and the strategic merge obey, at any depth: they are not in what is
// built, where the rest is checked.
func checkMerge(node *yaml.Node) error {
	if node.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(node.Content); i += 2 {
			if err := checkKey(node.Content[i].Value, node.Content[i].Line); err != nil {
				return err
			}
		}
	}
	for _, child := range node.Content {
		if err := checkMerge(child); err != nil {
			return err
		}
	}
	return nil
}

func checkKey(key string, line int) error {
	switch {
	case strings.HasPrefix(key, "$") && key != "$patch":
		return fmt.Errorf("line %d: the directive %.40q, want none but $patch", line, key)
	case strings.Contains(strings.ToLower(key), "config.kubernetes.io/"), strings.Contains(strings.ToLower(key),
		"kustomize.config.k8s.io/"):
		return fmt.Errorf("line %d: %.80q steers kustomize", line, key)
	}
	return nil
}
