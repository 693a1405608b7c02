package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/airshipit/sipgen/api/v1alpha1/validation"
	"github.com/airshipit/sipgen/internal/redact"
)

// meansAll are the fields of a tenant, or of a reservation, that grant more where they are left out than where they
// have a value, and what that is. Such a field without a value looks like a narrow grant and is a wide one: it is what
// is left when all of its entries are commented out.
var meansAll = map[string]string{
	"specs":                           "any file that is in no other tenant's folder",
	"hosts":                           "all hosts, up to the site's maxHostsPerTenant",
	"hosts.selector":                  "all hosts",
	"hosts.selector.matchLabels":      "all that the rest of the selector selects",
	"hosts.selector.matchExpressions": "all that the rest of the selector selects",
	"hosts.max":                       "the site's maxHostsPerTenant",
	"hosts.maxStandby":                "as many as max",
	"maxClusters":                     "the site's maxClustersPerTenant",
	"hosts.namespaces":                "all of the site's host namespaces",
	"quota":                           "no quota",
	"limitRange":                      "no LimitRange",
	"limitRange.default":              "no default limits",
	"limitRange.defaultRequest":       "no default requests",
	"limitRange.min":                  "no minimum",
	"limitRange.max":                  "no maximum",

	"reserved.count":                     "all selected hosts, for the tenants alone",
	"reserved.tenants":                   "spares",
	"reserved.selector.matchLabels":      "all that the rest of the selector selects",
	"reserved.selector.matchExpressions": "all that the rest of the selector selects",
}

// checkNoValues reports fields without a value in spec.metrics, spec.hosts.networks, spec.hosts.reserved and
// spec.tenants, and empty ones that grant more than a value would. It reads the document itself, since decoding cannot
// tell such fields from absent ones.
func checkNoValues(document []byte, add validation.Report) {
	var site struct {
		Spec map[string]any `json:"spec"`
	}
	if err := json.Unmarshal(document, &site); err != nil {
		return // decoding complains
	}
	if metrics, has := site.Spec["metrics"]; has {
		if fields, _ := metrics.(map[string]any); fields["namespaces"] == nil {
			add("spec.metrics.namespaces",
				"has no value: list namespaces, write [] for none, or remove spec.metrics, which lets all pods of "+
					"the management cluster connect")
		}
	}
	if hosts, _ := site.Spec["hosts"].(map[string]any); hosts != nil {
		if networks, has := hosts["networks"]; has {
			if len(anyList(networks)) == 0 {
				add("spec.hosts.networks", "has no value: list networks, or remove the field, which lets hosts be "+
					"on any network")
			}
			for i, network := range anyList(networks) {
				fields, _ := network.(map[string]any)
				if namespaces, has := fields["namespaces"]; has && len(anyList(namespaces)) == 0 {
					add(fmt.Sprintf("spec.hosts.networks[%d].namespaces", i),
						"has no value: list namespaces, or remove the field, which means all")
				}
			}
		}
	}
	checkReserved(site.Spec, add)
	tenants, has := site.Spec["tenants"]
	if !has {
		return
	}
	if tenants == nil {
		add("spec.tenants", "has no value: list tenants, or remove the field, which makes every namespace a "+
			"tenant; without the field, sipgen tenants --suggest prints the list that the specs need")
		return
	}
	list, _ := tenants.([]any)
	for i, tenant := range list {
		noValues(fmt.Sprintf("spec.tenants[%d]", i), "", tenant, add)
	}
}

// checkReserved reports such fields in spec.hosts.reserved.
func checkReserved(spec map[string]any, add validation.Report) {
	hosts, _ := spec["hosts"].(map[string]any)
	reserved, has := hosts["reserved"]
	if has && reserved == nil {
		add("spec.hosts.reserved", "has no value: list reservations, or remove the field, which reserves no host")
	}
	for i, one := range anyList(reserved) {
		fields, _ := one.(map[string]any)
		at := fmt.Sprintf("spec.hosts.reserved[%d].", i)
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			if fields[key] == nil && (key == "name" || key == "selector") {
				continue // validation reports required fields
			}
			noValues(at+redact.Plain(key), "reserved."+key, fields[key], add)
		}
	}
}

// anyList returns a value as a list, empty if it is none.
func anyList(value any) []any {
	list, _ := value.([]any)
	return list
}

// noValues looks at one value. field is its path in the tenant, without the indexes of lists.
func noValues(at, field string, value any, add validation.Report) {
	all, wider := meansAll[field]
	switch value := value.(type) {
	case nil:
		if wider {
			add(at, "has no value: give it one, or remove the field, which means %s", all)
		} else {
			add(at, "has no value: give it one, or remove it")
		}
	case map[string]any:
		if len(value) == 0 && wider {
			add(at, "is empty: fill it in, or remove the field, which means %s", all)
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			below := key
			if field != "" {
				below = field + "." + key
			}
			noValues(at+"."+redact.Plain(key), below, value[key], add)
		}
	case []any:
		if len(value) == 0 && wider {
			add(at, "is empty: fill it in, or remove the field, which means %s", all)
		}
		for i, item := range value {
			noValues(fmt.Sprintf("%s[%d]", at, i), field, item, add)
		}
	}
}
