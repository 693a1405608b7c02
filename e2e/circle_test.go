package e2e_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// circle is one site under way: live hosts, specs, the tree in git, and the engine that syncs it.
type circle struct {
	rig *rig
	// ns has the hosts, and tenants the SIPClusters and what is rendered for them.
	ns, tenants string
	site        *v1alpha1.Site
	repo        *engine.Repo
	// specs by cluster name.
	specs map[string]string
	// services by cluster name, of those that tenant gave.
	services map[string]string
	// tree is the branch's, as of the last commit or edit.
	tree map[string][]byte
	// said is what sipgen printed last.
	said string
	// oldFolder is where the tree was before it went to another engine.
	oldFolder string
	// account that sipgen reads with.
	account string
	// short: publish may end with 1, because a cluster lacks hosts.
	short     bool
	untouched *engine.Untouched
	started   bool
	// synced are the sync objects of the last sync.
	synced []string
}

// newCircle makes a site without hosts and tenants.
func newCircle(t *testing.T, r *rig, name string) *circle {
	t.Helper()
	c := &circle{rig: r, ns: name, tenants: name + "-tenants", repo: engine.NewRepo(t), specs: map[string]string{},
		services: map[string]string{}}
	c.site = &v1alpha1.Site{}
	c.site.Name = name
	c.site.Spec.Engine = r.engine
	c.site.Spec.Repository.URL = c.repo.URL()
	if r.flux != nil {
		// Flux's source is played by the test, and its API wants a URL that is not a file's.
		c.site.Spec.Repository.URL = "ssh://git@git.invalid/" + name + ".git"
	}
	c.site.Spec.Hosts.Namespaces = []string{c.ns}
	c.site.Spec.ArgoCD.Project, c.site.Spec.ArgoCD.Order = name, cmp.Or(r.order, v1alpha1.OrderNone)
	// Whatever the operator, Cluster API and the engines do to a host in its life is not to be hindered.
	c.site.Spec.LabelGuard.Enforce = true
	whole := 100
	c.site.Spec.Brake.MaxPercent = &whole // of so few hosts a tenth is one, and two may go
	c.site.Default()
	r.api.Namespaces(t, c.ns, c.tenants)
	c.account = c.reader(t)
	t.Cleanup(func() { c.end(t) })
	t.Cleanup(func() { r.wantNoHarm(t, c.ns, "all of it") })
	return c
}

// end takes away what costs every later site of the rig time: the API server asks each policy, Flux tries again what fails,
// and Argo CD looks at each Application.
func (c *circle) end(t *testing.T) {
	t.Helper()
	for _, name := range append([]string{c.root()}, c.syncs(t)...) {
		c.rig.forget(engine.FluxNamespace, name)
	}
	ctx := context.Background()
	if ns, err := c.rig.api.Dynamic.Resource(namespaces).Get(ctx, c.ns, metav1.GetOptions{}); err == nil &&
		ns.GetDeletionTimestamp() != nil {
		return // the guard alone keeps its hosts, and deprovisioned beside other sites' changes they end neither: see Operator.ChangeUse
	}
	for name, content := range c.tree {
		if !strings.HasPrefix(name, "policy/") {
			continue
		}
		for _, o := range engine.Objects(t, content) {
			if resource, err := c.rig.api.Resource(o); err == nil && strings.HasPrefix(o.GetKind(),
				"ValidatingAdmissionPolicy") {
				_ = resource.Delete(ctx, o.GetName(), metav1.DeleteOptions{})
			}
		}
	}
}

func (c *circle) root() string { return "sipgen-" + c.site.Name }

// prefix is what the names of all clusters' sync objects begin with.
func (c *circle) prefix() string {
	if site := c.site.InNames(); site != "" {
		return site + "." + c.tenants + "."
	}
	return c.tenants + "."
}

// name is that of a cluster's sync object: half is infra or hosts.
func (c *circle) name(cluster, half string) string {
	name := c.prefix() + cluster + "."
	if half == "hosts" && c.rig.order == v1alpha1.OrderWaves &&
		!bytes.Contains(c.tree["argocd/"+c.tenants+"."+cluster+".yaml"], []byte("name: "+name+"hosts\n")) {
		// Hosts are in the Application of the services.
		half = "infra"
	}
	return name + half
}

