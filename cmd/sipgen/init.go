package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/survey"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/files"
	"github.com/airshipit/sipgen/inventory/live"
	"github.com/airshipit/sipgen/schedule"
)

// beginning is what init is told, and where it writes.
type beginning struct {
	in                          inputs
	dir                         string
	repo, engine, name, cluster string
	// named: the first SIPCluster was given by its flag.
	named bool
}

// specsFolder is where init puts the first SIPCluster.
const specsFolder = "tenants"

func newInit(ui *ui) *cobra.Command {
	var b beginning
	command := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Look at the hosts, and write a first Site and SIPCluster",
		Long: `Read the hosts, print their differences, and write site.yaml and a first SIPCluster, both with
comments, into DIR (default: the current folder). Existing files stay. If no host is free, only
site.yaml is written.

On a terminal, sipgen prompts for missing flags. Otherwise --inventory and --repo are required.`,
		Example: `  sipgen init
  sipgen init --inventory cluster --repo https://git.example.org/fleet.git
  sipgen init --inventory hosts --repo ssh://git@git.example.org/fleet.git --cluster bank/prod`,
		Args: arguments(0, 1, "the folder to write to"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b.dir = strings.Join(args, "")
			if b.dir == "" {
				b.dir = "."
			}
			if path := os.Getenv("SIPGEN_REPO"); path != "" && b.repo == path && !strings.Contains(path, ":") {
				b.repo = "" // where the other commands publish for a trial: no engine reads it there
			}
			b.named = cmd.Flags().Changed("cluster")
			return b.begin(cmd.Context(), ui)
		},
	}
	flags := command.Flags()
	b.in.inventoryFlag(command)
	flags.Lookup("inventory").Usage = "the hosts: a file or folder of manifests, a snapshot, or the word cluster"
	b.in.clusterFlags(command)
	flags.StringVar(&b.repo, "repo", "", "the git repository that the engine syncs: an https or ssh `URL`")
	flags.StringVar(&b.engine, "engine", "auto", "what syncs it: flux, argocd, or auto (the one that runs on the live cluster, else flux)")
	completeFlag(command, "engine", "auto", string(v1alpha1.EngineFlux), string(v1alpha1.EngineArgoCD))
	flags.StringVar(&b.name, "name", "", "the Site's `NAME` (default: the folder's)")
	flags.StringVar(&b.cluster, "cluster", "tenant-a/first", "the first SIPCluster, `NAMESPACE/NAME`")
	return command
}

// begin looks at the hosts and writes the files.
func (b *beginning) begin(ctx context.Context, ui *ui) error {
	site, cluster := filepath.Join(b.dir, "site.yaml"), schedule.ClusterKey{}
	if _, err := os.Lstat(site); !errors.Is(err, fs.ErrNotExist) {
		return redact.Errorf("%s is there already, and init changes no file: %s shows its plan; sipgen init DIR writes elsewhere", site, planOf(site))
	}
	if err := b.ask(ui); err != nil {
		return err
	}
	var errs []error
	cluster.Namespace, cluster.Name, _ = strings.Cut(b.cluster, "/")
	if !cluster.Valid() {
		errs = append(errs, redact.Errorf("--cluster: found %q, want NAMESPACE/NAME, of lower-case letters, digits and -", b.cluster))
	}
	if b.engine != "auto" && b.engine != string(v1alpha1.EngineFlux) && b.engine != string(v1alpha1.EngineArgoCD) {
		errs = append(errs, redact.Errorf("--engine: found %q, want auto, flux or argocd, in lower case", b.engine))
	}
	if b.name != "" && len(validation.IsDNS1123Label(b.name)) > 0 {
		errs = append(errs, redact.Errorf("--name: found %q, want at most 63 lower-case letters, digits and -", b.name))
	}
	answers := survey.Answers{Site: b.siteName(), Repository: b.repo, Specs: specsFolder, Namespace: cluster.Namespace, Name: cluster.Name}
	answers.SSH, _ = (&v1alpha1.Repository{URL: b.repo}).SSH()
	var err error
	answers.Inventory, err = b.inventoryPath()
	//guard: init reads a whole cluster, and says then that the repository is none
	if len(errs) == 0 { // before anything is read: what the flags say does not depend on the hosts
		answers.Engine = string(v1alpha1.EngineFlux)
		_, siteErr := v1alpha1.Parse(site, survey.SiteYAML(&survey.Found{}, answers))
		for _, e := range app.Flatten(byFlag(siteErr)) {
			if strings.HasPrefix(e.Error(), "--") {
				errs = append(errs, e)
			}
		}
	}
	if err = errors.Join(append(errs, err)...); err != nil {
		return err
	}
	hosts, err := b.hosts(ctx, ui)
	if err != nil {
		return err
	}
	if len(hosts.Hosts) == 0 {
		return fmt.Errorf("%s: no BareMetalHost in it", b.in.Inventory)
	}
	if err := b.installed(ctx, &answers); err != nil {
		return err
	}
	free, labelled, err := freeHosts(hosts.Hosts)
	if err != nil {
		return err
	}
	found := survey.Of(hosts.Hosts, free)
	//guard: init writes a first SIPCluster into the hosts' namespace, which every other command refuses
	if slices.ContainsFunc(found.Namespaces, func(n survey.Count) bool { return n.Name == cluster.Namespace }) {
		return redact.Errorf("--cluster: hosts are in namespace %q, with their BMCs' credentials: want a namespace of the tenant's own", cluster.Namespace)
	}
	proposal := survey.Propose(hosts.Hosts, found)
	show(ui, found, answers, b.engine == "auto")
	sayLabelled(ui, labelled, len(hosts.Hosts), site)
	sayNameless(ui, hosts.Hosts)
	return b.write(ui, found, proposal, answers, site, filepath.Join(b.dir, specsFolder, cluster.Name+".yaml"))
}

