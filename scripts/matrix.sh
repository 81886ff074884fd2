#!/usr/bin/env bash
# Installs Synapse, a Matrix homeserver, for the suite and the demo, into .build-matrix. It is run, and never committed: it has a licence
# of its own (AGPL).
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { printf 'matrix: %s\n' "$1" >&2; exit 1; }

environment=.build-matrix
version=1.163.2
scripts/setup.sh python3 python3-venv
[ -x "$environment/bin/pip" ] || python3 -m venv "$environment"
"$environment/bin/python" -c "import importlib.metadata as m; assert m.version('matrix-synapse') == '$version'" 2>/dev/null ||
  "$environment/bin/pip" install --quiet --disable-pip-version-check "matrix-synapse==$version" ||
  fail "Synapse could not be installed from PyPI; see the lines above."
