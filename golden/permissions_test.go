package golden

import (
	"cmp"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// users are the users of a tree's accounts.
var users = map[string]string{
	"flux-system/sipgen-SITE-reader":   "sipgen: live runs, snapshots",
	"flux-system/sipgen-SITE-status":   "the status job, with `spec.runner.status`",
	"flux-system/sipgen-SITE-hosts":    "Flux, for the labels of hosts",
	"flux-system/NAMESPACE.NAME.infra": "Flux, for one cluster's services",
	"NAMESPACE/jumphost-NAME":          "a jump host that may change power",
	"NAMESPACE/dex-NAME":               "Dex",
}

// roleObject is a role or a binding.
type roleObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Rules    []rbacv1.PolicyRule `json:"rules"`
	RoleRef  rbacv1.RoleRef      `json:"roleRef"`
	Subjects []rbacv1.Subject    `json:"subjects"`
}

var permissionsTable = regexp.MustCompile(`(?s)(<!-- permissions -->\n\n).*?(\n<!-- end -->)`)

// TestPermissionsPage: the table of docs/permissions.md has what each account of a tree may do. With -update it writes
// the table.
func TestPermissionsPage(t *testing.T) {
	site, clusters, hosts := inputs(t, "full-service")
	site.Spec.Runner = &v1alpha1.Runner{Schedule: "1 * * * *", Image: "sipgen",
		Status: &v1alpha1.RunnerStatus{Schedule: "1 * * * *"}}
	site.Default()
	roles := map[string]roleObject{}
	var bindings []roleObject
	tree := rendered(t, site, clusters, hosts, nil)
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for _, document := range strings.Split(string(tree[name]), "\n---\n") {
			var o roleObject
			err := yaml.Unmarshal([]byte(document), &o)
			require.Truef(t, err == nil, "%s: %v", name, err)
			switch o.Kind {
			case "Role", "ClusterRole":
				roles[o.Kind+" "+o.Namespace+"/"+o.Name] = o
			case "RoleBinding", "ClusterRoleBinding":
				bindings = append(bindings, o)
			}
		}
	}
	names := strings.NewReplacer("sipgen-full-service", "sipgen-SITE", "bank.bank", "NAMESPACE.NAME", "bank/",
		"NAMESPACE/", "-bank", "-NAME")
	var rows []string
	table, unused := "| account | used by | may | where |\n|---|---|---|---|\n", maps.Clone(users)
	for _, b := range bindings {
		role, found := roles[b.RoleRef.Kind+" "+b.Namespace+"/"+b.RoleRef.Name]
		if b.RoleRef.Kind == "ClusterRole" {
			role, found = roles["ClusterRole /"+b.RoleRef.Name]
		}
		require.Truef(t, found && len(b.Subjects) != 0, "%s: role %v, subjects %v", b.Name, b.RoleRef, b.Subjects)
		for _, subject := range b.Subjects {
			account := names.Replace(subject.Namespace + "/" + subject.Name)
			assert.Truef(t, users[account] != "", "%s %s: name its user", subject.Kind, account)
			delete(unused, account)
			where := map[string]string{"": "everywhere", "bank": "the cluster's namespace",
				"metal3": "namespaces with hosts"}[b.Namespace]
			rows = append(rows, "| `"+account+"` | "+users[account]+" | "+permissions(role.Rules)+" | "+cmp.Or(where,
				b.Namespace)+" |\n")
		}
	}
	slices.Sort(rows)
	table += strings.Join(rows, "")
	for account := range unused {
		t.Errorf("the tree has no account %s", account)
	}
	page := need.Read(t, "../docs/permissions.md")
	want := permissionsTable.ReplaceAllString(string(page), "${1}"+strings.ReplaceAll(table, "$", "$$")+"${2}")
	if *update {
		require.NoError(t, os.WriteFile("../docs/permissions.md", []byte(want), 0o644))
	} else if want != string(page) || !strings.Contains(want, table) {
		t.Errorf("docs/permissions.md: make golden. Want the table\n%s", table)
	}
}

// permissions are rules in words: the verbs, and the resources that they are allowed on.
func permissions(rules []rbacv1.PolicyRule) string {
	words := map[string]string{
		"get list watch create update patch delete": "write", "get list watch": "read",
		"get list watch patch": "read and patch",
	}
	var verbs []string
	resources := map[string][]string{}
	for _, rule := range rules {
		verb := strings.Join(rule.Verbs, " ")
		verb = cmp.Or(words[verb], strings.Join(rule.Verbs, " and "))
		if len(rule.ResourceNames) > 0 {
			verb = "by name " + verb
		}
		if resources[verb] == nil {
			verbs = append(verbs, verb)
		}
		of := "`" + strings.Join(rule.Resources, "`, `") + "`"
		if slices.Equal(rule.APIGroups, []string{"dex.coreos.com"}) {
			of = "all of `dex.coreos.com`"
		}
		resources[verb] = append(resources[verb], of)
	}
	var out []string
	for _, verb := range verbs {
		out = append(out, verb+" "+strings.Join(resources[verb], ", "))
	}
	return strings.Join(out, "; ")
}
