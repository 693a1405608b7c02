#!/usr/bin/env bash
# Prints what CHANGELOG.md says of a version, as release notes; with the place of the images also their digests, from out/ as make release leaves it.
# usage: notes.sh VERSION [REGISTRY/NAME]
set -euo pipefail
fail() { echo "notes.sh: $*" >&2; exit 2; }
[ $# = 1 ] || [ $# = 2 ] || fail "usage: notes.sh VERSION [REGISTRY/NAME]"
cd "$(dirname "$0")/.."
notes=$(awk -v head="## $1 (20" '/^## /{on = index($0, head) == 1; next} on' CHANGELOG.md)
[ -n "${notes//[[:space:]]/}" ] || fail "CHANGELOG.md: no text under \"## $1 (DATE)\": bash hack/cut-release.sh $1 moves what is under Unreleased there"
printf '%s\n' "$notes"
[ $# = 2 ] || exit 0
sipgen=$(bash hack/digest.sh out/image) jump=$(bash hack/digest.sh out/jump-image)
# shellcheck disable=SC2016 # Markdown
printf '\nImages, for linux/amd64 and linux/arm64:\n\n- `%s:%s@%s`\n- `%s/jump-host:%s@%s`\n' "$2" "$1" "$sipgen" "$2" "$1" "$jump"
