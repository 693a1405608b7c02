#!/usr/bin/env bash
# Plans examples/two-tenants and publishes it into a bare repository: no cluster, no account.
# usage: demo.sh SIPGEN FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
sipgen=$1 folder=${2#"$PWD"/}
inputs=(--site examples/two-tenants/site.yaml -f examples/two-tenants/tenants --inventory examples/two-tenants/hosts)

show() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
[ -t 1 ] || show() { printf '\n$ %s\n' "$*"; }

rm -rf "$folder"
mkdir -p "$folder"
git init --quiet --bare --initial-branch=main "$folder/fleet.git"

show sipgen plan "${inputs[@]}" --repo "$folder/fleet.git"
"$sipgen" plan "${inputs[@]}" --repo "$folder/fleet.git"

show sipgen publish "${inputs[@]}" --repo "$folder/fleet.git"
"$sipgen" publish "${inputs[@]}" --repo "$folder/fleet.git"

show git -C "$folder/fleet.git" log --stat=100
git --no-pager -C "$folder/fleet.git" log --stat=100

show sipgen publish "${inputs[@]}" --repo "$folder/fleet.git"
"$sipgen" publish "${inputs[@]}" --repo "$folder/fleet.git"

cat <<NEXT

What to run next:
  git -C $folder/fleet.git show main:PLAN.md            # who has which host
  git -C $folder/fleet.git log -p                       # what a reviewer sees
  bin/sipgen explain tenant-a/edge-a ${inputs[*]} --repo $folder/fleet.git
  \$EDITOR examples/two-tenants/tenants/edge-a.yaml          # ask for another worker, then:
  bin/sipgen diff ${inputs[*]} --repo $folder/fleet.git
NEXT
