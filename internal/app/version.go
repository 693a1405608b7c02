package app

import (
	"context"
	"fmt"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/release"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/publish"
)

// VersionTrailer is the key of the trailer with the version of the program that made a commit.
const VersionTrailer = "Sipgen-Version"

// OtherVersion compares this program's version with the one that wrote the tree on the branch, if files of the tree
// would change. A tree of a newer minor version is refused, because this one turns back what it does not have. There
// is a warning unless both are releases, or the same version.
func (c *Checked) OtherVersion(ctx context.Context, own string, how Tolerance) (unknown []finding.Finding,
	refusal error) {
	before := &c.Plan.Before
	if before.tip == nil || !before.Known() || c.Rendered.Err != nil {
		return nil, nil
	}
	changes := publish.Diff(before.Files, c.Rendered.Tree)
	if len(changes) == 0 {
		return nil, nil
	}
	wrote, commit := before.tip.Trailer(ctx, VersionTrailer)
	wrote = text.Truncate(text.Line(wrote), 60)
	newer, known := release.NewerMinor(wrote, own)
	files := text.Count(len(changes), "file")
	switch {
	case wrote == own:
		return nil, nil
	case newer && !how.NewerTree:
		return nil, refusef("%s: sipgen %s wrote the tree, in commit %.12s, and this is %s, which is older: it would "+
			"write %s, and may revert its changes; use %[2]s or later. To go back to this version, read its "+
			"sipgen diff, and repeat publish with --accept-newer-tree", before.Where, wrote, commit, own, files)
	case known:
		return nil, nil
	}
	words := fmt.Sprintf("sipgen %s wrote the tree, in commit %.12s, and this is %s", wrote, commit, own)
	if wrote == "" {
		words = fmt.Sprintf("no readable commit names the version of sipgen that wrote the tree (trailer %s), and this "+
			"is %s", VersionTrailer, own)
	}
	return []finding.Finding{warning(finding.OtherVersion, c.Plan.Loaded.siteRef(),
		fmt.Sprintf("%s: %s: if this one is "+
			"older, it may revert some of the %s that change", before.Where, words, files))}, nil
}