// hosts makes hosts, each in a rack of its own, in one of the ways.
func (c *circle) hosts(t *testing.T, how string, names ...string) {
	t.Helper()
	for _, name := range names {
		if c.rig.api.Operator == nil {
			makeHost(t, c.rig.api, how, c.ns, name, "rack-of-"+name)
		} else {
			createHost(t, c.rig.api, how, c.ns, name, "rack-of-"+name)
		}
	}
	if c.rig.api.Operator != nil {
		c.rig.api.Operator.WaitState(t, "available", c.ns, names...)
	}
	c.accept(t)
}

// waitGone waits for the end of a host, and of its BMC's Secret: the operator makes the host its owner, and the garbage
// collector follows. The operator switches the host off and looks later whether it is. Its test mode has one power
// state for all hosts, so that another host may be switched on in between, and each later look comes after twice the
// time. With each change of the host the operator looks at once.
func (c *circle) waitGone(t *testing.T, name string) {
	t.Helper()
	looks := 0
	engine.Wait(t, "the end of host "+name, engine.SyncTimeout, func() error {
		if c.rig.api.Exists(t, engine.Hosts, c.ns, name) {
			if looks++; c.rig.api.Operator != nil {
				_ = c.rig.api.TryEdit("e2e", engine.Hosts, c.ns, name, "",
					set(fmt.Sprint(looks), "metadata", "annotations", "example.org/look"))
			}
			return fmt.Errorf("still there")
		}
		if c.rig.api.Operator != nil && c.rig.api.Exists(t, engine.Secrets, c.ns, name+"-bmc") {
			return fmt.Errorf("its Secret is still there")
		}
		return nil
	})
}

// use provisions or deprovisions hosts, and takes them as they are then.
func (c *circle) use(t *testing.T, do func()) {
	t.Helper()
	c.rig.api.Operator.ChangeUse(do)
	c.accept(t)
}

// accept takes the live hosts as they are for what must not change from here on.
func (c *circle) accept(t *testing.T) {
	t.Helper()
	if c.untouched == nil {
		c.untouched = engine.WantUntouched(t, c.rig.api, c.ns)
		return
	}
	c.untouched.Accept(t)
}

// tenant gives a cluster a spec that wants so many workers, no two in a rack. In waves it has services: without them there is nothing to wait for.
func (c *circle) tenant(name string, workers int) {
	if c.rig.order == v1alpha1.OrderWaves && c.services[name] == "" {
		c.services[name] = loadBalancer()
	}
	c.tenantWith(name, workers, c.services[name])
}

func (c *circle) tenantWith(name string, workers int, services string) {
	c.specs[name] = fmt.Sprintf(`
apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: %s, name: %s}
spec:
  nodes:
    Worker:
      labelSelector: {matchLabels: {example.org/owner: facilities}}
      topologyKey: rack
      count: {active: %d}
%s`, c.tenants, name, workers, services)
}

// loadBalancer is a service of a tenant, with a Deployment to wait for.
func loadBalancer() string {
	port := nextNodePort()
	return fmt.Sprintf(`  services:
    loadBalancerWorker:
    - {nodeInterfaceId: oam, nodePortRange: {start: %d, end: %d}}
`, port, port)
}

// reader gives the account that sipgen reads with the rights that its own tree has for it, and no more. They are there before the first
// tree is, as on a site where a person has rendered it once.
func (c *circle) reader(t *testing.T) (account string) {
	t.Helper()
	site := *c.site
	site.Spec.Hosts.Apply = v1alpha1.ApplyMerge
	tree, _, err := render.Site(render.Input{Site: &site, Placement: &schedule.Placement{}})
	require.NoError(t, err)
	c.rig.api.Apply(t, "e2e", string(tree["policy/reader.yaml"]))
	namespace := site.Spec.Flux.Namespace
	if c.rig.argo != nil {
		namespace = site.Spec.ArgoCD.Namespace
	}
	return "system:serviceaccount:" + namespace + ":sipgen-" + site.Name + "-reader"
}

// siteText is the Site as a file has it.
func (c *circle) siteText(t *testing.T) string {
	t.Helper()
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": v1alpha1.APIVersion, "kind": v1alpha1.Kind, "metadata": map[string]any{"name": c.site.Name},
		"spec": c.site.Spec,
	})
	require.NoError(t, err)
	return string(text)
}

