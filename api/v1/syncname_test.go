package v1

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// TestSyncNamesOfThePage: the pages say how long namespace and name may be together, so that the commands there find
// what syncs a cluster.
func TestSyncNamesOfThePage(t *testing.T) {
	longest := func(parts ...string) int {
		for n := 2; ; n++ {
			namespace, name := strings.Repeat("n", n/2), strings.Repeat("m", n-n/2)
			for _, part := range parts {
				if SyncName(namespace, name, part) != namespace+"."+name+"."+part {
					return n - 1
				}
			}
		}
	}
	for page, says := range map[string]string{
		"runbooks/stop-one-tenant.md": fmt.Sprintf("namespace and name have more than %d characters together", longest(SyncParts...)),
		"argocd.md":                   fmt.Sprintf("more than %d characters in namespace and name together", longest("infra")),
	} {
		text := need.Read(t, "../../docs/"+page)
		if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), says) {
			t.Errorf("docs/%s does not say %q", page, says)
		}
	}
	namespace, name := strings.Repeat("n", 40), strings.Repeat("m", 20)
	cut := func(part string) string { return strings.TrimSuffix(SyncName(namespace, name, part), "."+part) }
	if cut("infra") != cut("hosts") || len(cut("rights")) != len(cut("infra"))-1 {
		t.Errorf("a long name is cut to %s, %s and %s", cut("infra"), cut("hosts"), cut("rights"))
	}
}
