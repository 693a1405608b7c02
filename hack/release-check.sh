#!/usr/bin/env bash
# Makes the release of the commit that is checked out twice, in two clones in folders of different length, and compares the sums.
# usage: release-check.sh [VERSION]
set -euo pipefail
version=${1:-v0.0.0-check}
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for place in one another/and/longer/place; do
  git clone --quiet --no-hardlinks . "$work/$place"
  echo "release-check: $place" >&2
  (cd "$work/$place" && bash hack/release.sh "$version" "$PWD/out/release" >/dev/null)
done
if ! diff -u "$work/one/out/release/SHA256SUMS" "$work/another/and/longer/place/out/release/SHA256SUMS"; then
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
