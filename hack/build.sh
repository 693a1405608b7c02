#!/usr/bin/env bash
# Builds one released binary. Equal sources, version and Go release give equal bytes, wherever the checkout is and whatever
# the environment says.
# usage: build.sh VERSION OS/ARCH FILE
set -euo pipefail
[ $# = 3 ] || { echo "usage: build.sh VERSION OS/ARCH FILE" >&2; exit 2; }
version=$1 platform=$2 file=$3
[[ $version =~ ^[0-9A-Za-z._+-]+$ ]] || { echo "build.sh: version: found \"$version\", want letters, digits and . _ + -" >&2; exit 2; }
[[ $platform == */* ]] || { echo "build.sh: platform: found \"$platform\", want OS/ARCH" >&2; exit 2; }
case $file in /*) ;; *) file=$PWD/$file ;; esac
cd "$(dirname "$0")/.."

unset GOEXPERIMENT GOFIPS140
export CGO_ENABLED=0 GOOS=${platform%/*} GOARCH=${platform#*/} GOAMD64=v1 GOARM64=v8.0 GOWORK=off
# The commit is not stamped in: a source archive, a clone without tags and a tagged one would each differ.
# The linker leaves out what a debugger reads (-s -w); so the compiler does not write it.
export GOFLAGS="-trimpath -buildvcs=false -mod=readonly -gcflags=all=-dwarf=false"
exec go build -ldflags "-s -w -buildid= -X github.com/airshipit/sipgen/internal/release.version=$version" -o "$file" ./cmd/sipgen
