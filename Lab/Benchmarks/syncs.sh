#!/usr/bin/env bash
# Counts the durable syncs of one send and of one saved draft: a run with many less a run with none.
set -euo pipefail
cd "$(dirname "$0")/../.."

count=${1:-200}
bench=.build/release/holdfast-bench
command -v strace >/dev/null || scripts/setup.sh strace
swift build -c release --product holdfast-bench >/dev/null

counted=$(mktemp)
trap 'rm -f "$counted"' EXIT

# All calls of fsync and fdatasync that one run makes.
syncs() {
  strace -f -c -e trace=fsync,fdatasync -o "$counted" "$bench" syncs "$1" "$2" >/dev/null
  awk '$NF == "fsync" || $NF == "fdatasync" { calls += $4 } END { print calls + 0 }' "$counted"
}

echo "Durable syncs (fsync and fdatasync), $count times each; expected: one for each, a few for checkpoints."
for intent in send draft; do
  none=$(syncs "$intent" 0)
  some=$(syncs "$intent" "$count")
  awk -v intent="$intent" -v count="$count" -v syncs="$((some - none))" \
    'BEGIN { printf "%-6s %5d syncs, %.3f for each\n", intent, syncs, syncs / count }'
done
