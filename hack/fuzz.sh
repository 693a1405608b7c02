#!/usr/bin/env bash
# Runs every fuzz target for a while, one after the other. Coverage of code that ranges over maps or makes goroutines differs from run to
# run, which the fuzzer takes for news and would then minimize for a minute: -fuzzminimizetime keeps it from that.
set -euo pipefail
cd "$(dirname "$0")/.."
grep -rlE '^func Fuzz' --include='*_test.go' . | LC_ALL=C sort | while read -r file; do
  sed -nE 's/^func (Fuzz[A-Za-z]+)\(.*/\1/p' "$file" | while read -r target; do
    echo "$(dirname "$file") $target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "${1:-30s}" -fuzzminimizetime 10x "$(dirname "$file")" </dev/null
  done
done
