#!/usr/bin/env bash
# Brings a branch up to date with its base, renders the tree from the branch's specs on top of the base's tree, and
# commits both. A conflict in the tree needs no resolution: the tree is rendered again. Usage: render.sh origin/main
# Ends as sipgen does: 1 if a cluster is frozen or short, and the commit is there; 2 if there is none.
set -euo pipefail
base=${1:?want the base, as in origin/main}
site=${SITE:-site.yaml} tree=${TREE:-tree}

git merge --quiet --no-edit --no-commit --no-ff "$base" || true # a conflict is looked at below
git rm -r --quiet --cached --ignore-unmatch -- "$tree"
rm -rf -- "$tree"
if git cat-file -e "$base:$tree" 2>/dev/null; then
  git checkout --quiet "$base" -- "$tree"
fi
if [ -n "$(git ls-files --unmerged)" ]; then
  git diff --name-only --diff-filter=U >&2
  echo "conflicts outside $tree: merge $base by hand, then start again" >&2
  git merge --abort
  exit 2
fi
code=0
sipgen render --site "$site" --out "$tree" || code=$?
if [ "$code" -gt 1 ]; then
  git merge --abort 2>/dev/null || git reset --quiet --hard
  exit 2
fi
git add --all -- "$tree"
if [ -f "$(git rev-parse --git-path MERGE_HEAD)" ] || ! git diff --cached --quiet; then
  git commit --quiet -m "Render $tree on $base"
fi
exit "$code"
