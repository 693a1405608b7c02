#!/usr/bin/env bash
# Makes the jump host's image, for linux/amd64 and linux/arm64, as one OCI layout; no container engine and no root is needed. hack/image/jumphost.go
# describes the image. kubectl has the version in e2e/engines/kubernetes/go.mod.
# usage: jump-image.sh VERSION FOLDER [REGISTRY/NAME:TAG]
#
# VERSION, PUSH and SOURCE_DATE_EPOCH are as for image.sh. JUMP_ROOTS is a folder that keeps the unpacked packages, for tests: without it they are those of
# today. KUBECTL is a binary of the one platform in PLATFORMS; without it kubectl is built, which takes minutes until Go's build cache has it. DEBIAN_MIRROR,
# DEBIAN_TIMEOUT and DEBIAN_CACHE are as for debian-root.sh. Prints the image's digest, and on stderr each step with the seconds since the start.
set -euo pipefail
platforms=${PLATFORMS:-linux/amd64 linux/arm64}

fail() { echo "jump-image.sh: $*" >&2; exit 2; }
say() { echo "jump-image.sh: $* (${SECONDS} s)" >&2; }
[ $# = 2 ] || [ $# = 3 ] || fail "usage: jump-image.sh VERSION FOLDER [REGISTRY/NAME:TAG]"
version=$1 out=$2 push=${3:-}
case $out in /*) ;; *) out=$PWD/$out ;; esac
[ ! -e "$out" ] || [ -f "$out/oci-layout" ] || fail "$out: is there, and is no image; want a folder to make"
cd "$(dirname "$0")/.."
[ -z "${KUBECTL:-}" ] || [[ $platforms != *\ * ]] || fail "KUBECTL is for one platform, and PLATFORMS has more: $platforms"

revision=$(git rev-parse HEAD) || fail "no git checkout to make an image from"
[ -n "$version" ] || version=$(git describe --tags --always --abbrev=12)
if [ -n "$(git status --porcelain)" ]; then
  [ -z "$push" ] || fail "files that are not committed, want an image that others can build again: git status"
  version=$version-dirty
fi
created=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

pinned=$(go -C e2e/engines/kubernetes list -m -f '{{.Version}}' k8s.io/kubernetes)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd hack/image && go build -trimpath -o "$work/image" .)
roots=${JUMP_ROOTS:-$work}
read -r suite packages <<<"$("$work/image" -print packages)"
arguments=()
for platform in $platforms; do
  arch=${platform#*/}
  root=$roots/debian-$suite-jump-$arch
  say "$platform: Debian's packages"
  # shellcheck disable=SC2086 # words
  [ -d "$root" ] || ARCHITECTURE=$arch bash hack/debian-root.sh "$suite" "$root" $packages
  kubectl=${KUBECTL:-}
  if [ -z "$kubectl" ]; then
    kubectl=$work/kubectl-$arch
    v="-X k8s.io/component-base/version."
    minor=${pinned#*.}
    say "$platform: building kubectl $pinned"
    (cd e2e/engines/kubernetes && CGO_ENABLED=0 GOOS=linux GOARCH=$arch GOWORK=off GOFLAGS="-buildvcs=false -mod=readonly -gcflags=all=-dwarf=false" timeout 1800 go build -trimpath \
      -ldflags "-s -w -buildid= ${v}gitVersion=$pinned ${v}gitMajor=1 ${v}gitMinor=${minor%%.*}" -o "$kubectl" k8s.io/kubernetes/cmd/kubectl)
  fi
  arguments+=("$platform=$root,$kubectl")
done
say "writing the layout"
# shellcheck disable=SC2086 # words
bash hack/notices.sh "$work/NOTICES" e2e/engines/kubernetes k8s.io/kubernetes/cmd/kubectl $platforms
{ cat LICENSE && echo && cat "$work/NOTICES"; } >"$work/licenses"
mkdir -p "$(dirname "$out")"
rm -rf "$out"
"$work/image" -jump-host -version "$version" -revision "$revision" -created "$created" -license "$work/licenses" -out "$out" -push "$push" "${arguments[@]}"
say "made $out"
