#!/usr/bin/env bash
# Prints a number between 1 and 4,294,967,296 that is drawn from the commit's ID: the same for one commit on every
# machine, another one for the next. Without git, today's date is the number.
set -euo pipefail
cd "$(dirname "$0")/.."

if commit=$(git rev-parse --short=8 HEAD 2>/dev/null); then
  echo $((16#${commit:0:8} + 1))
else
  date +%Y%m%d
fi
