#!/usr/bin/env bash
# Formatting, vet, staticcheck, complexity, what the linker leaves out, generated files that are current, shell scripts, known vulnerabilities.
set -euo pipefail
cd "$(dirname "$0")/.."
tool() { go tool -modfile="$PWD/tools/go.mod" "$@"; }

unformatted=$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l)
[ -z "$unformatted" ] || { echo "gofmt: $unformatted" >&2; exit 1; }
# Comments are wrapped at 120 columns, but for directives and code. Those of api are the text of the definitions.
# shellcheck disable=SC2016 # these are awk's
long=$(git ls-files -co --exclude-standard '*.go' ':!api' | xargs awk '
  /^\t*\/\/ [^+ ]/ {
    line = $0
    gsub(/\t/, "    ", line)
    gsub(/[\200-\277]/, "", line)
    if (length(line) > 120) print FILENAME ":" FNR ": a comment of " length(line) " columns, want 120"
  }')
[ -z "$long" ] || { echo "$long" >&2; exit 1; }
go vet ./...
go vet -tags bench ./e2e
(cd hack/image && go vet ./...)
tool staticcheck ./...
modules=$PWD/tools/go.mod
(cd hack/image && go tool -modfile="$modules" staticcheck ./...)
# Cyclomatic complexity: functions with too many branches.
tool gocyclo -over 25 -ignore '_test\.go' .
# A method that is called by a name known at run time only keeps every exported method in the program: half as many bytes again.
found=$(CGO_ENABLED=0 go build -ldflags=-dumpdep -o /dev/null ./cmd/sipgen 2>&1 | awk '/<ReflectMethod>/ && n++ < 3')
[ -z "$found" ] || { echo "cmd/sipgen: these have the linker keep every method, see docs/performance.md#size:"$'\n'"$found" >&2; exit 1; }
go mod verify >/dev/null
bash hack/generate.sh --check
if command -v shellcheck >/dev/null; then
  git ls-files -co --exclude-standard '*.sh' .ci/run | xargs shellcheck
elif [ "${CI:-}" = true ]; then
  echo "shellcheck: not installed" >&2
  exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -modfile="$modules" -o "$work/govulncheck" golang.org/x/vuln/cmd/govulncheck # go tool has an exit status of its own
bash hack/vulnerabilities.sh "$work/govulncheck" ./...
