// Package publish brings a rendered tree to where others read it: a folder, or a branch of a git
// repository. It knows files and git, and nothing of clusters.
//
// A Tree maps slash paths, relative to the tree's root, to contents. Next to the files publish keeps
// OwnershipFile, the list of the files it wrote with their SHA-256. It changes and deletes only files on
// that list; every other file below the root stays as it is, and a path that is taken is refused.
//
// To a folder:
//
//	before, err := publish.ReadDir(ctx, dir)           // ErrForeign: the folder is not sipgen's
//	result, err := publish.WriteDir(ctx, dir, tree, publish.DirOptions{})
//
// To a repository, with a new plan whenever another push was first:
//
//	target := publish.Target{URL: "ssh://git@git.example.org/fleet.git", Branch: "main", Path: "sites/berlin"}
//	done, plan, err := publish.Loop(ctx, target, func(tip *publish.Snapshot) (publish.Tree, publish.Meta, *Plan, error) {
//		plan, tree, err := planFrom(tip.Tree)
//		return tree, publish.Meta{Author: who, When: now, Message: plan.Message}, plan, err
//	})
//	// done.Changed, done.Commit, done.Changes, done.Branch
//
// Loop reads the branch and commits, again while another push was first. Read and Loop work without a
// checkout: they read the trees along the path, build the new objects in memory and send them in one
// pack, with the hash of the old tip as the precondition. The repository's own rules (hooks, protected
// branches, receive.denyCurrentBranch) decide whether the push is taken: a local repository is written by
// git's own receive-pack, so git has to be installed for that, and for that only.
//
// Errors that callers tell apart are in errors.go. Nothing was written when one of them is returned, but for
// ErrTimeout and an ended context while a push is under way, which may still be taken: the message says so.
//
// Where things are: Loop and everything that is tried again in loop.go; what a login lacks in errors.go; branches are
// read by remote.go and local.go, objects by fetch.go; a commit is made in commit.go and pushed by push.go;
// overwrite.go says what a new proposal would drop. Folders are written by dir.go. Both ask reconcile.go what to
// write. The packages in internal know no branch and no proposal: treefs says what a tree is and what of it is
// sipgen's, folder and objects hold one on disk and in git, wire is the connection to a server, and credentials has
// keys and logins.
package publish
