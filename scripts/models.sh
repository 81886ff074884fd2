#!/usr/bin/env bash
# Runs the chat in the terminal against llama.cpp, over a network that fails. The model has 150 KB and knows nothing: a grammar says
# what it says. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { printf 'models: %s\n' "$1" >&2; exit 1; }

[ "$(uname -m)" = x86_64 ] || [ "$(uname -m)" = aarch64 ] || [ "$(uname -m)" = arm64 ] ||
  fail "xllamacpp, which has llama.cpp, is built for x86-64 and ARM alone, and this machine is neither."
scripts/setup.sh python3 python3-venv
environment=.build-models
[ -x "$environment/bin/pip" ] || python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check -r Tests/models/requirements.txt ||
  fail "xllamacpp, which has llama.cpp, could not be installed from PyPI; see the lines above."
if [ -z "${HOLDFAST:-}" ]; then
  for product in holdfast holdfast-lab ModelChat; do swift build --traits "${HOLDFAST_TRAITS:-Tools}" --product "$product"; done
  HOLDFAST="$(swift build --show-bin-path)/holdfast"
fi
export HOLDFAST
export HOLDFAST_LAB="${HOLDFAST_LAB:-$HOLDFAST-lab}"
export MODEL_CHAT="${MODEL_CHAT:-$(dirname "$HOLDFAST")/ModelChat}"
export MODELS_PYTHON="$PWD/$environment/bin/python" MODELS_GGUF="$PWD/$environment/tiny.gguf"
"$environment/bin/python" Tests/models/tiny_model.py "$MODELS_GGUF"
"$environment/bin/pytest" -v -p no:cacheprovider Tests/models "$@"
# With arguments, only what they name.
[ $# -gt 0 ] || scripts/browser-test.sh -v Tests/browser/test_model.py
