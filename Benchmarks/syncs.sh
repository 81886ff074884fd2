#!/usr/bin/env bash
# Counts the durable syncs of one send and of one draft save, by the system calls of two runs that differ in
# nothing but their number. Checkpoints of the journal sync too: some for each thousand pages.
set -euo pipefail
cd "$(dirname "$0")"
command -v strace >/dev/null || { ../scripts/setup.sh strace; }
swift build -c release >/dev/null
bench="$(swift build -c release --show-bin-path)/holdfast-bench"

syncs() {
  strace -f -c -e trace=fsync,fdatasync -o .build/strace.txt "$bench" syncs "$1" "$2"
  awk '$NF == "fsync" || $NF == "fdatasync" { total += $4 } END { print total + 0 }' .build/strace.txt
}

for intent in send draft; do
  none=$(syncs "$intent" 0)
  hundred=$(syncs "$intent" 100)
  printf '%-6s 100 of them: %d syncs more than none (%d for opening the store)\n' "$intent" $((hundred - none)) "$none"
done
