#!/usr/bin/env bash
# Runs 200 bots on Synapse as others run it: on PostgreSQL, with two workers behind one address, while workers and bots are killed. A quarter of an
# hour, or forty minutes at the pace of two processors: --pause 24. Options go to scripts/matrix_scale.py, which says what they are.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/matrix.sh
scripts/setup.sh postgresql redis-server nginx
.build-matrix/bin/pip install --quiet --disable-pip-version-check psycopg2-binary 'txredisapi>=1.4.12,<1.6' hiredis
if [ -z "${HOLDFAST_LAB:-}" ]; then
  swift build --traits "${HOLDFAST_TRAITS:-Tools}" --product holdfast-lab
  HOLDFAST_LAB=$(swift build --show-bin-path)/holdfast-lab
fi
export HOLDFAST_LAB
exec .build-matrix/bin/python scripts/matrix_scale.py "$@"
