#!/usr/bin/env bash
# Writes the licenses and notices of all code that the released programs contain.
# usage: notices.sh FILE OS/ARCH...
set -euo pipefail
[ $# -gt 1 ] || { echo "usage: notices.sh FILE OS/ARCH..." >&2; exit 2; }
file=$1
shift
case $file in /*) ;; *) file=$PWD/$file ;; esac
cd "$(dirname "$0")/.."
for platform; do
  CGO_ENABLED=0 GOOS=${platform%/*} GOARCH=${platform#*/} go list -deps -json=Dir,Standard,Root,Module ./cmd/sipgen
done | go run ./hack/pack notices "$file"
