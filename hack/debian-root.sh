#!/usr/bin/env bash
# Unpacks Debian packages, with all that they depend on, into a folder; no root and no container engine is needed, and the machine's own packages
# are not looked at. Maintainers' scripts are not run: what those would make, whoever calls this makes.
# usage: debian-root.sh SUITE FOLDER PACKAGE...
#
# ARCHITECTURE is Debian's name of another machine's. What is unpacked stands in var/lib/dpkg/status.d, a file a package, where scanners look for it.
set -euo pipefail

fail() { echo "debian-root.sh: $*" >&2; exit 2; }
[ $# -ge 3 ] || fail "usage: debian-root.sh SUITE FOLDER PACKAGE..."
suite=$1 out=$2
shift 2
[ ! -e "$out" ] || fail "$out: is there, want a folder to make"
for program in apt-get dpkg-deb; do
  command -v "$program" >/dev/null || fail "no $program on this machine"
done
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e "$keyring" ] || fail "no $keyring; Debian has it in debian-archive-keyring"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/state/lists/partial "$work"/cache/archives/partial "$work"/parts
: >"$work/status"
echo "deb [signed-by=$keyring] ${DEBIAN_MIRROR:-http://deb.debian.org/debian} $suite main" >"$work/sources.list"
options=(-qq -o "Dir::Etc::sourcelist=$work/sources.list" -o "Dir::Etc::sourceparts=$work/parts" -o "Dir::Etc::preferencesparts=$work/parts"
  -o "Dir::State=$work/state" -o "Dir::State::status=$work/status" -o "Dir::Cache=$work/cache" -o APT::Install-Recommends=false
  ${ARCHITECTURE:+-o APT::Architecture="$ARCHITECTURE"} -o APT::Sandbox::User= -o Debug::NoLocking=true)
apt-get "${options[@]}" update
apt-get "${options[@]}" install --yes --download-only "$@" >/dev/null
mkdir -p "$work/root"
# A merged /usr, as Debian's own installations have it.
umask 022
mkdir -p "$work"/root/var/lib/dpkg/status.d "$work"/root/usr/{bin,sbin,lib,lib64}
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$work/root/$folder"; done
for package in "$work"/cache/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar --extract --directory "$work/root" --keep-directory-symlink --no-same-owner
  dpkg-deb --field "$package" >"$work/root/var/lib/dpkg/status.d/$(dpkg-deb --field "$package" Package)"
done
mkdir -p "$(dirname "$out")"
mv "$work/root" "$out"
