#!/usr/bin/env bash
# Prints what CHANGELOG.md says of a version, as release notes. usage: notes.sh v1.2.3
set -euo pipefail
[ $# = 1 ] || { echo "notes.sh: usage: notes.sh VERSION" >&2; exit 2; }
notes=$(awk -v head="## $1" '/^## /{on = ($0 == head || index($0, head " ") == 1); next} on' "$(dirname "$0")/../CHANGELOG.md")
[ -n "${notes//[[:space:]]/}" ] || { echo "notes.sh: CHANGELOG.md: no text under \"## $1\": move what is under Unreleased there first" >&2; exit 2; }
printf '%s\n' "$notes"
