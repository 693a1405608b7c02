#!/usr/bin/env bash
# Checks that a commit has exactly the tree that sipgen renders from its specs on top of its base's tree: nobody edited
# it, resolved a conflict in it by hand, or rendered it from older specs. Usage: check.sh origin/main, or HEAD^1 after
# the merge. Ends with 0, or 1 with the files that differ, or 2.
set -euo pipefail
base=$(git rev-parse --verify "${1:?want the base, as in origin/main}^{commit}")
site=${SITE:-site.yaml} tree=${TREE:-tree}

if ! git merge-base --is-ancestor "$base" HEAD; then
  echo "the branch lacks commits of its base: its specs are older than the tree; run render.sh" >&2
  exit 2
fi
work=$(mktemp -d)
trap 'git worktree remove --force "$work"' EXIT
git worktree add --quiet --detach "$work" HEAD
cd "$work"
rm -rf -- "$tree"
if git cat-file -e "$base:$tree" 2>/dev/null; then
  git checkout --quiet "$base" -- "$tree"
fi
sipgen render --site "$site" --out "$tree" || [ $? = 1 ] || exit 2
git add --all -- "$tree"
git diff --cached --stat --exit-code HEAD -- "$tree"
