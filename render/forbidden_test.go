package render_test

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// TestDenialsAreForbidden: a rule without the reason Forbidden denies with status 422, upon which Flux deletes an object that has
// its force annotation and creates it again.
func TestDenialsAreForbidden(t *testing.T) {
	rules := map[string]int{}
	err := fs.WalkDir(os.DirFS("../golden"), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".yaml") {
			return err
		}
		content, err := os.ReadFile("../golden/" + path)
		if err != nil {
			return err
		}
		for _, document := range bytes.Split(content, []byte("\n---\n")) {
			var policy admissionv1.ValidatingAdmissionPolicy
			if !bytes.Contains(document, []byte("kind: ValidatingAdmissionPolicy\n")) {
				continue
			}
			if err := yaml.Unmarshal(document, &policy); err != nil {
				return err
			}
			for i, rule := range policy.Spec.Validations {
				rules[policy.Name]++
				if rule.Reason == nil || *rule.Reason != metav1.StatusReasonForbidden {
					t.Errorf("%s: %s: validation %d: no reason Forbidden", path, policy.Name, i+1)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(rules) < 6 {
		t.Errorf("policies with rules: found %v, want at least six", rules)
	}
}