// planOf is the command that shows what a Site gives.
func planOf(site string) string {
	if site == "site.yaml" {
		return "sipgen plan"
	}
	return "sipgen plan --site " + redact.Plain(site)
}

// write writes both files, or neither: they are read first as every command reads them. Where no host is free there is no first SIPCluster to
// propose, and the Site is written alone: so it is where other clusters have all hosts already.
func (b *beginning) write(ui *ui, found *survey.Found, proposal survey.Proposal, answers survey.Answers, site, spec string) error {
	folder := filepath.Dir(spec)
	//guard: init beside the specs of a site adds a cluster that nobody asked for, and the next run hands out hosts to it
	there := !b.named && hasManifests(folder)
	alone := len(proposal.Roles) == 0 || there
	siteText, specText := survey.SiteYAML(found, answers), []byte(nil)
	_, siteErr := v1alpha1.Parse(site, siteText)
	var specErr error
	if !alone {
		specText = survey.ClusterYAML(found, proposal, answers)
		docs, err := manifest.Parse(spec, specText)
		if specErr = err; err == nil {
			_, specErr = v1.FromDocuments(docs)
		}
	}
	if err := errors.Join(byFlag(siteErr), specErr); err != nil {
		return err
	}
	if _, err := os.Lstat(spec); !alone && !errors.Is(err, fs.ErrNotExist) {
		return redact.Errorf("%s: there is one already", spec)
	}
	if err := os.MkdirAll(filepath.Dir(spec), 0o755); err != nil {
		return err
	}
	if !alone {
		if err := writeNew(spec, specText); err != nil {
			return err
		}
	}
	if err := writeNew(site, siteText); err != nil {
		return err
	}
	fmt.Fprintf(ui.out, "\nwrote %s\n", text.Line(site))
	switch {
	case there:
		ui.say("%s has files already, so no first SIPCluster was written; next: read the Site, then sipgen lint and sipgen plan", folder)
		return nil
	case alone:
		ui.say("no host is free, so no first SIPCluster was written; next: read the Site, and put specs into %s", folder)
		return nil
	}
	fmt.Fprintf(ui.out, "wrote %s\n", text.Line(spec))
	ui.say("next: read both files, then sipgen lint and sipgen plan; the namespace %s has to exist before the first sync", answers.Namespace)
	return nil
}

