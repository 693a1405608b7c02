// Package setup is the way to a first Site: from hosts that nothing is known of, or from the SIP operator.
package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/survey"
)

// Beginning is what init is told, and where it writes.
type Beginning struct {
	In                          cmdline.Inputs
	Dir                         string
	Repo, Engine, Name, Cluster string
	// Named: the first SIPCluster was given by its flag.
	Named bool

	trial string // the folder of a repository on this machine
}

// specsFolder is where init puts the first SIPCluster.
const specsFolder = "tenants"

// Begin looks at the hosts and writes the files.
func (b *Beginning) Begin(ctx context.Context, ui *terminal.UI) error {
	site := filepath.Join(b.Dir, "site.yaml")
	if _, err := os.Lstat(site); !errors.Is(err, fs.ErrNotExist) {
		return redact.Errorf("%s is there already, and init changes no file: %s shows its plan; "+
			"sipgen init DIR writes elsewhere", site, planOf(site))
	}
	if b.In.Inventory == "" {
		return errors.New("--inventory is required: the hosts, a file or folder of manifests, or the word cluster")
	}
	answers, err := b.answers(site)
	if err != nil {
		return err
	}
	hosts, err := b.hosts(ctx, ui)
	if err != nil {
		return err
	}
	sayUnreadable(ui, hosts)
	if len(hosts.Hosts) == 0 {
		return fmt.Errorf("%s: no BareMetalHost in it", b.In.Inventory)
	}
	sites, err := b.leaveOut(ctx, ui, answers.Site, hosts)
	if err != nil {
		return err
	}
	if err := b.apart(ui, &answers, sites); err != nil {
		return err
	}
	if err := b.installed(ctx, ui, &answers); err != nil {
		return err
	}
	plan, err := planned(hosts.Hosts)
	if err != nil {
		return err
	}
	found := survey.Of(hosts.Hosts, plan.free)
	if slices.ContainsFunc(found.Namespaces, func(n survey.Count) bool { return n.Name == answers.Namespace }) {
		return redact.Errorf("--cluster: hosts are in namespace %q, with their BMCs' credentials: "+
			"want a namespace of the tenant's own", answers.Namespace)
	}
	proposal := survey.Propose(hosts.Hosts, found)
	show(ui, found, answers, b.Engine == "auto")
	sayLabelled(ui, plan.labeled, len(hosts.Hosts))
	if sayNameless(ui, hosts.Hosts) {
		if answers.Base, answers.Guessed, err = b.base(); err != nil {
			return err
		}
		ui.Say("the manifests have no metadata.uid, so the Site has hosts.apply: overlay and hosts.base: %s: the engine "+
			"applies the hosts from that folder of the repository, and sipgen patches them there; "+
			"if the hosts are in a cluster already, and no engine applies them, read them from it (--inventory cluster)",
			answers.Base)
	}
	if answers.Engine == string(v1alpha1.EngineArgoCD) && answers.Base == "" && !hosts.HasManagedFields {
		ui.Say("the manifests have no managedFields, without which no host is handed out with Argo CD: read the hosts from "+
			"the cluster (--inventory cluster), or write them with %s", managedDump)
	}
	spec := filepath.Join(b.Dir, specsFolder, answers.Name+".yaml")
	return b.write(ui, found, proposal, answers, plan.others, site, spec)
}

// managedDump is the command that writes hosts with the owners of their fields.
const managedDump = "kubectl get baremetalhosts.metal3.io -A -o yaml --show-managed-fields"

// planOf returns the command that shows what a Site gives.
func planOf(site string) string {
	if site == "site.yaml" {
		return "sipgen plan"
	}
	return "sipgen plan --site " + redact.Plain(site)
}
