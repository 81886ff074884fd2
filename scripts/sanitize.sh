#!/usr/bin/env bash
# Runs the tests under one sanitizer.
#
#   scripts/sanitize.sh thread '^(HoldfastWebSocketTests|HoldfastNetworkTests)'
#
# The second argument names the tests that wait for real sockets and processes. They run first, and alone.
# A sanitizer needs a build of its own, which is kept in .build-thread or .build-address. The processes that tests
# start belong to that build. Each process writes its reports to a file, because a test does not read the output of a
# process that it has killed. One report fails the run.
set -euo pipefail
cd "$(dirname "$0")/.."

sanitizer=${1:-} real_time=${2:-}
case $sanitizer in
  thread | address) ;;
  *) printf 'usage: scripts/sanitize.sh thread|address REAL-TIME-TESTS\n' >&2; exit 2 ;;
esac
if [ -z "$real_time" ]; then printf 'sanitize: name the tests that run alone\n' >&2; exit 2; fi

scratch=.build-$sanitizer
reports=$PWD/$scratch/reports
mkdir -p "$reports"
rm -f "$reports"/*
export TSAN_OPTIONS="log_path=$reports/thread:suppressions=$PWD/Tests/Sanitizers/thread.suppressions" ASAN_OPTIONS="log_path=$reports/address"
# Every place of every disk fault takes hours in a build that a sanitizer slows down.
export HOLDFAST_DISK_FAULTS=few

swift build --traits Tools --build-tests --sanitize="$sanitizer" --scratch-path "$scratch"

preload=
if [ "$sanitizer" = thread ] && [ "$(uname)" = Linux ]; then
  preload=$PWD/$scratch/contended_mutex.so
  clang -shared -fPIC -O1 -Wall -Werror -o "$preload" Tests/Sanitizers/contended_mutex.c -ldl
fi
run() { LD_PRELOAD=$preload swift test --traits Tools --skip-build --sanitize="$sanitizer" --scratch-path "$scratch" "$@"; }

status=0
run --no-parallel --filter "$real_time" || status=1
run --skip "$real_time" || status=1

for report in "$reports"/*; do
  [ -e "$report" ] || continue
  printf 'sanitize: a process wrote %s; it begins:\n' "$report" >&2
  head -n 20 "$report" >&2
  status=1
done
[ "$status" -eq 0 ] && printf 'sanitize: no report from %s sanitizer\n' "$sanitizer"
exit "$status"
