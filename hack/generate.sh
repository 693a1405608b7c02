#!/usr/bin/env bash
# Generates config/crd and docs/cli.md; with --check says what is not current and changes nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

go tool -modfile="$PWD/tools/go.mod" controller-gen crd:crdVersions=v1,maxDescLen=300 \
  paths=./api/v1/... paths=./api/v1alpha1/... output:crd:dir="$work/config/crd"
mkdir -p "$work/docs"
go run ./hack/clidoc >"$work/docs/cli.md"

status=0
for file in $(cd "$work" && find . -type f | sort); do
  if [ "${1-}" = --check ]; then
    cmp -s "$work/$file" "$file" || { echo "$file is not current: make generate" >&2; status=1; }
  else
    mkdir -p "$(dirname "$file")"
    cp "$work/$file" "$file"
  fi
done
exit $status
