#!/usr/bin/env bash
# Makes the release of the commit that is checked out twice, in two clones in folders of different length, and compares all of it: archives and images.
# usage: release-check.sh [VERSION]
set -euo pipefail
version=${1:-v0.0.0-rc.0}
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for place in one another/and/longer/place; do
  git clone --quiet --no-hardlinks . "$work/$place"
  echo "release-check: $place" >&2
  make --directory "$work/$place" release VERSION="$version" CACHE="${CACHE:-$PWD/.cache}" >/dev/null
done
if ! diff -r "$work/one/out" "$work/another/and/longer/place/out"; then
  echo "release-check: two builds of one commit differ" >&2
  exit 1
fi
# Every sum is right, and every archive has the program in it.
cd "$work/one/out/release"
if command -v sha256sum >/dev/null; then sha256sum --quiet -c SHA256SUMS; else shasum -a 256 --quiet -c SHA256SUMS; fi
for archive in *.tar.gz; do
  files=$(tar tzf "$archive")
  grep -qE '^sipgen(\.exe)?$' <<<"$files" || { echo "release-check: $archive: no sipgen in it" >&2; exit 1; }
done
cat SHA256SUMS
