#!/usr/bin/env bash
# Runs the conformance suite against real servers, over a proxy that loses answers and cuts connections: the relay and Google's
# Firestore emulator. Everything is counted by each server's own record.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { printf 'backends: %s\n' "$1" >&2; exit 1; }

command -v java >/dev/null || fail "Java is needed for Google's Firestore emulator; install openjdk-17-jre-headless."
jar=${HOLDFAST_FIRESTORE_JAR:-$(dpkg -L google-cloud-cli-firestore-emulator 2>/dev/null | grep -m1 'emulator\.jar$' || true)}
[ -e "$jar" ] ||
  fail "Google's Firestore emulator is needed; install google-cloud-cli-firestore-emulator, or let HOLDFAST_FIRESTORE_JAR name its jar."
export HOLDFAST_FIRESTORE_JAR=$jar

# gRPC compresses.
scripts/setup.sh python3 python3-venv zlib1g-dev
scripts/firestore-proto.sh --compare
swift build --package-path Backends --build-tests
swift build --package-path Backends --product holdfast
HOLDFAST=$(swift build --package-path Backends --show-bin-path)/holdfast
export HOLDFAST
echo "The cases run: up to eight minutes, of which most is waiting."
# Both wait for most of the time, so they run at once.
"$HOLDFAST" conformance --transport device --transport relay --network &
relay=$!
Backends/.build/debug/backends conformance &
firestore=$!
outcome=0
wait "$relay" || outcome=1
wait "$firestore" || outcome=1
[ "$outcome" = 0 ] || fail "a case failed; see the lines above."
Backends/.build/debug/backends writers --seconds "${WRITING:-30}"
swift test --package-path Backends --skip-build
scripts/browser-test.sh Tests/browser/test_firestore.py