// hasManifests says whether a folder has files that a run would read.
func hasManifests(folder string) bool {
	found := false
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error { // what cannot be looked at is nobody's specs yet
		if err == nil && !entry.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// freeHosts are the hosts that plan hands out, by their keys: a plan without clusters decides. labelled is how many carry labels of a cluster.
func freeHosts(hosts []inventory.Host) (free map[string]bool, labelled int, err error) {
	var site v1alpha1.Site
	site.Default()
	inventory.Conflicts(hosts)
	placement, err := schedule.Plan(nil, hosts, schedule.Previous{}, app.Options(&site))
	if err != nil {
		return nil, 0, err
	}
	free = map[string]bool{}
	for _, line := range placement.Hosts {
		if line.Verdict == schedule.Free {
			free[line.Host.Key()] = true
		}
	}
	for i := range placement.Holdings.Hosts {
		if labels := &placement.Holdings.Hosts[i].Labels; labels.Cluster != (schedule.ClusterKey{}) {
			labelled++
		}
	}
	return free, labelled, nil
}

// sayLabelled points to the way from SIP where hosts carry labels of clusters.
func sayLabelled(ui *ui, labelled, hosts int, site string) {
	if labelled > 0 {
		ui.say("%d of %s carry labels of a cluster and are not free; if the SIP operator set them: sipgen takeover --site %s -f cluster",
			labelled, text.Count(hosts, "host"), redact.Plain(site))
	}
}

// sayNameless says of hosts without a uid what can be done with them and what cannot.
func sayNameless(ui *ui, hosts []inventory.Host) {
	n := 0
	for i := range hosts {
		if hosts[i].UID == "" {
			n++
		}
	}
	if n > 0 {
		ui.warn("%d of %s have no metadata.uid, as in manifests that people write: sipgen plan works with them, but render and publish need the uid that the API server gave each host; "+
			"read the hosts from the cluster (--inventory cluster), or from a snapshot of it (sipgen inventory)", n, text.Count(len(hosts), "host"))
	}
}

// byFlag says of what is wrong with a Site that nobody wrote which flag it came from: there is no such file.
func byFlag(err error) error {
	var errs []error
	for _, e := range app.Flatten(err) {
		for field, flag := range map[string]string{"spec.repository.url": "--repo", "metadata.name": "--name"} {
			if _, what, found := strings.Cut(e.Error(), ": "+field+": "); found {
				e = fmt.Errorf("%s: %s", flag, what)
			}
		}
		errs = append(errs, e)
	}
	return errors.Join(errs...)
}

// writeNew writes a file that is not there.
func writeNew(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// ask asks on a terminal for what no flag gives, and elsewhere names the flags.
func (b *beginning) ask(ui *ui) error {
	var (
		errs  []error
		lines *bufio.Reader
	)
	if isTerminal(ui.in) && isTerminal(ui.err) {
		lines = bufio.NewReader(ui.in)
	}
	for _, q := range []struct {
		flag, question, usual string
		value                 *string
		wrong                 func() error
	}{
		{"--inventory", "Where are the hosts: a file or folder of manifests, or the word cluster for the live cluster?", app.FromCluster, &b.in.Inventory, b.wrongInventory},
		{"--repo", "Which git repository does Flux or Argo CD sync: an https or ssh URL?", "", &b.repo, b.wrongRepo},
	} {
		switch {
		case *q.value != "":
		case lines == nil:
			errs = append(errs, fmt.Errorf("%s is required where there is no terminal to ask on", q.flag))
		default:
			if err := b.askOne(ui, lines, q.question, q.usual, q.value, q.wrong); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", q.flag, err))
			}
		}
	}
	return errors.Join(errs...)
}

// askOne asks until it gets an answer that will do, or none.
func (b *beginning) askOne(ui *ui, lines *bufio.Reader, question, usual string, value *string, wrong func() error) error {
	for {
		fmt.Fprintf(ui.err, "%s ", question)
		if usual != "" {
			fmt.Fprintf(ui.err, "[%s] ", usual)
		}
		answer, err := lines.ReadString('\n')
		if *value = strings.TrimSpace(answer); *value == "" {
			*value = usual
		}
		if err != nil || *value == "" {
			return errors.New("no answer")
		}
		problem := wrong()
		//guard: a slip in the first answer ends init after the last one
		if problem == nil {
			return nil
		}
		for _, single := range app.Flatten(problem) {
			ui.say("%s", single)
		}
	}
}

// wrongInventory is what is wrong with an answer that names hosts, as far as that can be seen at once.
func (b *beginning) wrongInventory() error {
	if b.in.Inventory == app.FromCluster {
		return nil
	}
	if _, err := os.Stat(b.in.Inventory); err != nil {
		return manifest.WithoutOperation(b.in.Inventory, err)
	}
	return nil
}

// wrongRepo is what is wrong with an answer that names a repository.
func (b *beginning) wrongRepo() error {
	_, err := v1alpha1.Parse("site.yaml", survey.SiteYAML(&survey.Found{}, survey.Answers{Site: "site", Repository: b.repo, Engine: string(v1alpha1.EngineFlux), Inventory: app.FromCluster, Specs: specsFolder, Namespace: "a"}))
	var wrong []error
	for _, e := range app.Flatten(byFlag(err)) {
		if strings.HasPrefix(e.Error(), "--repo") {
			wrong = append(wrong, e)
		}
	}
	return errors.Join(wrong...)
}

// siteName is the folder's name, as far as it can be one.
func (b *beginning) siteName() string {
	if b.name != "" {
		return b.name
	}
	folder, err := filepath.Abs(b.dir)
	if err != nil {
		return "site"
	}
	var name strings.Builder
	for _, r := range strings.ToLower(filepath.Base(folder)) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			name.WriteRune(r)
		} else if name.Len() > 0 {
			name.WriteByte('-')
		}
	}
	if short := strings.Trim(text.Truncate(name.String(), 40), "-…"); short != "" {
		return short
	}
	return "site"
}

