#!/usr/bin/env bash
# Prints the digest of the one image in an OCI layout. usage: digest.sh FOLDER
set -euo pipefail
[ $# = 1 ] || { echo "usage: digest.sh FOLDER" >&2; exit 2; }
found=$(grep -oE 'sha256:[0-9a-f]{64}' "$1/index.json") || { echo "digest.sh: $1: no image in it" >&2; exit 2; }
[ "$(wc -l <<<"$found")" = 1 ] || { echo "digest.sh: $1: found several images, want one" >&2; exit 2; }
echo "$found"
