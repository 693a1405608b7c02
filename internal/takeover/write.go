package takeover

import (
	"fmt"
	"io"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/internal/text"
)

// Step is one thing to do, with the commands that do it.
type Step struct {
	// Number is that of docs/from-sip.md, whatever else a tenant needs.
	Number   int
	Title    string
	Why      string
	Commands []string
}

// StopSIP ends the SIP operator, which would undo what the engine applies. The names are those of SIP's own manifests.
func StopSIP() Step {
	return Step{
		Title:    "Stop the SIP operator",
		Why:      "It and the engine would undo each other. Its objects stay, and its load balancers go on.",
		Commands: []string{"kubectl -n sipcluster-system scale deployment sipcluster-controller-manager --replicas=0"},
	}
}

// notNeeded is why a tenant lacks a step.
var notNeeded = map[int]string{
	1: "the spec has no jump host.",
	3: "nobody else owns fields of its Deployments and Services, or there are none.",
	5: "the spec has no services.",
	6: "the SIPCluster has no finalizer of SIP's.",
}

// lastStep is the last of docs/from-sip.md.
const lastStep = 6

// Steps of a tenant, in their order. Those that it does not need are left out.
func (p *Plan) Steps(t *Tenant) []Step {
	namespace := t.Spec.Namespace
	var steps []Step
	for i, name := range t.services(v1.ListJumpHost) {
		steps = append(steps, Step{
			Number:   1,
			Title:    "Make the keys of " + name,
			Why:      "SIP's pod made its own at each start; here they are a Secret, and the pod waits for it. People see a new host key once. The login name is now sip; it was ubuntu.",
			Commands: []string{preflight.HostKeys(namespace, preflight.HostKeysName(t.Spec.Cluster, i))},
		})
	}
	steps = append(steps, Step{
		Number:   2,
		Title:    "Commit the spec and look at the plan",
		Why:      "The plan must show every host of the cluster as kept, and none as new, released or pending; if it does not, stop. Until the next step is done, the plan also reports that another controller owns the objects, and exits with 1.",
		Commands: []string{"sipgen plan --site site.yaml -f tenants --inventory cluster"},
	})
	var hand []string
	for i := range t.Objects {
		if command := preflight.HandOver(p.engine, &t.Objects[i]); command != "" {
			hand = append(hand, command)
		}
	}
	switch {
	case t.Unknown && len(t.all()) > 0:
		steps = append(steps, Step{
			Number: 3,
			Title:  "Hand the Deployments and Services to the engine",
			Why:    "sipgen does not know who owns their fields. To get the commands, read the installation with -f cluster, or from files with managedFields (kubectl get -o yaml --show-managed-fields).",
		})
	case len(hand) > 0:
		steps = append(steps, Step{
			Number:   3,
			Title:    "Hand the Deployments and Services to " + engineName(p.engine),
			Why:      "The objects themselves do not change. After this step the engine's next apply removes what only SIP had set; without it, the apply would only add to that. Each command first tests that the managedFields entry is unchanged.",
			Commands: hand,
		})
	}
	sync := Step{
		Number: 4,
		Title:  "Publish, and wait until the new pods are there",
		Why:    "Deployments, Services, cluster IPs and node ports stay the same objects; each old pod goes when a new one is ready.",
	}
	for _, name := range t.all() {
		// Until the engine has synced, SIP's own rollout is the one that is through.
		sync.Commands = append(sync.Commands, fmt.Sprintf(`kubectl -n %s wait --for=jsonpath='{.metadata.labels.app\.kubernetes\.io/managed-by}'=sipgen deployment/%s --timeout=30m`, namespace, name))
		sync.Commands = append(sync.Commands, fmt.Sprintf("kubectl -n %s rollout status deployment/%s --timeout=10m", namespace, name))
	}
	steps = append(steps, sync)
	if names := t.all(); len(names) > 0 {
		clean := Step{
			Number:   5,
			Title:    "After the rollout is complete: delete what SIP left behind",
			Why:      "Not earlier: until the rollout is complete, a pod that restarts may still come from SIP's template and need these objects. The jump host's Secret holds BMC passwords in plain text: change those passwords.",
			Commands: []string{fmt.Sprintf("kubectl -n %s delete secret --ignore-not-found %s", namespace, strings.Join(names, " "))},
		}
		if jumps := t.services(v1.ListJumpHost); len(jumps) > 0 {
			clean.Commands = append(clean.Commands, fmt.Sprintf("kubectl -n %s delete configmap --ignore-not-found %s", namespace, strings.Join(jumps, " ")))
		}
		steps = append(steps, clean)
	}
	for i, name := range t.Spec.Finalizers {
		if name == v1.SIPFinalizer {
			steps = append(steps, Step{
				Number:   6,
				Title:    "Take SIP's finalizer off",
				Why:      "Nothing else removes it, and until then the SIPCluster cannot be deleted. The labels of the hosts stay as they are.",
				Commands: []string{preflight.WithoutFinalizer(namespace, t.Spec.Name, i)},
			})
		}
	}
	return steps
}

