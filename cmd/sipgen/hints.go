package main

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/push"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/forge"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/publish"
)

// fail prints an error, each of the errors joined in it on a line of its own, and a hint where there is something to
// try.
func fail(ui *terminal.UI, err error) {
	told := map[string]bool{}
	singles := app.Flatten(err)
	for i, single := range singles {
		ui.Say("%s", single)
		hint := hintFor(single)
		if hint == "" || told[hint] || i+1 < len(singles) && hintFor(singles[i+1]) == hint {
			continue
		}
		told[hint] = true
		ui.Say("hint: %s", hint)
	}
	if unpushed := (*unpushedError)(nil); errors.As(err, &unpushed) {
		ui.Say("nothing is pushed")
	}
}

// hints are what to try about an error. The first that fits counts.
var hints = []struct {
	is  error
	try string
}{
	{publish.ErrForeign, adoptHint},
	{publish.ErrTaken, adoptHint},
	{publish.ErrNewer, ""},
	{publish.ErrOwnership, adoptHint},
	{publish.ErrNoRepository, "--repo names the fleet's repository, by its URL or the path of a bare one"},
	{publish.ErrUnreachable, "check the URL; behind a VPN, connect first; " +
		"behind a proxy, set SIPGEN_GIT_PROXY, or HTTPS_PROXY and NO_PROXY (for ssh ALL_PROXY)"},
	{publish.ErrNothingThere, "push a first commit to that branch (a README is enough), " +
		"or publish once without --propose"},
	{publish.ErrNoHead, "set the repository's default branch to an existing one, in a bare repository with " +
		"git symbolic-ref HEAD refs/heads/EXISTING; or create the branch yourself: " +
		"git push REPOSITORY COMMIT:refs/heads/BRANCH"},
	{publish.ErrNoBranch, "--branch or the Site's spec.repository.branch names another one; " +
		"sipgen publish --create-branch creates it"},
	{publish.ErrOverwrite, "take another branch; or keep what is in these commits somewhere else, " +
		"and delete the branch: git push REPOSITORY --delete BRANCH"},
	{publish.ErrOwner, "git config --global --add safe.directory FOLDER, with the folder above, if you trust its owner"},
	{publish.ErrTimeout, "--timeout raises the limit"},
	{fs.ErrPermission, "check the owner and permissions of that path"},
	{publish.ErrBranch, ""},
	{publish.ErrRejected, "--propose BRANCH pushes to a separate branch, for a pull request; " +
		"--trailer 'Signed-off-by=Name <address>' adds a line that a hook asks for; " +
		"ask the administrator of the repository which names and commits it accepts"},
	{forge.ErrNoRepository, folderHint},
	{forge.ErrNoAPI, folderHint},
	{push.ErrNoPullRequest, "the branch is pushed; run it again, or open the pull request by hand"},
	{syscall.ENOSPC, "the disk is full: free some space, then run it again"},
	{forge.ErrCertificate, cmdline.SetBy("CAFile")},
}

const folderHint = "the branch is pushed; if the forge's pages are below a folder, as in " +
	"https://git.example.org/gitlab, --forge-url names the folder, too"

const adoptHint = "spec.repository.path in the Site gives the tree a folder of its own; " +
	"sipgen render and sipgen publish have --adopt, which replaces the files that are there"

// hintFor returns what to try about one error.
func hintFor(err error) string {
	var (
		usage  *cmdline.UsageError
		noSite *app.NoSiteError
		unread *cmdline.PreviousError
		// of it nothing is known but that it was not printed
		incomplete *terminal.IncompleteError
		asked      *app.AskedError
		setting    *publish.SettingError
	)
	switch {
	case errors.As(err, &incomplete):
		return ""
	case errors.As(err, &asked) && asked.Hint() != "":
		return asked.Hint()
	case errors.As(err, &usage) && usage.Expanded:
		return "the shell expands a pattern that is not quoted: --site 'sites/*/site.yaml'"
	case errors.As(err, &usage):
		return "sipgen " + usage.Command + " --help"
	case errors.As(err, &noSite) && noSite.Built != "":
		return redact.Sprintf("--site %s names the Site that the kustomization in this folder builds", noSite.Built)
	case errors.As(err, &noSite):
		return "sipgen init writes a Site; --site FILE or $SIPGEN_SITE names an existing one"
	case errors.As(err, &unread) && unread.OfFleet:
		return "if nothing has been published to that branch yet, plan the Site alone, with --previous none; otherwise pass " +
			"--repo URL or --branch: the tree holds decisions that are not synced yet"
	case errors.As(err, &unread):
		return "if nothing has been published yet, --previous none plans without a previous tree; " +
			"otherwise pass --repo URL or --previous DIR: the tree holds decisions that are not synced yet"
	case errors.As(err, &setting):
		return cmdline.SetBy(setting.Field)
	}
	for _, hint := range hints {
		if errors.Is(err, hint.is) {
			return hint.try
		}
	}
	return ""
}

// specHint returns what to try about what is wrong with a spec.
func specHint(p *admit.Problem) string {
	switch {
	case olderShape(p):
		return "this looks like a SIPCluster of SIP's API before April 2021; docs/from-sip.md has the fields of today"
	case p.Grantable:
		return "sipgen tenants --suggest prints the grants that the specs need"
	}
	return ""
}

// hintAtSpecs prints hints about frozen clusters.
func hintAtSpecs(ui *terminal.UI, problems []admit.Problem) {
	told := map[string]bool{}
	for i := range problems {
		if hint := specHint(&problems[i]); hint != "" && !told[hint] {
			told[hint] = true
			ui.Say("hint: %s", hint)
		}
	}
}

// olderShape reports whether a field is one that only earlier versions of SIPCluster had.
func olderShape(p *admit.Problem) bool {
	if !p.Unknown {
		return false
	}
	switch p.Field[strings.LastIndex(p.Field, ".")+1:] {
	case "vmFlavor", "vm-flavor", "spreadTopology", "scheduling-constraints", "nodeSets", "config":
		return strings.HasPrefix(p.Field, "spec.nodes") || strings.HasPrefix(p.Field, "spec.nodeSets") ||
			p.Field == "spec.config"
	}
	return false
}