// inventoryPath is the inventory as the Site names it: relative to its file.
func (b *beginning) inventoryPath() (string, error) {
	if b.in.Inventory == app.FromCluster {
		return app.FromCluster, nil
	}
	if b.in.Inventory == manifest.Stdin {
		return "", errors.New("--inventory: standard input cannot be read again, want a file, a folder or the word cluster")
	}
	dir, err := filepath.Abs(b.dir)
	if err != nil {
		return "", err
	}
	path, err := filepath.Abs(b.in.Inventory)
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(dir, path)
	return filepath.ToSlash(relative), err
}

func (b *beginning) hosts(ctx context.Context, ui *ui) (*inventory.Inventory, error) {
	defer ui.progress.stage("reading hosts")()
	if b.in.Inventory != app.FromCluster {
		return files.Load([]string{b.in.Inventory}, ui.in)
	}
	return b.in.LiveHosts(ctx, &v1alpha1.Site{}, nil, time.Now())
}

// The API groups that an engine and Cluster API bring.
const (
	fluxGroup       = "kustomize.toolkit.fluxcd.io"
	argoGroup       = "argoproj.io"
	clusterAPIGroup = "cluster.x-k8s.io"
)

// installed answers what the live cluster shows: the engine, unless one was asked for, and whether there is Cluster API.
func (b *beginning) installed(ctx context.Context, answers *survey.Answers) error {
	answers.Engine = b.engine
	if b.in.Inventory != app.FromCluster {
		if b.engine == "auto" {
			answers.Engine = string(v1alpha1.EngineFlux)
		}
		return nil
	}
	cfg, err := b.in.RestConfig()
	if err != nil {
		return err
	}
	groups, err := live.Groups(ctx, cfg)
	if err != nil {
		return err
	}
	answers.ClusterAPI = groups[clusterAPIGroup]
	switch {
	case b.engine != "auto":
	case groups[fluxGroup]:
		answers.Engine, answers.EngineWhy = string(v1alpha1.EngineFlux), "Flux is installed on the cluster"
	case groups[argoGroup]:
		answers.Engine, answers.EngineWhy = string(v1alpha1.EngineArgoCD), "Argo CD is installed on the cluster"
	default:
		answers.Engine = string(v1alpha1.EngineFlux)
		answers.EngineWhy = "the default: neither Flux nor Argo CD is installed on the cluster yet"
	}
	return nil
}

// shownValues is how many values of a label are shown.
const shownValues = 6

// show prints what was found. assumed: the engine is the default.
func show(ui *ui, found *survey.Found, answers survey.Answers, assumed bool) {
	var namespaces []string
	for _, n := range found.Namespaces {
		namespaces = append(namespaces, fmt.Sprintf("%s (%d)", text.Line(n.Name), n.Hosts))
	}
	width := terminalWidth(ui.out)
	line := fmt.Sprintf("%s, %d of them free, in %s", text.Count(found.Hosts, "host"), found.Free, strings.Join(namespaces, ", "))
	fmt.Fprintln(ui.out, text.Fold(line, width, "  "))
	engine := answers.Engine
	switch {
	case answers.EngineWhy != "":
		engine += " (" + answers.EngineWhy + ")"
	case assumed:
		engine += " (the default: files do not show which engine the cluster has; --engine argocd chooses Argo CD)"
	}
	fmt.Fprintln(ui.out, text.Fold("engine: "+engine, width, "  "))
	if answers.ClusterAPI {
		fmt.Fprintln(ui.out, "Cluster API: installed on the cluster")
	}
	fmt.Fprintln(ui.out)
	rows := [][]string{{"LABEL", "LOOKS LIKE", "VALUES (HOSTS)"}}
	for _, l := range found.Labels {
		var values []string
		for i, v := range l.Values {
			if i == shownValues {
				values = append(values, fmt.Sprintf("… %d more", len(l.Values)-i))
				break
			}
			values = append(values, fmt.Sprintf("%s (%d)", v.Name, v.Hosts))
		}
		looks := string(l.Looks)
		if looks == "" {
			looks = "-"
		}
		rows = append(rows, []string{l.Key, looks, strings.Join(values, ", ")})
	}
	for _, n := range found.Networks {
		rows = append(rows, []string{text.Line(n.Name), "network", fmt.Sprintf("(%d)", n.Hosts)})
	}
	for i, h := range found.Hardware {
		if i == shownValues {
			rows = append(rows, []string{fmt.Sprintf("… %d more", len(found.Hardware)-i), "hardware", ""})
			break
		}
		rows = append(rows, []string{text.Line(h.Name), "hardware", fmt.Sprintf("(%d)", h.Hosts)})
	}
	_ = writeColumns(ui.out, rows, width, len(rows[0])-1) // the terminal's; what cannot be written there cannot be said either
}
