#!/usr/bin/env bash
# Generates the Swift code of HoldfastFirestore's messages, and compares each name, number and type in firestore.proto with
# Google's published descriptors. With --check nothing is written: the committed code must be what is generated. With --compare
# nothing is generated. The first run builds the generator, which takes a minute or two.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=Sources/HoldfastFirestore/Protocol
version=1.39.0
tools=${HOLDFAST_PROTO_TOOLS:-.build-proto}
python=$tools/venv/bin/python
if [ ! -x "$python" ] || ! "$python" -c 'import grpc_tools, google.cloud.firestore' 2>/dev/null; then
  echo "firestore-proto: fetching protoc and Google's descriptors."
  python3 -m venv "$tools/venv"
  "$tools/venv/bin/pip" install --quiet grpcio-tools google-cloud-firestore
fi
"$python" scripts/firestore-proto.py "$folder/firestore.proto"
[ "${1:-}" != --compare ] || exit 0

generator=$tools/swift-protobuf/.build/release/protoc-gen-swift
if [ ! -x "$generator" ]; then
  echo "firestore-proto: building the generator, a minute or two."
  rm -rf "$tools/swift-protobuf"
  git clone --quiet --depth 1 --branch "$version" -c advice.detachedHead=false \
    https://github.com/apple/swift-protobuf "$tools/swift-protobuf"
  swift build --package-path "$tools/swift-protobuf" -c release --product protoc-gen-swift >"$tools/log" 2>&1 ||
    { tail -20 "$tools/log" >&2; exit 1; }
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$python" -m grpc_tools.protoc --plugin="protoc-gen-swift=$generator" -I "$folder" --swift_out="$out" "$folder/firestore.proto"
# The target is empty without its trait.
{ echo "// swift-format-ignore-file"; echo "#if Firestore"; cat "$out/firestore.pb.swift"; echo "#endif"; } >"$out/guarded"
if [ "${1:-}" = --check ]; then
  cmp "$out/guarded" "$folder/firestore.pb.swift" ||
    { echo "firestore-proto: $folder/firestore.pb.swift is not what is generated: run scripts/firestore-proto.sh." >&2; exit 1; }
  echo "The generated code is up to date."
else
  cp "$out/guarded" "$folder/firestore.pb.swift"
fi
