#!/usr/bin/env bash
# Makes a release: an archive and a software bill of materials (CycloneDX) per platform, what krew and Homebrew install them by, and SHA256SUMS over all.
# usage: release.sh VERSION FOLDER
#
# PLATFORMS are OS/ARCH, divided by spaces. SOURCE_DATE_EPOCH is the time in the archives (default: the commit's).
set -euo pipefail
platforms=${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64}

fail() { echo "release.sh: $*" >&2; exit 2; }
[ $# = 2 ] || fail "usage: release.sh VERSION FOLDER"
version=$1 out=$2
[[ $version =~ ^v(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-(alpha|beta|rc)\.[0-9]+)?$ ]] || fail "VERSION: found \"$version\", want one like v1.2.3 or v1.2.3-rc.1"
case $out in /*) ;; *) out=$PWD/$out ;; esac
[ ! -e "$out" ] || [ -f "$out/SHA256SUMS" ] || fail "$out: is there, and is no release; want a folder to make"
cd "$(dirname "$0")/.."

if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) || fail "no git checkout: want SOURCE_DATE_EPOCH, the commit's time in seconds"
fi
export SOURCE_DATE_EPOCH
if git rev-parse --git-dir >/dev/null 2>&1; then
  changed=$(git status --porcelain)
  [ -z "$changed" ] || fail "these files are not committed, want a release that others can build again:"$'\n'"$changed"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C TZ=UTC
umask 022

# Programs of this machine, made before anything is built for others.
unset GOFLAGS GOAMD64 GOEXPERIMENT
export CGO_ENABLED=0
go build -trimpath -o "$work/pack" ./hack/pack
bash hack/build.sh "$version" "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" "$work/sipgen"
"$work/sipgen" man "$work/man"
go build -modfile="$PWD/tools/go.mod" -trimpath -o "$work/cyclonedx-gomod" github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod

# shellcheck disable=SC2086 # words
bash hack/notices.sh "$work/NOTICES" . ./cmd/sipgen $platforms
mkdir "$work/release"
for platform in $platforms; do
  name=sipgen_${version}_${platform%/*}_${platform#*/}
  binary=sipgen
  [ "${platform%/*}" != windows ] || binary=sipgen.exe
  mkdir "$work/$name"
  bash hack/build.sh "$version" "$platform" "$work/$name/$binary"
  "$work/cyclonedx-gomod" bin -json -noserial -notimestamp -std -version "$version" -output "$work/bom.json" "$work/$name/$binary"
  "$work/pack" sbom "$work/bom.json" "$work/release/$name.cdx.json"
  "$work/pack" archive "$work/release/$name.tar.gz" "$work/$name/$binary" LICENSE "$work/NOTICES" README.md "$work"/man/*.1
  echo "$name.tar.gz: $(($(wc -c <"$work/release/$name.tar.gz") / 1024)) KiB" >&2
done
# What krew (https://krew.sigs.k8s.io) installs as a plugin of kubectl, from where the release's archives are to be had.
downloads=${DOWNLOADS:-https://github.com/airshipit/sipgen/releases/download/$version}
krew() {
  printf '%s\n' 'apiVersion: krew.googlecontainertools.github.com/v1alpha2' 'kind: Plugin' 'metadata:' '  name: sipgen' 'spec:' "  version: $version" \
    '  homepage: https://github.com/airshipit/sipgen' '  shortDescription: Assign bare-metal hosts to tenant clusters, through git' '  platforms:'
  for platform in $platforms; do
    name=sipgen_${version}_${platform%/*}_${platform#*/}
    binary=sipgen
    [ "${platform%/*}" != windows ] || binary=sipgen.exe
    printf '%s\n' '  - selector:' '      matchLabels:' "        os: ${platform%/*}" "        arch: ${platform#*/}" "    uri: $downloads/$name.tar.gz" \
      "    sha256: $(cd "$work/release" && sha256 "$name.tar.gz" | cut -d' ' -f1)" "    bin: $binary"
  done
}
# What Homebrew (https://docs.brew.sh/Formula-Cookbook) installs from a tap. It calls a darwin/amd64 macos and intel.
formula() {
  printf '%s\n' 'class Sipgen < Formula' '  desc "Assign bare-metal hosts to tenant clusters, through git"' '  homepage "https://github.com/airshipit/sipgen"' \
    "  version \"${version#v}\"" '  license "Apache-2.0"'
  for os in darwin linux; do
    [[ " $platforms " == *" $os/"* ]] || continue
    printf '\n  on_%s do\n' "${os/darwin/macos}"
    for platform in $platforms; do
      [ "${platform%/*}" = "$os" ] || continue
      name=sipgen_${version}_${platform%/*}_${platform#*/} arch=${platform#*/}
      arch=${arch/amd64/intel}
      printf '    %s\n' "on_${arch/arm64/arm} do" "  url \"$downloads/$name.tar.gz\"" \
        "  sha256 \"$(cd "$work/release" && sha256 "$name.tar.gz" | cut -d' ' -f1)\"" end
    done
    echo '  end'
  done
  printf '%s\n' '' '  def install' '    bin.install "sipgen"' '    bin.install_symlink bin/"sipgen" => "kubectl-sipgen"' '    man1.install Dir["*.1"]' \
    '    generate_completions_from_executable(bin/"sipgen", "completion")' '  end' '' '  test do' \
    '    assert_match "sipgen v#{version} ", shell_output("#{bin}/sipgen version")' '  end' end
}
sha256() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }
krew >"$work/release/sipgen.krew.yaml"
formula >"$work/release/sipgen.rb"
(cd "$work/release" && sha256 -- *.krew.yaml *.rb *.tar.gz *.cdx.json >SHA256SUMS)

# All of it, or what was there before.
mkdir -p "$(dirname "$out")"
rm -rf "$out"
mv "$work/release" "$out"
cat "$out/SHA256SUMS"
