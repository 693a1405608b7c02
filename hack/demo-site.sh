#!/usr/bin/env bash
# Plans examples/whole-site, publishes it into a bare repository and says what would happen then: no cluster, no account.
# usage: demo-site.sh SIPGEN FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
sipgen=$1 folder=${2#"$PWD"/}
inputs=(--site examples/whole-site/site.yaml)

show() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
[ -t 1 ] || show() { printf '\n$ %s\n' "$*"; }

rm -rf "$folder"
mkdir -p "$folder"
git init --quiet --bare --initial-branch=main "$folder/fleet.git"

show sipgen plan "${inputs[@]}" --previous none -o network
"$sipgen" plan "${inputs[@]}" --previous none -o network

show sipgen publish "${inputs[@]}" --repo "$folder/fleet.git"
"$sipgen" publish "${inputs[@]}" --repo "$folder/fleet.git"

show "git show main:PLAN.md, what somebody has to make first"
git -C "$folder/fleet.git" show main:PLAN.md | sed -n '/^## Secrets/,$p'

show "git ls-tree main: no BareMetalHost that would be created, no credential"
git -C "$folder/fleet.git" ls-tree -r --name-only main -- site flux policy

"$sipgen" plan "${inputs[@]}" --previous none -o network
"$sipgen" plan "${inputs[@]}" --previous none -o html >"$folder/site.html"
cat <<NEXT

What to look at next:
  $folder/site.html                                             # the site as a picture
  git -C $folder/fleet.git show main:site/virtual-hosts/vino.subclusters/vino.yaml   # variables in place of the BMCs' password
  docs/site-services.md                                         # all else
NEXT
