package preflight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/inventory"
)

// Ask is what a tree asks of a host.
type Ask struct {
	Host *inventory.Host
	// Namespace, Cluster and Role that it is labelled for, all empty for a host that is released.
	Namespace, Cluster, Role string
	// Approved: its release was approved though it is in use.
	Approved bool
}

// Moves finds the hosts in use whose cluster labels a tree would remove or change without an approval. The sync guard of the site denies
// such a patch, and with it the sync of all hosts of that cluster, or with an overlay of the site, so each is said before: it is a warning,
// since the labels stay as they are whatever is committed. The findings are sorted by host.
func Moves(apply v1alpha1.ApplyMode, keys v1alpha1.LabelKeys, asks []Ask) []Finding {
	whose := "that cluster's"
	if apply == v1alpha1.ApplyOverlay {
		whose = "the site's"
	}
	var out []Finding
	for _, ask := range asks {
		//guard: nobody is told that the sync guard will deny a commit
		if !ask.Host.State.InUse() || ask.Approved {
			continue
		}
		var differ, set []string
		for _, label := range []struct{ key, want string }{{keys.ClusterNamespace, ask.Namespace}, {keys.ClusterName, ask.Cluster}, {keys.NodeType, ask.Role}} {
			live := ask.Host.Labels[label.key]
			if live == "" || live == label.want {
				continue
			}
			if label.want == "" {
				differ, set = append(differ, redact.Sprintf("%s: %q to be removed", label.key, live)), append(set, label.key+"-")
				continue
			}
			differ, set = append(differ, redact.Sprintf("%s: %q to become %q", label.key, live, label.want)), append(set, label.key+"="+label.want)
		}
		if len(differ) > 0 {
			out = append(out, Finding{
				Host: ask.Host.Key(), Found: fmt.Sprintf("it is in use, and the labels that say whose it is differ from the tree's (%s)", strings.Join(differ, ", ")),
				Why:     "the sync guard denies the patch, so none of " + whose + " hosts is synced; a member of the break-glass groups has to set the labels, but only if the tree is right and the live labels are wrong",
				Fix:     command("label", ask.Host, append([]string{"--overwrite", "--field-manager=oncall", "--as=YOU", "--as-group=GROUP"}, set...)...),
				Warning: true,
			})
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return strings.Compare(a.Host, b.Host) })
	return out
}
