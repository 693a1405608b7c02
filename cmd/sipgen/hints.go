package main

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/push"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/forge"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/publish"
)

// fail prints an error, each of the errors joined in it on a line of its own, and a hint where
// there is something to try with the command.
func fail(ui *terminal.UI, command *cobra.Command, err error) {
	told := map[string]bool{}
	singles := app.Flatten(err)
	for i, single := range singles {
		ui.Say("%s", single)
		hint := hintFor(command, single)
		if hint == "" || told[hint] || i+1 < len(singles) && hintFor(command, singles[i+1]) == hint {
			continue
		}
		told[hint] = true
		ui.Say("hint: %s", hint)
	}
	if unpushed := (*unpushedError)(nil); errors.As(err, &unpushed) {
		ui.Say("nothing is pushed")
	}
}

// hintFor returns what to try about one error. It names a flag only with a command that has it.
func hintFor(command *cobra.Command, err error) string {
	var (
		usage  *cmdline.UsageError
		noSite *app.NoSiteError
		unread *cmdline.PreviousError
		// of it nothing is known but that it was not printed
		incomplete *terminal.IncompleteError
		asked      *app.AskedError
		notTree    *cmdline.NotTreeError
	)
	switch {
	case errors.As(err, &incomplete):
		return ""
	case errors.As(err, &asked) && asked.Hint() != "":
		return asked.Hint()
	case errors.As(err, &usage):
		return "sipgen " + usage.Command + " --help"
	case errors.As(err, &noSite):
		return "sipgen init writes a Site; --site FILE or $SIPGEN_SITE names an existing one"
	case errors.As(err, &notTree):
		return notTree.Hint()
	case errors.As(err, &unread):
		return "if nothing has been published yet, --previous none plans without a previous tree; " +
			"otherwise pass --repo URL or --previous DIR: the tree holds decisions that are not synced yet"
	case specHint(err) != "":
		return specHint(err)
	case publishHint(command, err) != "":
		return publishHint(command, err)
	case errors.Is(err, push.ErrNoPullRequest):
		return "the branch is pushed; run it again, or open the pull request by hand"
	case errors.Is(err, syscall.ENOSPC):
		return "the disk is full: free some space, then run it again"
	case errors.Is(err, syscall.EDQUOT):
		return "your disk quota is used up: delete some files of yours, or have the quota raised, then run it again"
	case errors.Is(err, fs.ErrPermission):
		return "check the owner and permissions of that path"
	}
	return ""
}

// specHint returns what to try about what is wrong with a spec.
func specHint(err error) string {
	switch {
	case olderShape(err):
		return "this looks like a SIPCluster of an older API; sipgen takeover -f FILE --out DIR converts it"
	case grantable(err):
		return "sipgen tenants --suggest prints the grants that the specs need"
	}
	return ""
}

// grantable reports whether a grant would allow what is wrong.
func grantable(err error) bool {
	var beyond *admit.BeyondError
	return errors.As(err, &beyond) && beyond.Grantable
}

// hintAtSpecs prints hints about frozen clusters.
func hintAtSpecs(ui *terminal.UI, problems []admit.Problem) {
	told := map[string]bool{}
	for _, f := range problems {
		if hint := specHint(f.Err); hint != "" && !told[hint] {
			told[hint] = true
			ui.Say("hint: %s", hint)
		}
	}
}

// publishHint returns what to try where a folder, a repository or a forge did not take the tree.
func publishHint(command *cobra.Command, err error) string {
	var (
		setting *publish.SettingError
		branch  *publish.BranchError
	)
	switch {
	case errors.As(err, &setting):
		return cmdline.SetBy(setting.Field)
	case errors.Is(err, forge.ErrCertificate):
		return cmdline.SetBy("CAFile")
	case command.Name() == "publish" && (errors.Is(err, publish.ErrForeign) || errors.Is(err, publish.ErrTaken)):
		return "spec.repository.path in the Site gives the tree a folder of its own; " +
			"--adopt replaces the files that are there"
	case command.Name() == "render" && (errors.Is(err, publish.ErrForeign) || errors.Is(err, publish.ErrTaken)):
		return "--out names another folder, and spec.repository.path in the Site is its path in the repository; " +
			"--adopt replaces the files that are there"
	case errors.Is(err, publish.ErrForeign), errors.Is(err, publish.ErrTaken), errors.Is(err, publish.ErrOwnership):
		return flagOr(command, "adopt", "--adopt takes it over",
			"sipgen render and sipgen publish have --adopt, which takes it over")
	case errors.Is(err, publish.ErrNoRepository):
		return "--repo names the fleet's repository, by its URL or the path of a bare one"
	case errors.Is(err, publish.ErrUnreachable):
		return "is the URL right? behind a VPN, connect first; " +
			"behind a proxy, set SIPGEN_GIT_PROXY, or HTTPS_PROXY and NO_PROXY (for ssh ALL_PROXY)"
	case errors.Is(err, publish.ErrNothingThere):
		return "push a first commit to that branch (a README is enough), or publish once without --propose"
	case errors.As(err, &branch) && manifest.Nearest(branch.Branch, branch.Branches) != "":
		return redact.Sprintf("did you mean the branch %q? --branch or the Site's spec.repository.branch names it",
			manifest.Nearest(branch.Branch, branch.Branches)) +
			flagOr(command, "create-branch", "; --create-branch creates a new one", "")
	case errors.Is(err, publish.ErrNoBranch):
		return "--branch or the Site's spec.repository.branch names another one" +
			flagOr(command, "create-branch", "; --create-branch creates it", "")
	case errors.Is(err, publish.ErrOverwrite):
		return "take another branch; or keep what is in these commits somewhere else, and delete the branch: " +
			"git push REPOSITORY --delete BRANCH"
	case errors.Is(err, publish.ErrOwner):
		return "git config --global --add safe.directory FOLDER, with the folder above, if you trust its owner"
	case errors.Is(err, publish.ErrRejected) && errors.Is(err, fs.ErrPermission):
		return "check the owner and permissions of the repository"
	case errors.Is(err, publish.ErrRejected) && command.Flags().Changed("propose"):
		return "use another branch name, or ask the administrator of the repository which names it accepts"
	case errors.Is(err, publish.ErrRejected):
		return "--propose BRANCH pushes to a separate branch, for a pull request"
	case errors.Is(err, publish.ErrTimeout):
		return flagOr(command, "timeout", "--timeout raises the limit", "")
	}
	return ""
}

// olderShape reports whether what is wrong with specs are fields that only earlier versions of SIPCluster had.
func olderShape(err error) bool {
	for _, single := range app.Flatten(err) {
		var problem *manifest.Problem
		if !errors.As(single, &problem) || !problem.Unknown {
			continue
		}
		switch problem.Field[strings.LastIndex(problem.Field, ".")+1:] {
		case "vmFlavor", "vm-flavor", "spreadTopology", "scheduling-constraints", "nodeSets", "config":
			if strings.HasPrefix(problem.Field, "spec.nodes") || strings.HasPrefix(problem.Field, "spec.nodeSets") ||
				problem.Field == "spec.config" {
				return true
			}
		}
	}
	return false
}

// flagOr returns a hint for a command that has a flag, or one for those that have not.
func flagOr(command *cobra.Command, flag, hint, without string) string {
	if command.Flags().Lookup(flag) == nil {
		return without
	}
	return hint
}
