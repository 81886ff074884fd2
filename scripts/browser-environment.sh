#!/usr/bin/env bash
# Installs a browser without a window, and what drives it, into .build-browser, and prints the folder of its programs.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(uname)" = Linux ]; then
  scripts/setup.sh chromium-headless-shell fonts-noto-core fonts-noto-color-emoji python3-venv >&2
fi
environment=.build-browser
[ -x "$environment/bin/pip" ] || python3 -m venv "$environment" >&2
"$environment/bin/pip" install --quiet --disable-pip-version-check -r Tests/browser/requirements.txt >&2
echo "$environment/bin"
