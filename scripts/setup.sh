#!/usr/bin/env bash
# Installs what a build needs and the machine lacks. The Swift toolchain is the one thing it cannot bring.
set -euo pipefail

fail() { printf 'setup: %s\n' "$1" >&2; exit 1; }

command -v swift >/dev/null || fail "Swift 6.2 or newer is needed: install it from https://www.swift.org/install."
[ "$(uname)" = Linux ] || exit 0

missing=()
[ -e /usr/include/sqlite3.h ] || missing+=(libsqlite3-dev)
# The demo's page draws the Markdown of answers.
[ -e /usr/include/cmark-gfm-core-extensions.h ] || missing+=(libcmark-gfm-dev libcmark-gfm-extensions-dev)
for package in "$@"; do
  dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

printf 'setup: installing %s\n' "${missing[*]}"
command -v apt-get >/dev/null || fail "no apt-get here; install ${missing[*]} by hand and run this again."
sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
$sudo apt-get update -qq && $sudo apt-get install -y -qq "${missing[@]}" >/dev/null ||
  fail "could not install ${missing[*]}; see the lines above."
