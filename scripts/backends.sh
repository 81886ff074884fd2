#!/usr/bin/env bash
# Runs the conformance suite against real servers, over a proxy that loses answers and cuts connections: the relay, Google's Firestore
# emulator, and Synapse, a Matrix homeserver. Everything is counted by each server's own record.
#   scripts/backends.sh                                             all three
#   scripts/backends.sh --only matrix                               one of relay, firestore and matrix
#   scripts/backends.sh --only matrix --kills 20 --messages 500     only two phones, while the server is killed
# What follows --only is for `holdfast conformance`.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { printf 'backends: %s\n' "$1" >&2; exit 1; }

only=
if [ "${1:-}" = --only ]; then
  only=${2:-}
  shift 2
  case $only in relay | firestore | matrix) ;; *) fail "--only takes relay, firestore or matrix." ;; esac
fi
wants() { [ -z "$only" ] || [ "$only" = "$1" ]; }

scripts/setup.sh python3 python3-venv
if wants firestore; then
  command -v java >/dev/null || fail "Java is needed for Google's Firestore emulator; install openjdk-17-jre-headless."
  jar=${HOLDFAST_FIRESTORE_JAR:-$(dpkg -L google-cloud-cli-firestore-emulator 2>/dev/null | grep -m1 'emulator\.jar$' || true)}
  [ -e "$jar" ] ||
    fail "Google's Firestore emulator is needed; install google-cloud-cli-firestore-emulator, or let HOLDFAST_FIRESTORE_JAR name its jar."
  export HOLDFAST_FIRESTORE_JAR=$jar
  # gRPC compresses.
  scripts/setup.sh zlib1g-dev
  scripts/firestore-proto.sh --compare
  swift build --package-path Backends --build-tests
  swift build --package-path Backends --product holdfast
  HOLDFAST=$(swift build --package-path Backends --show-bin-path)/holdfast
else
  swift build --traits Tools --product holdfast
  HOLDFAST=$(swift build --show-bin-path)/holdfast
fi
export HOLDFAST
if wants matrix; then scripts/matrix.sh; fi

if [ $# -gt 0 ]; then
  [ "$only" != firestore ] || exec Backends/.build/debug/backends conformance "$@"
  exec "$HOLDFAST" conformance --transport "$only" "$@"
fi
echo "The cases run: up to twelve minutes, of which most is waiting."
# They wait for most of the time, so they run at once.
running=()
if wants relay; then
  "$HOLDFAST" conformance --transport device --transport relay --network &
  running+=($!)
fi
if wants firestore; then
  Backends/.build/debug/backends conformance &
  running+=($!)
fi
if wants matrix; then
  # Over a network that does not fail, where MATRIX_NETWORK is empty: three minutes in place of ten.
  "$HOLDFAST" conformance --transport matrix ${MATRIX_NETWORK---network} &
  running+=($!)
fi
outcome=0
for process in "${running[@]}"; do wait "$process" || outcome=1; done
[ "$outcome" = 0 ] || fail "a case failed; see the lines above."
if wants matrix; then
  "$HOLDFAST" conformance --transport matrix --kills "${KILLS:-5}" --messages "${MESSAGES:-200}"
  scripts/browser-test.sh Tests/browser/test_matrix.py
fi
if wants firestore; then
  Backends/.build/debug/backends writers --seconds "${WRITING:-30}"
  swift test --package-path Backends --skip-build
  scripts/browser-test.sh Tests/browser/test_firestore.py
fi
