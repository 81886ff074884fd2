#!/usr/bin/env bash
# Each example is a package of its own, as an app's author copies it. Those that need no WebSocket are built and run here, from
# their own manifests. The others are built with --all, which takes minutes the first time; otherwise their packages are
# only resolved. What is built is kept in .build/examples.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=.build/examples
log=$(mktemp)
chats=$(mktemp -d)
trap 'rm -rf "$log" "$chats"' EXIT

quietly() { "$@" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }; }

# Packages with the same dependencies share what is built of them.
begin=$(date +%s)
for manifest in examples/*/Package.swift; do
  example=$(dirname "$manifest")
  if ! grep -q WebSocket "$manifest"; then
    quietly swift build --package-path "$example" --scratch-path "$scratch/device"
    [ ! -d "$example/Tests" ] || quietly swift test --package-path "$example" --scratch-path "$scratch/device"
  elif [ "${1:-}" = --all ]; then
    quietly swift build --package-path "$example" --scratch-path "$scratch/websocket"
  else
    quietly swift package --package-path "$example" --scratch-path "$scratch/websocket" show-dependencies
  fi
done
echo "The examples took $(($(date +%s) - begin)) s as packages of their own."

said=$("$scratch/device/debug/LocalAssistant" "$chats/chat" <<<"one two" 2>"$log") || { cat "$log" >&2; exit 1; }
if [ "$said" != $'one\ntwo' ]; then
  echo "examples: LocalAssistant answered \"$said\" to \"one two\"." >&2
  exit 1
fi
