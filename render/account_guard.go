package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/infra"
)

// accountGuard keeps the accounts that Flux applies the site's folders as to what RBAC has no words for: a right that an account has only so that it can
// give it is not for its own use, the rights of tenants are given in the tenants' and hosts' namespaces alone, what runs in the engine's
// namespace runs as an account that reads, and the root makes no Kustomization that is applied as anybody else.
const accountGuard = "account-guard"

// accountPolicy is the guard of accounts. Reading is not guarded.
func (s *site) accountPolicy() admissionv1.ValidatingAdmissionPolicy {
	own, namespace := s.ownAccounts(), s.Site.Spec.Flux.Namespace
	policy := s.guard(accountGuard)
	policy.Spec.MatchConstraints.ResourceRules = nil
	resources, given := guardedResources()
	for _, group := range slices.Sorted(maps.Keys(resources)) {
		policy.Spec.MatchConstraints.ResourceRules = append(policy.Spec.MatchConstraints.ResourceRules, admissionv1.NamedRuleWithOperations{
			RuleWithOperations: admissionv1.RuleWithOperations{
				Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update, admissionv1.Delete},
				Rule:       admissionv1.Rule{APIGroups: []string{group}, APIVersions: []string{"*"}, Resources: resources[group]},
			},
		})
	}
	users := []string{s.fluxUser(own.policy), s.fluxUser(own.rights), s.fluxUser(own.services)}
	if root := s.Site.Spec.Flux.ServiceAccountName; root != "" {
		users = append(users, s.fluxUser(root))
	}
	named := []string{own.hosts, own.reader, own.status, own.policy, own.rights, own.services}
	not := func(account string) string {
		return fmt.Sprintf("request.userInfo.username != '%s'", s.fluxUser(account))
	}
	policy.Spec.MatchConditions = []admissionv1.MatchCondition{{Name: "account", Expression: "request.userInfo.username in " + celList(users)}}
	policy.Spec.Validations = []admissionv1.Validation{
		{
			//guard(TestAccounts/policy/a_host_is_switched_off): who gives rights uses them
			Expression: "!(request.resource.resource in " + celList(given) + ") || !(" + not(own.services) + ")",
			Message:    "this account holds the right to write such objects only in order to grant it to other accounts, and may not use it itself",
		},
		{
			//guard(TestAccounts/fleet/an_account_of_Flux_by_the_root): the root writes Flux's own account
			Expression: fmt.Sprintf("request.resource.resource != 'serviceaccounts' || request.namespace == '%s' && (request.name.endsWith('.infra') || %s && request.name in %s)", namespace, not(own.rights), celList(named)),
			Message:    "this account makes the accounts of site " + s.Site.Name + " and of its clusters, in Flux's namespace, and no others",
		},
		{
			Expression: fmt.Sprintf("%s || request.resource.resource == 'serviceaccounts' || request.operation == 'DELETE' || %s", not(own.rights), s.inTenants()),
			Message:    "the rights of clusters are given in the namespaces of tenants and hosts, as the Site names them",
		},
		{
			// In the engine's namespace a pod could be anybody, the engine itself too.
			Expression: "request.resource.resource != 'cronjobs' || request.operation == 'DELETE' || object.spec.jobTemplate.spec.template.spec.serviceAccountName in " + celList([]string{own.reader, own.status}),
			Message:    "this account makes CronJobs that run as the accounts of site " + s.Site.Name + " that read, and as no others",
		},
	}
	if root := s.Site.Spec.Flux.ServiceAccountName; root != "" {
		policy.Spec.Validations = append(policy.Spec.Validations, s.rootMakes(root))
	}
	return policy
}

