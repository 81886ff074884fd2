#!/usr/bin/env bash
# Runs COUNT simulated worlds from seed FROM on, with one process for each core, and fails when a world breaks a promise.
# The first process reports its progress. The others' reports follow at the end.
#
#   scripts/simulate.sh .build/debug/holdfast-lab COUNT FROM
set -euo pipefail

lab=$1 count=$2 from=$3
cores=$(getconf _NPROCESSORS_ONLN)
reports=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$reports"' EXIT

processes=()
for ((core = 0; core < cores; core++)); do
  first=$((from + count * core / cores))
  next=$((from + count * (core + 1) / cores))
  ((next > first)) || continue
  simulate=("$lab" simulate --seeds $((next - first)) --from "$first")
  if ((${#processes[@]} == 0)); then "${simulate[@]}" & else "${simulate[@]}" >"$reports/$core" 2>&1 & fi
  processes+=($!)
done

outcome=0
for process in "${processes[@]}"; do wait "$process" || outcome=1; done
cat "$reports"/* 2>/dev/null || true
exit $outcome
