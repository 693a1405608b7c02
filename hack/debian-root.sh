#!/usr/bin/env bash
# Unpacks Debian packages, with all that they depend on, into a folder; no root and no container engine is needed, and the machine's own packages
# are not looked at. Maintainers' scripts are not run: what those would make, whoever calls this makes.
# usage: debian-root.sh SUITE FOLDER PACKAGE...
#
# ARCHITECTURE is Debian's name of another machine's. What is unpacked stands in var/lib/dpkg/status.d, a file a package, where scanners look for it.
# DEBIAN_MIRROR has the mirrors, the next one for when one fails; each may take DEBIAN_TIMEOUT seconds (default 150). DEBIAN_CACHE is a folder that keeps
# packages by their digests, which Debian's signed index has; a file that has another digest is fetched again.
set -euo pipefail

fail() { echo "debian-root.sh: $*" >&2; exit 2; }
say() { echo "debian-root.sh: $suite ${ARCHITECTURE:-of this machine}: $* (${SECONDS} s)" >&2; }
[ $# -ge 3 ] || fail "usage: debian-root.sh SUITE FOLDER PACKAGE..."
suite=$1 out=$2
shift 2
[ ! -e "$out" ] || fail "$out: is there, want a folder to make"
for program in apt-get dpkg-deb timeout; do
  command -v "$program" >/dev/null || fail "no $program on this machine"
done
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e "$keyring" ] || fail "no $keyring; Debian has it in debian-archive-keyring"
seconds=${DEBIAN_TIMEOUT:-150}

mkdir -p "$(dirname "$out")"
work=$(mktemp -d "$(dirname "$out")/.debian-root.XXXXXX")
trap 'rm -rf "$work"' EXIT
options=(-qq -o "Dir::Etc::sourcelist=$work/sources.list" -o "Dir::Etc::sourceparts=$work/parts" -o "Dir::Etc::preferencesparts=$work/parts"
  -o "Dir::State=$work/state" -o "Dir::State::status=$work/status" -o "Dir::Cache=$work/cache" -o APT::Install-Recommends=false
  -o APT::Update::Error-Mode=any -o Acquire::Retries=2 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20
  ${ARCHITECTURE:+-o APT::Architecture="$ARCHITECTURE"} -o APT::Sandbox::User= -o Debug::NoLocking=true)

# download MIRROR PACKAGE...: the packages, and all that they need, to $work/cache/archives; half of it is not kept for the next mirror.
download() {
  local mirror=$1 name digest left=$((seconds - SECONDS + began))
  shift
  [ "$left" -gt 0 ] || return # timeout takes 0 for no limit
  rm -rf "$work"/{state,cache,status,parts}
  mkdir -p "$work"/state/lists/partial "$work"/cache/archives/partial "$work"/parts
  : >"$work/status"
  echo "deb [signed-by=$keyring] $mirror $suite main" >"$work/sources.list"
  timeout "$left" apt-get "${options[@]}" update || return
  # Each line: 'URL' FILE SIZE SHA256:DIGEST
  apt-get "${options[@]}" install --yes --print-uris -o Acquire::ForceHash=SHA256 "$@" | sed -n "s/^'[^']*' \([^ ]*\) [0-9]* SHA256:\([0-9a-f]*\)$/\1 \2/p" >"$work/wanted" || return
  [ -s "$work/wanted" ] || return
  if [ -n "${DEBIAN_CACHE:-}" ]; then
    mkdir -p "$DEBIAN_CACHE"
    while read -r name digest; do
      # Of what is there already apt compares the size only.
      if sha256sum --check --status <<<"$digest  $DEBIAN_CACHE/$digest.deb" 2>/dev/null; then
        cp "$DEBIAN_CACHE/$digest.deb" "$work/cache/archives/$name"
      else
        rm -f "$DEBIAN_CACHE/$digest.deb"
      fi
    done <"$work/wanted"
  fi
  left=$((seconds - SECONDS + began))
  [ "$left" -gt 0 ] || return
  timeout "$left" apt-get "${options[@]}" install --yes --download-only "$@" >/dev/null || return
}
got=
for mirror in ${DEBIAN_MIRROR:-http://deb.debian.org/debian https://deb.debian.org/debian http://ftp.debian.org/debian}; do
  began=$SECONDS
  if download "$mirror" "$@"; then got=$mirror; break; fi
  say "$mirror did not give the packages within $seconds s"
done
[ -n "$got" ] || fail "$suite: no mirror gave the packages"
say "$(wc -l <"$work/wanted") packages, $(du -sh "$work/cache/archives" | cut -f 1), from $got"

mkdir -p "$work/root"
# A merged /usr, as Debian's own installations have it.
umask 022
mkdir -p "$work"/root/var/lib/dpkg/status.d "$work"/root/usr/{bin,sbin,lib,lib64}
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$work/root/$folder"; done
while read -r name digest; do
  package=$work/cache/archives/$name
  dpkg-deb --fsys-tarfile "$package" | tar --extract --directory "$work/root" --keep-directory-symlink --no-same-owner
  dpkg-deb --field "$package" >"$work/root/var/lib/dpkg/status.d/$(dpkg-deb --field "$package" Package)"
  if [ -n "${DEBIAN_CACHE:-}" ] && [ ! -e "$DEBIAN_CACHE/$digest.deb" ]; then
    cp "$package" "$DEBIAN_CACHE/.$digest.$$"
    mv "$DEBIAN_CACHE/.$digest.$$" "$DEBIAN_CACHE/$digest.deb"
  fi
done <"$work/wanted"
mv "$work/root" "$out"
say "unpacked"