func engineName(engine v1alpha1.Engine) string {
	if engine == v1alpha1.EngineArgoCD {
		return "Argo CD"
	}
	return "Flux"
}

// Write prints the plan, for a reader and for a shell: what is no command is a comment.
func (p *Plan) Write(w io.Writer) error {
	out := &printer{w: w}
	out.line("exit 1 # read it, and run it step by step")
	out.line("# From the SIP operator to sipgen: %s, synced by %s. Take over one tenant at a time, in any order; nothing has been changed yet.", text.Count(len(p.Tenants), "cluster"), engineName(p.engine))
	out.line("# Move the spec of one tenant at a time to your specs, when its turn comes: a spec that is there is planned and published.")
	for _, key := range p.Foreign {
		out.line("# Hosts carry the labels of cluster %s, which has no spec here: they are left alone.", key)
	}
	out.line("")
	out.step(StopSIP())
	for i := range p.Tenants {
		p.tenant(out, &p.Tenants[i])
	}
	return out.err
}

func (p *Plan) tenant(out *printer, t *Tenant) {
	out.line("## %s", t.Spec.Key())
	out.line("#")
	held := "no host carries its labels"
	if len(t.Held) > 0 {
		held = strings.Join(t.Held, ", ")
	}
	out.line("# stays:    hosts: %s", held)
	for _, owners := range t.LabelOwners {
		out.line("# labels:   %s", owners)
	}
	for i := range t.Objects {
		out.line("# stays:    %s %s: the object, with its uid, addresses and ports", t.Objects[i].Kind, t.Objects[i].Name)
	}
	for _, name := range t.all() {
		out.line("# changes:  the pods of %s: they lose SIP's node selector for masters, its Secret and its init container; a load balancer gets two pods", name)
	}
	for _, name := range t.Missing {
		out.line("# new:      %s: not found, and made by the first sync", name)
	}
	for _, note := range t.Spec.Notes {
		out.line("# spec:     %s: %s", strings.TrimPrefix(note.Path, "."), note.Text)
	}
	for _, problem := range t.Spec.Problems {
		out.line("# PROBLEM:  set right by hand: %s", problem)
	}
	out.line("")
	if t.Spec.Cluster == nil {
		return // names that are not checked are in no command
	}
	steps := p.Steps(t)
	for number := 1; number <= lastStep; number++ {
		needed := false
		for _, step := range steps {
			if step.Number == number {
				out.step(step)
				needed = true
			}
		}
		if !needed {
			out.line("# %d. Not needed: %s", number, notNeeded[number])
			out.line("")
		}
	}
}

// printer keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		// Names of fields and the like are others': none may end its line, which the shell would take the rest for a command of.
		_, p.err = fmt.Fprintln(p.w, text.Line(fmt.Sprintf(format, args...)))
	}
}

func (p *printer) step(s Step) {
	p.line("# %d. %s. %s", s.Number, s.Title, s.Why)
	for _, command := range s.Commands {
		p.line("%s", command)
	}
	p.line("")
}
