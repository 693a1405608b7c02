package status

import (
	"fmt"
	"strings"
)

// row explains a state to the operator on call. More is a part of the details that the row is about.
type row struct {
	State             State
	More, Meaning, Do string
}

// rows are the table of docs/runbooks/host-states.md, with links from there.
var rows = []row{
	{Emptied, "", "The spec is empty and the server runs a system. metal3 wipes it once the BMC details return without the image.",
		"**Pause the host now** (below). Then [restore its spec](spec-emptied.md)."},
	{Failed, "", "metal3 reports an error, Cluster API marked it unhealthy, or it is being deleted.",
		"Repair or [replace](../maintain-a-host.md#replace-a-host) it. The next run replaces an idle one."},
	{Taken, "", "A HostClaim, another system or an image without a consumer uses the host.",
		"Find its owner, or [replace](../maintain-a-host.md#replace-a-host) it."},
	{NotSynced, "", "The engine has not set the labels yet.",
		"Wait. If the state stays: [Change not applied](change-not-applied.md)."},
	{Drifted, "", "The labels differ from the branch: an operator edited them, or the branch changed.",
		"If the branch is right, wait. If it is wrong, correct it before the next sync."},
	{Pending, "", "To be released, and in use.",
		"[Delete its machine](free-a-host.md), unless one of its role is idle: then run sipgen. " +
			"If unintended, restore the spec."},
	{Releasing, "", "The labels are to be removed and are still there.", "As for `not synced`."},
	{Released, "", "The host was seen without labels.", "Run sipgen once more: then the host is available."},
	{Reserved, "", "Cluster API's `nodeReuse` keeps the host.",
		"[Remove the label](free-a-host.md)."},
	{LeftAlone, "the next run of sipgen decides", "The labels name a cluster of the branch, which does not have the host.",
		"Release nothing. Correct the specs and [run sipgen](undo-a-merge.md)."},
	{LeftAlone, "", "The labels name an unknown cluster: another site's, or one of a [lost tree](tree-lost.md).",
		"Find the owner first."},
	{Denied, "", "The host is in use, and the branch has other labels.",
		"[A host in use is denied](../guards.md#a-host-in-use-is-denied)."},
	{Refused, "", "The patch could empty the spec, or another tool owns it.",
		"The last column has the reason and the fix."},
	{Missing, "", "The host does not exist.", "Find out who deleted it. The next run fills its slot."},
	{Recreated, "", "A host of this name has another uid.",
		"As for `missing`. Many at once: [a restored backup](deleted-objects.md)."},
}

const head = "| state | meaning | do |\n|---|---|---|\n"

// Page is docs/runbooks/host-states.md with the table of the states.
func Page(page string) (string, error) {
	before, rest, found := strings.Cut(page, head)
	_, after, ends := strings.Cut(rest, "\n\n")
	if !found || !ends {
		return "", fmt.Errorf("no table of states, want one that begins with %q", head)
	}
	var table strings.Builder
	for _, r := range rows {
		state := "`" + string(r.State) + "`"
		if r.More != "" {
			state += ", `" + r.More + "`"
		}
		fmt.Fprintf(&table, "| %s | %s | %s |\n", state, r.Meaning, r.Do)
	}
	return before + head + table.String() + "\n" + after, nil
}
