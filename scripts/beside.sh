#!/usr/bin/env bash
# Runs a command that waits for most of its time beside commands that compute, and prints what it said when they are done.
# Fails when one of them fails.
#
#   scripts/beside.sh 'the one that waits' 'the first that computes' 'the second' …
set -euo pipefail
cd "$(dirname "$0")/.."

said=$(mktemp)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -f "$said"' EXIT

bash -c "$1" >"$said" 2>&1 &
waiting=$!
for command in "${@:2}"; do
  printf '%s\n' "$command"
  bash -c "$command"
done
outcome=0
wait "$waiting" || outcome=$?
printf '%s\n' "$1"
cat "$said"
exit $outcome
