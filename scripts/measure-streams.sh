#!/usr/bin/env bash
# Measures what long answers of a language model cost its reader, in time and in memory: 2 GB of words, and 2 GB in one line.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=.build-measure-streams
mkdir -p "$folder"
reader=Sources/HoldfastCompletions
sources=("$reader"/Events/*.swift "$reader"/Readings/*.swift "$reader"/Model/{ModelPart,CompletionAPI}.swift
  Tests/MeasureStreams/MeasureStreams.swift)
compile=(swiftc -parse-as-library -O -swift-version 6 -package-name holdfast -I "$folder")
# The reader of JSON is in a module of its own.
"${compile[@]}" -module-name HoldfastHTTP -emit-module -emit-module-path "$folder/HoldfastHTTP.swiftmodule" -c -wmo \
  Sources/HoldfastHTTP/JSON/{JSONFields,LoneSurrogates}.swift -o "$folder/HoldfastHTTP.o"
"${compile[@]}" -module-name MeasureStreams "${sources[@]}" "$folder/HoldfastHTTP.o" -o "$folder/measure"
exec "$folder/measure"
