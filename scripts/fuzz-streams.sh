#!/usr/bin/env bash
# Damaged streams for the reader of models' answers, under libFuzzer and Address Sanitizer, for so many seconds. Each is read whole and
# in pieces, which must give the same. Without a number it measures what long streams cost.
#   scripts/fuzz-streams.sh 600
set -euo pipefail
cd "$(dirname "$0")/.."

folder=.build-fuzz-streams
mkdir -p "$folder/corpus"
reader=Sources/HoldfastCompletions
sources=("$reader"/Events/*.swift "$reader"/Readings/*.swift "$reader"/Model/{ModelPart,CompletionAPI}.swift
  Tests/FuzzStreams/FuzzStreams.swift)
compile=(swiftc -parse-as-library -O -swift-version 6 -package-name holdfast -I "$folder")
# The reader of JSON is in a module of its own.
json=(Sources/HoldfastHTTP/JSON/{JSONFields,HalfCharacters}.swift)
module() {
  "${compile[@]}" "$@" -module-name HoldfastHTTP -emit-module -emit-module-path "$folder/HoldfastHTTP.swiftmodule" -c -wmo "${json[@]}" \
    -o "$folder/HoldfastHTTP.o"
}
if [ $# -eq 0 ]; then
  module
  "${compile[@]}" -module-name FuzzStreams "${sources[@]}" "$folder/HoldfastHTTP.o" -o "$folder/measure"
  exec "$folder/measure"
fi
[ "$(uname)" = Linux ] || { echo "fuzz-streams: Apple's toolchain has no libFuzzer, so nothing was read."; exit 0; }
module -sanitize=fuzzer,address
"${compile[@]}" -module-name FuzzStreams -D FUZZING -sanitize=fuzzer,address "${sources[@]}" "$folder/HoldfastHTTP.o" -o "$folder/fuzz" 2> >(grep -v '^ld\|warning: ' >&2 || true)
# The kept streams are where it begins, each behind the two bytes that choose how it is read.
for file in Tests/HoldfastCompletionsTests/Streams/made/*.sse; do
  [ -e "$folder/corpus/$(basename "$file")" ] || { printf 'aa'; cat "$file"; } >"$folder/corpus/$(basename "$file")"
done
SWIFT_BACKTRACE=enable=no exec "$folder/fuzz" -max_total_time="$1" -rss_limit_mb=2048 -print_final_stats=1 "$folder/corpus"
