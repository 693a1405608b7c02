package preflight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/inventory"
)

// Ask is the change that a tree makes to a host.
type Ask struct {
	Host *inventory.Host
	// Claim is the claim that the tree gives the host, the zero claim for a release.
	Claim holdings.Claim
	// Approved: its release was approved though it is in use.
	Approved bool
}

// Moves warns of hosts in use whose cluster labels a tree would remove or change without an approval. The sync guard
// of the site denies such a patch, and with it the sync of all hosts of that cluster, or of the site with an overlay.
// It is a warning, since the labels stay whatever is committed. The findings are sorted by host.
func Moves(apply v1alpha1.ApplyMode, keys holdings.LabelKeys, asks []Ask) []finding.Finding {
	whose := "that cluster's"
	if apply == v1alpha1.ApplyOverlay {
		whose = "the site's"
	}
	var out []finding.Finding
	for _, ask := range asks {
		if !ask.Host.State.InUse() || ask.Approved {
			continue
		}
		var differ, set []string
		for _, label := range keys.Differ(ask.Host, ask.Claim) {
			switch {
			case label.Is == "" || label.Key == keys.Standby:
			case label.Want == "":
				differ, set = append(differ, redact.Sprintf("%s: %q to be removed", label.Key, label.Is)), append(set,
					label.Key+"-")
			default:
				differ, set = append(differ, redact.Sprintf("%s: %q to become %q", label.Key, label.Is, label.Want)), append(set,
					label.Key+"="+label.Want)
			}
		}
		if len(differ) > 0 {
			f := onHost(ask.Host, fmt.Sprintf("it is in use, and its cluster and role labels differ from the tree's (%s)",
				strings.Join(differ, ", ")),
				"the sync guard denies the patch, so none of "+whose+" hosts is synced; a member of the break-glass groups has to set the labels, but only if the tree is right and the live labels are wrong",
				command("label", ask.Host, append([]string{"--overwrite", "--field-manager=oncall", "--as=YOU",
					"--as-group=GROUP"}, set...)...))
			f.Code, f.Severity = finding.Moves, finding.Warning
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b finding.Finding) int { return strings.Compare(a.Object, b.Object) })
	return out
}
