#!/usr/bin/env bash
# Runs govulncheck, and fails if it finds a known vulnerability. Usage: vulnerabilities.sh GOVULNCHECK PATTERN...
# Its exit status tells: 3 is a finding. Any other failure, such as a database that cannot be reached, is said, and fails
# in the project's workflows on GitHub: other machines that run .ci/run may have no network but a module proxy. The text
# tells nothing: that of a finding can be about timeouts or the status 404.
set -euo pipefail
run() {
  status=0
  out=$("$@" 2>&1) || status=$?
}
# Reads go.mod alone: without a database that ends at once, and the packages take 20 seconds of the processor.
run "$1" -scan module
case $status in 0 | 3) run "$@" ;; esac
[ "$status" != 0 ] || exit 0
echo "$out" >&2
if [ "$status" != 3 ]; then
  echo "govulncheck: ended with $status: not checked" >&2
  [ "${GITHUB_ACTIONS:-}" = true ] || exit 0
fi
exit 1
