#!/usr/bin/env bash
# Makes the container image, for linux/amd64 and linux/arm64, as one OCI layout; no container engine is needed.
# usage: image.sh VERSION FOLDER [REGISTRY/NAME:TAG]
#
# An empty VERSION is what git says of the checkout. With a name the image is pushed, as docker login's credentials allow. SOURCE_DATE_EPOCH is
# the time in the image (default: the commit's). Prints the image's digest.
set -euo pipefail
platforms=${PLATFORMS:-linux/amd64 linux/arm64}

fail() { echo "image.sh: $*" >&2; exit 2; }
[ $# = 2 ] || [ $# = 3 ] || fail "usage: image.sh VERSION FOLDER [REGISTRY/NAME:TAG]"
version=$1 out=$2 push=${3:-}
case $out in /*) ;; *) out=$PWD/$out ;; esac
[ ! -e "$out" ] || [ -f "$out/oci-layout" ] || fail "$out: is there, and is no image; want a folder to make"
cd "$(dirname "$0")/.."

revision=$(git rev-parse HEAD) || fail "no git checkout to make an image from"
[ -n "$version" ] || version=$(git describe --tags --always --abbrev=12)
if [ -n "$(git status --porcelain)" ]; then
  [ -z "$push" ] || fail "files that are not committed, want an image that others can build again: git status"
  version=$version-dirty
fi
created=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd hack/image && go build -trimpath -o "$work/image" .)
binaries=()
for platform in $platforms; do
  file=$work/${platform//\//_}
  bash hack/build.sh "$version" "$platform" "$file"
  binaries+=("$platform=$file")
done
# shellcheck disable=SC2086 # words
bash hack/notices.sh "$work/NOTICES" . ./cmd/sipgen $platforms
{ cat LICENSE && echo && cat "$work/NOTICES"; } >"$work/licenses"
mkdir -p "$(dirname "$out")"
rm -rf "$out"
"$work/image" -version "$version" -revision "$revision" -created "$created" -license "$work/licenses" -out "$out" -push "$push" "${binaries[@]}"