// guardedResources are what the guard of accounts is for, by API group, and those of them that the accounts have a right to only to give it. Sorted.
func guardedResources() (resources map[string][]string, given []string) {
	resources = map[string][]string{
		"": {"limitranges", "resourcequotas"}, "batch": {"cronjobs"}, rbacv1.GroupName: {"rolebindings", "roles"}, "kustomize.toolkit.fluxcd.io": {"kustomizations"},
	}
	for _, rule := range slices.Concat(givenByPolicy(), infra.GivenRules()) {
		if !slices.ContainsFunc(rule.Verbs, func(verb string) bool { return !slices.Contains([]string{"get", "list", "watch"}, verb) }) {
			continue
		}
		for _, resource := range rule.Resources {
			resources[rule.APIGroups[0]] = append(resources[rule.APIGroups[0]], resource)
			if resource != "serviceaccounts" {
				resource, _, _ = strings.Cut(resource, "/")
				given = append(given, resource)
			}
		}
	}
	for group := range resources {
		slices.Sort(resources[group])
		resources[group] = slices.Compact(resources[group])
	}
	slices.Sort(given)
	return resources, slices.Compact(given)
}

// inTenants says, in CEL, that a request is for a namespace in which a cluster may have rights. What the tree has already is not stopped.
func (s *site) inTenants() string {
	spec := &s.Site.Spec
	named := slices.Clone(spec.Hosts.Namespaces)
	for i := range spec.Tenants {
		named = append(named, spec.Tenants[i].Namespaces...)
	}
	for _, c := range s.clusters {
		if len(spec.Tenants) > 0 || s.Site.Reserved(c.Key.Namespace) != "" {
			named = append(named, c.Key.Namespace)
		}
	}
	if len(spec.Tenants) > 0 && len(spec.Hosts.Namespaces) == 0 {
		for i := range s.Placement.Hosts {
			named = append(named, s.Placement.Hosts[i].Host.Namespace)
		}
	}
	slices.Sort(named)
	in := "request.namespace in " + celList(slices.Compact(named))
	if len(spec.Tenants) > 0 {
		//guard: rights are given in namespaces that are no tenant's
		return "(" + in + ")"
	}
	//guard(TestAccounts/rights/rights_in_a_namespace_of_Kubernetes): rights are given in namespaces of Kubernetes
	return fmt.Sprintf("(%s || !request.namespace.startsWith('kube-') && !(request.namespace in %s))", in, celList(s.Site.ReservedNamespaces()))
}

// rootMakes has the root's account make Kustomizations of sipgen's accounts only: with another one, or with none, Flux would do everything for it.
func (s *site) rootMakes(root string) admissionv1.Validation {
	accounts := []string{root, s.ownAccounts().hosts}
	for _, account := range s.siteAccounts() {
		accounts = append(accounts, account.name)
	}
	// Whole hosts are applied as Flux itself.
	var without []string
	if !s.merge() {
		without = append(without, s.siteHostsName())
	}
	return admissionv1.Validation{
		//guard(TestAccounts/fleet/a_Kustomization_as_Flux'_account): the root has Flux apply what it may not
		Expression: fmt.Sprintf("request.resource.resource != 'kustomizations' || request.operation == 'DELETE' || request.userInfo.username != '%s' || "+
			"request.name in %s || has(object.spec.serviceAccountName) && (object.spec.serviceAccountName in %s || object.spec.serviceAccountName.endsWith('.infra'))",
			s.fluxUser(root), celList(without), celList(accounts)),
		Message: "the root's account makes Kustomizations that are applied as an account of site " + s.Site.Name + ", and no others",
	}
}

// accountBinding is in force in all namespaces, those without hosts first of all. It does not carry the site's name: whoever looks for the guards
// of another site's hosts must not take it for one.
func (s *site) accountBinding() admissionv1.ValidatingAdmissionPolicyBinding {
	binding := s.binding(accountGuard, admissionv1.Deny)
	//guard: the guard of accounts holds where the hosts are, and in no tenant's namespace
	binding.Spec.MatchResources = nil
	//guard: another site on the API server takes the guard of accounts for one of hosts, and is refused
	delete(binding.Labels, inventory.SiteLabel)
	return binding
}
