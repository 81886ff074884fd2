#!/usr/bin/env bash
# Drives the demo in a real browser. Pictures are kept in .artifacts/screenshots.
# Arguments go to pytest: scripts/browser-test.sh -k killed
#   scripts/browser-test.sh -m walk        the walk through the user stories, each once
#   scripts/browser-test.sh -m "not walk"  all others
# HOLDFAST_LAB names a command that was built elsewhere, HOLDFAST_TRAITS what else it is built with: Tools,Firestore.
set -euo pipefail
cd "$(dirname "$0")/.."

programs=$(scripts/browser-environment.sh)
if [ -z "${HOLDFAST_LAB:-}" ]; then
  for product in holdfast holdfast-lab; do swift build --traits "${HOLDFAST_TRAITS:-Tools}" --product "$product"; done
  export HOLDFAST_LAB="$(swift build --show-bin-path)/holdfast-lab"
fi

# Two at a time: most of a test's time it waits for a screen to come to rest. A file among the arguments stands for the folder.
tests=(Tests/browser)
case " $* " in *" Tests/"*) tests=() ;; esac
exec "$programs/pytest" -p no:cacheprovider --timeout 600 -n 2 "${tests[@]}" "$@"
