package sipgen_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"github.com/stretchr/testify/assert"
)

// key is what a label or an annotation with a domain looks like.
var key = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+/[A-Za-z0-9][A-Za-z0-9._-]*$`)

// noKeys look like keys and are none.
var noKeys = regexp.MustCompile(`/v1(alpha\d|beta\d)?$|^(docker|ghcr|quay)\.io/|^registry\.example|^github\.com/|^git\.example\.org/|^[0-9.]+/|^sarif-|^www\.|^raw\.` +
	// Which the code refuses in what a tenant writes: docs/services.md lists them.
	`|^cluster-autoscaler\.|^metallb\.universe\.tf/|/address-pool$|^kube-vip\.io/kube-vip-class$` +
	// A protocol and a node's label that pods are scheduled by, a JWT's claim.
	`|^kubernetes\.io/(h2c|serviceaccount)$|^node-role\.kubernetes\.io/`)

// TestEveryKeyIsDocumented compares docs/keys.md with the source, both ways.
func TestEveryKeyIsDocumented(t *testing.T) {
	page := need.Read(t, "docs/keys.md")
	documented := map[string]bool{}
	for _, match := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(string(page), -1) {
		if name := strings.Replace(match[1], "<network>", "oam", 1); key.MatchString(name) && !strings.HasSuffix(name,
			".md") {
			documented[name] = true
		}
	}
	used := map[string]string{metal3.PausedAnnotation: "metal3", metal3.DetachedAnnotation: "metal3",
		metal3.StatusAnnotation: "metal3", metal3.RebootAnnotationPrefix: "metal3"}
	literals(t, func(file, text string) {
		text = strings.TrimSuffix(text, ".")
		if text == "sip.airshipit.org/address" {
			text += ".oam"
		}
		if text == v1alpha1.NetworkLabelPrefix {
			text += "oam"
		}
		if key.MatchString(text) && !noKeys.MatchString(text) {
			used[text] = file
		}
	})
	delete(used, metal3.RebootAnnotationPrefix) // has no slash
	for name, file := range used {
		assert.Truef(t, documented[name], "docs/keys.md: no word of %s, which %s has", name, file)
	}
	for name := range documented {
		if used[name] == "" && name != "infrastructure.cluster.x-k8s.io/failure-domain" {
			t.Errorf("docs/keys.md: nothing uses %s", name)
		}
	}
	assert.Truef(t, len(documented) >= 25, "%d keys found in docs/keys.md: want at least 25", len(documented))
}

// literals calls for each string in the source of the program.
func literals(t *testing.T, call func(file, text string)) {
	t.Helper()
	skip := []string{"e2e", "hack", "testdata", "inventorytest", "demo", "bin", "out"}
	eachSource(t, skip, func(file string, parsed *ast.File) {
		ast.Inspect(parsed, func(node ast.Node) bool {
			if _, isImport := node.(*ast.ImportSpec); isImport {
				return false
			}
			if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil {
					call(file, text)
				}
			}
			return true
		})
	})
}
