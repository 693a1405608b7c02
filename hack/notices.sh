#!/usr/bin/env bash
# Writes the licenses and notices of all code that a program contains: of the package PACKAGE, built in MODULE.
# usage: notices.sh FILE MODULE PACKAGE OS/ARCH...
set -euo pipefail
[ $# -gt 3 ] || { echo "usage: notices.sh FILE MODULE PACKAGE OS/ARCH..." >&2; exit 2; }
file=$1 module=$2 package=$3
shift 3
case $file in /*) ;; *) file=$PWD/$file ;; esac
cd "$(dirname "$0")/.."
for platform; do
  CGO_ENABLED=0 GOOS=${platform%/*} GOARCH=${platform#*/} GOWORK=off GOFLAGS=-mod=readonly \
    go -C "$module" list -deps -json=Dir,Standard,Root,Module "$package"
done | go run ./hack/pack notices "$file"
