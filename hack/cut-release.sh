#!/usr/bin/env bash
# Prepares the commit that is tagged: what is Unreleased in CHANGELOG.md gets the version and the date, testdata/released gets the version's tree, and with
# the first version the pages say how to install sipgen before they say how to build it.
# usage: cut-release.sh VERSION [DATE]
set -euo pipefail
fail() { echo "cut-release.sh: $*" >&2; exit 2; }
[ $# = 1 ] || [ $# = 2 ] || fail "usage: cut-release.sh VERSION [DATE]"
version=$1 day=${2:-$(date -u +%F)}
[[ $version =~ ^v(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-(alpha|beta|rc)\.[0-9]+)?$ ]] || fail "VERSION: found \"$version\", want one like v1.2.3 or v1.2.3-rc.1"
[[ $day =~ ^20[0-9]{2}-[0-9]{2}-[0-9]{2}$ ]] || fail "DATE: found \"$day\", want YYYY-MM-DD"
cd "$(dirname "$0")/.."
! grep -qF "## $version (" CHANGELOG.md || fail "CHANGELOG.md: $version is there already"

"${GO:-go}" test ./cmd/sipgen -count 1 -run '^TestReleasedTrees$' -released "$version"

# edit FILE AWK: the file's lines, as the program prints them.
edit() { awk "$2" "$1" >"$1.new" && cat "$1.new" >"$1" && rm "$1.new"; }
edit CHANGELOG.md "{print} /^## Unreleased\$/{print \"\\n## $version ($day)\"}"
# paragraph FILE TEXT: in place of the paragraph that says that there is no release.
paragraph() { text=$2 edit "$1" '/^No release is published yet/{print ENVIRON["text"]; skip = 1} /^$/{skip = 0} !skip'; }
export text
paragraph README.md "Download your platform's archive of [the newest release](https://github.com/airshipit/sipgen/releases/latest),
[verify it](docs/releases.md#verify), and put \`sipgen\` on your PATH; or use [Homebrew or krew](docs/releases.md).
To build sipgen, run \`make build\` in a checkout."
paragraph docs/ci.md "Replace \`v0.1.0\` below and in \`ci/\` by [the newest release](https://github.com/airshipit/sipgen/releases/latest)."
echo "cut-release.sh: read git diff, commit, and tag: git tag -s $version && git push origin $version" >&2
