#!/usr/bin/env bash
# Drives the demo in a real browser. Pictures are kept in .artifacts/screenshots.
# Arguments go to pytest: scripts/browser-test.sh -k killed
# HOLDFAST names a command that was built elsewhere. That of Backends has Firestore, which make backends tests.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(uname)" = Linux ]; then
  scripts/setup.sh chromium fonts-noto-core fonts-noto-color-emoji python3-venv
fi
if [ -z "${HOLDFAST:-}" ]; then
  swift build --traits Tools --product holdfast
  export HOLDFAST="$(swift build --show-bin-path)/holdfast"
fi

environment=.build-browser
[ -x "$environment/bin/pip" ] || python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check -r Tests/browser/requirements.txt

# Two at a time: most of a test's time it waits for a screen to come to rest. A file among the arguments stands for the folder.
tests=(Tests/browser)
case " $* " in *" Tests/"*) tests=() ;; esac
exec "$environment/bin/pytest" -p no:cacheprovider -n 2 "${tests[@]}" "$@"
