#!/usr/bin/env bash
# Makes targets side by side: hack/beside.sh TARGET... The first one's output comes as it is made, each other's when all
# have ended, so that none stands in another's lines. Fails if one fails; if it is interrupted, all end.
set -um # with job control a job is a process group, which a signal reaches as a whole
said=$(mktemp -d)
jobs=()
trap 'for job in "${jobs[@]}"; do kill -INT -- "-$job" 2>/dev/null; done; rm -rf "$said"' EXIT
trap 'exit 130' INT TERM
for target; do
  out=$said/${#jobs[@]}
  [ ${#jobs[@]} -gt 0 ] || out=/dev/stdout
  "${MAKE:-make}" --no-print-directory --silent "$target" >"$out" </dev/null &
  jobs+=("$!")
done
status=0
for job in "${jobs[@]}"; do
  wait "$job" || status=1
done
for ((i = 1; i < ${#jobs[@]}; i++)); do
  cat "$said/$i"
done
exit "$status"