// sipgen runs the command on the live hosts, with the rights of policy/reader.yaml. It gives the exit code;
// what was printed is in said.
func (c *circle) sipgen(t *testing.T, command string, args ...string) int {
	t.Helper()
	dir := t.TempDir()
	site := filepath.Join(dir, "site.yaml")
	need.Write(t, site, c.siteText(t))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "specs"), 0o755))
	for name, spec := range c.specs {
		need.Write(t, filepath.Join(dir, "specs", name+".yaml"), spec)
	}
	flags := []string{command, "--site", site, "--kubeconfig", engine.Kubeconfig(t, c.rig.api.As(c.account))}
	if command != "inventory" {
		flags = append(flags, "-f", filepath.Join(dir, "specs"), "--inventory", "cluster", "--repo", c.repo.Dir)
	}
	code, said := exitCode(t, exec.Command(engine.Sipgen(t), append(flags, args...)...))
	c.said = said
	return code
}

// exitCode runs a program, and gives what it printed.
func exitCode(t *testing.T, cmd *exec.Cmd) (code int, said string) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// exits is sipgen with an exit code that is wanted.
func (c *circle) exits(t *testing.T, what string, want int, command string, args ...string) {
	t.Helper()
	if code := c.sipgen(t, command, args...); code != want {
		t.Errorf("%s: sipgen %s: exit code %d, want %d\n%s", what, command, code, want, c.said)
	}
}

// decommission deletes a cluster's spec, and has the Site let the cluster go.
func (c *circle) decommission(name string) {
	delete(c.specs, name)
	c.site.Spec.Decommission = append(c.site.Spec.Decommission, c.tenants+"/"+name)
}

// commit publishes, and says whether there was anything to commit.
func (c *circle) commit(t *testing.T) bool {
	t.Helper()
	before := c.repo.Head(t)
	// Hosts that are read in the second of a commit count as read before it, and only add.
	time.Sleep(time.Until(c.repo.Committed(t).Add(time.Second)))
	if code := c.sipgen(t, "publish"); code != 0 && (code != 1 || !c.short) {
		t.Fatalf("sipgen publish: exit code %d\n%s", code, c.said)
	}
	c.readTree(t)
	return c.repo.Head(t) != before
}

// readTree reads the tree from the branch.
func (c *circle) readTree(t *testing.T) {
	t.Helper()
	folder := c.site.Spec.Repository.Path
	if folder != "" {
		folder += "/"
	}
	c.tree = map[string][]byte{}
	for name, content := range c.repo.Files(t) {
		if name, found := strings.CutPrefix(name, folder); found {
			c.tree[name] = content
		}
	}
}

// reset sets the branch to a commit, as a force-push does.
func (c *circle) reset(t *testing.T, commit string) {
	t.Helper()
	c.repo.Reset(t, commit)
	c.readTree(t)
}

// wantSaid wants the words in what sipgen printed last.
func (c *circle) wantSaid(t *testing.T, what string, words ...string) {
	t.Helper()
	for _, word := range words {
		assert.Contains(t, c.said, word, what)
	}
}

// refused is a publish that ends with an error that says the words, and changes nothing.
func (c *circle) refused(t *testing.T, what string, words ...string) {
	t.Helper()
	before := c.repo.Head(t)
	c.exits(t, what, 2, "publish")
	for _, word := range words {
		assert.Contains(t, c.said, word, what)
	}
	assert.Truef(t, c.repo.Head(t) == before, "%s: something was committed", what)
}

// edit commits what a person does to the tree.
func (c *circle) edit(t *testing.T, message string, change func(dir string)) {
	t.Helper()
	c.repo.Edit(t, message, change)
	c.readTree(t)
}

// step is one turn of the circle: render from the live hosts, commit, sync, and look.
func (c *circle) step(t *testing.T, what string) {
	t.Helper()
	assert.Truef(t, c.commit(t), "%s: nothing to commit\n%s", what, c.said)
	c.follow(t, what)
}

// follow waits until the engine has synced the branch, and looks.
func (c *circle) follow(t *testing.T, what string) {
	t.Helper()
	c.sync(t, nil)
	c.check(t, what, nil)
}

