#!/usr/bin/env bash
# Tries the transports against real servers, over a proxy that loses answers and cuts connections: the relay, Google's Firestore
# emulator, and Synapse, a Matrix homeserver. Everything is counted by each server's own record. `make backends` runs all steps:
#   scripts/backends.sh build                                       installs what is missing, and builds
#   scripts/backends.sh cases relay|firestore|matrix                the conformance suite
#   scripts/backends.sh tests                                       the tests of the Firestore transport, and of the rules
#   scripts/backends.sh writers                                     two members write while connections are cut
#   scripts/backends.sh kills                                       two phones send while Synapse is killed
#   scripts/backends.sh browser matrix|firestore                    the demo over that server
# One server alone, with what follows for `holdfast-lab conformance`:
#   scripts/backends.sh --only matrix --kills 20 --messages 500
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { printf 'backends: %s\n' "$1" >&2; exit 1; }

traits=${HOLDFAST_TRAITS:-Tools} scratch=.build
# Another trait compiles all targets of the package anew, so a build without it keeps its own folder.
case ",$traits," in *,Firestore,*) ;; *) traits+=,Firestore scratch=.build-firestore ;; esac
export HOLDFAST_LAB=$scratch/debug/holdfast-lab
jar=${HOLDFAST_FIRESTORE_JAR:-$(dpkg -L google-cloud-cli-firestore-emulator 2>/dev/null | grep -m1 'emulator\.jar$' || true)}
export HOLDFAST_FIRESTORE_JAR=$jar
# SwiftPM gives the compiler the names of the traits in the order of a set, and another order compiles everything again.
export SWIFT_DETERMINISTIC_HASHING=1

build() {
  command -v java >/dev/null || fail "Java is needed for Google's Firestore emulator; install openjdk-17-jre-headless."
  [ -e "$jar" ] ||
    fail "Google's Firestore emulator is needed; install google-cloud-cli-firestore-emulator, or let HOLDFAST_FIRESTORE_JAR name its jar."
  # gRPC compresses.
  scripts/setup.sh python3 python3-venv zlib1g-dev
  scripts/firestore-proto.sh --compare
  swift build --traits "$traits" --scratch-path "$scratch" --build-tests
}

# cases SERVER [ARGUMENTS…]
cases() {
  local server=$1
  shift
  case $server in
    relay) "$HOLDFAST_LAB" conformance --transport device --transport relay --network "$@" ;;
    firestore) "$scratch/debug/backends" conformance "$@" ;;
    # Over a network that does not fail, where MATRIX_NETWORK is empty: three minutes in place of ten.
    matrix) "$HOLDFAST_LAB" conformance --transport matrix ${MATRIX_NETWORK---network} "$@" ;;
    *) fail "which server? relay, firestore or matrix" ;;
  esac
}

case "${1:-}" in
  build) build ;;
  cases) cases "${2:-}" --verbose ;;
  # One after the other: each has an emulator of its own, and seven of them answer too late.
  tests) "$scratch/debug/holdfastPackageTests.xctest" --testing-library swift-testing --no-parallel --filter "^FirestoreTests" ;;
  writers) "$scratch/debug/backends" writers --seconds "${WRITING:-30}" ;;
  kills) cases matrix --kills "${KILLS:-5}" --messages "${MESSAGES:-200}" ;;
  browser) scripts/browser-test.sh -v "Tests/browser/test_${2:-}.py" ;;
  --only)
    server=${2:-}
    shift 2 || fail "--only takes relay, firestore or matrix."
    case $server in
      firestore) build ;;
      matrix | relay)
        scratch=.build HOLDFAST_LAB=.build/debug/holdfast-lab
        swift build --traits "${HOLDFAST_TRAITS:-Tools}" --product holdfast-lab
        if [ "$server" = matrix ]; then scripts/matrix.sh; fi
        ;;
    esac
    cases "$server" "$@"
    ;;
  *) fail "which step? The head of $0 lists them." ;;
esac
