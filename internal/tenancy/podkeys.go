package tenancy

import (
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/redact"
)

// keys complains about labels or annotations of a pod that the tenant may not set.
func (s *asked) keys(path string, found, ofSite map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(found)) {
		//guard: a patch sets keys on pods that programs with more rights act on
		if _, sites := ofSite[key]; !sites && !s.tenant.mayLabel(key) {
			s.add(path+"["+redact.Plain(key)+"]", "other programs may act on this key, and %s is not granted its domain", s.tenant.where("podKeys"))
		}
	}
}

// mayLabel says whether the tenant may set a label or an annotation on its pods. Programs that sipgen does not know act on what they find there, so
// the list is of what is allowed: keys without a domain, prometheus.io's, and those of granted domains. Reserved ones are what sipgen renders: a spec
// that has them is refused, and no patch changes them.
func (t *Tenant) mayLabel(key string) bool {
	domain, _, has := strings.Cut(strings.ToLower(key), "/")
	plain := !has && !strings.Contains(key, ".")
	return plain || domain == "prometheus.io" || key == "cluster-autoscaler.kubernetes.io/safe-to-evict" || v1.ReservedKey(key) != "" ||
		slices.ContainsFunc(t.PodKeys, func(granted string) bool {
			return has && (domain == granted || strings.HasSuffix(domain, "."+granted))
		})
}