// settle goes round until there is nothing to commit: a release takes two commits. Then the live
// hosts and the tree agree.
func (c *circle) settle(t *testing.T, what string) {
	t.Helper()
	for turn := 1; c.commit(t); turn++ {
		c.follow(t, fmt.Sprintf("%s, turn %d", what, turn))
		require.Truef(t, turn != 5, "%s: still something to commit after %d turns", what, turn)
	}
	c.exits(t, what, 0, "diff")
}

// check compares the live hosts: nothing that is not ours has changed, and our labels are exactly what the tree says.
func (c *circle) check(t *testing.T, what string, failures map[string]string) {
	t.Helper()
	c.untouched.Check(t, what)
	c.rig.wantNoHarm(t, c.ns, what)
	want := c.wanted(t, failures)
	for _, host := range c.rig.api.List(t, engine.Hosts, c.ns) {
		labels, known := want[host.GetName()]
		if labels != nil || !known {
			assert.Equal(t, fmt.Sprint(labels), fmt.Sprint(engine.OurLabels(&host)),
				"after "+what+": our labels of "+host.GetName())
		}
	}
}

// wanted are the labels that the tree gives to hosts. A host of a cluster whose sync failed is known, and has none.
func (c *circle) wanted(t *testing.T, failures map[string]string) map[string]map[string]string {
	t.Helper()
	want := map[string]map[string]string{}
	for name, content := range c.tree {
		dir, file := path.Split(name)
		if !strings.HasPrefix(name, "clusters/") || path.Base(dir) != "hosts" || file == "kustomization.yaml" {
			continue
		}
		cluster := path.Base(path.Dir(path.Clean(dir)))
		for _, o := range engine.Objects(t, bytes.TrimSpace(content)) {
			if _, failed := failures[c.name(cluster, "hosts")]; failed {
				want[o.GetName()] = nil
				continue
			}
			want[o.GetName()] = engine.OurLabels(o)
		}
	}
	return want
}

// holds are the live hosts that carry a cluster's name, sorted.
func (c *circle) holds(t *testing.T, cluster string) []string {
	t.Helper()
	return c.hostsWith(t, clusterName+"="+cluster, func(*unstructured.Unstructured) bool { return true })
}

// hostsWith are the live hosts that a selector of labels and a condition choose, sorted.
func (c *circle) hostsWith(t *testing.T, selector string, is func(*unstructured.Unstructured) bool) []string {
	t.Helper()
	hosts := c.rig.api.Dynamic.Resource(engine.Hosts).Namespace(c.ns)
	list, err := hosts.List(context.Background(), metav1.ListOptions{LabelSelector: selector})
	require.NoError(t, err)
	names := []string{}
	for i := range list.Items {
		if is(&list.Items[i]) {
			names = append(names, list.Items[i].GetName())
		}
	}
	slices.Sort(names)
	return names
}

// state is what the baremetal-operator says of a host, and its error.
func (c *circle) state(t *testing.T, host string) (state, message string) {
	t.Helper()
	return stateOf(c.rig.api.Get(t, engine.Hosts, c.ns, host))
}

func stateOf(host *unstructured.Unstructured) (state, message string) {
	state, _, _ = unstructured.NestedString(host.Object, "status", "provisioning", "state")
	message, _, _ = unstructured.NestedString(host.Object, "status", "errorMessage")
	return state, message
}

func (c *circle) wantHolds(t *testing.T, what, cluster string, want ...string) {
	t.Helper()
	assert.Equal(t, append([]string{}, want...), c.holds(t, cluster), "after "+what)
}

// forget has the engine leave a sync object alone for good.
func (r *rig) forget(namespace, name string) {
	if r.argo == nil {
		_ = r.api.TryEdit("e2e", engine.Kustomizations, namespace, name, "", set(true, "spec", "suspend"))
		return
	}
	_ = r.api.TryEdit("e2e", engine.Applications, engine.ArgoNamespace, name, "", drop("metadata", "finalizers"))
	_ = r.api.TryDelete(engine.Applications, engine.ArgoNamespace, name, false)
}

// waitWhile waits as long as something is so, and says what it found last if it is so for too long.
func waitWhile(t testing.TB, what string, is func() (so bool, found any)) {
	t.Helper()
	engine.Wait(t, what, engine.SyncTimeout, func() error {
		if so, found := is(); so {
			return fmt.Errorf("found %v", found)
		}
		return nil
	})
}
