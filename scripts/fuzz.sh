#!/usr/bin/env bash
# Damaged words for every parser of what somebody else has written, under libFuzzer and Address Sanitizer.
#   scripts/fuzz.sh 60              for so many minutes in all, two parsers at a time
#   scripts/fuzz.sh 5 sync door     these parsers alone
#   scripts/fuzz.sh --replay FILES  a plain build reads the kept words once; with files, those of one parser: HOLDFAST_FUZZ names it
# A crash, an input that takes more than ten seconds, and more than 2 GB of memory end a parser's run, and leave the input in
# .build-fuzz-words/found. Its replay in a plain build says which precondition failed. Found words that lead further stay in
# .build-fuzz-words/corpus, where the next run begins.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { printf 'fuzz: %s\n' "$1" >&2; exit 2; }

folder=.build-fuzz-words
corpus=Tests/FuzzWords/Corpus
every=(frames door streams sync protobuf import)

# The kept words of a parser, in a folder of their own, because libFuzzer adds to it.
seed() {
  mkdir -p "$folder/corpus/$1"
  if [ "$1" != streams ]; then
    cp -n "$corpus/$1"/* "$folder/corpus/$1/"
    return
  fi
  # The first of the two bytes in front chooses the API: its number is the rest of a division by 3.
  for file in Tests/HoldfastCompletionsTests/Streams/made/*.sse; do
    case ${file##*/} in anthropic*) api=b ;; *responses*) api=a ;; *) api='`' ;; esac
    { printf '%sa' "$api"; cat "$file"; } >"$folder/corpus/$1/${file##*/}"
  done
}

# Servers and stores are in memory, and gone with the script.
scratch() {
  export HOLDFAST_FUZZ_FOLDER
  if [ -w /dev/shm ]; then HOLDFAST_FUZZ_FOLDER=$(mktemp -d -p /dev/shm); else HOLDFAST_FUZZ_FOLDER=$(mktemp -d); fi
  trap 'rm -rf "$HOLDFAST_FUZZ_FOLDER"' EXIT
}

if [ "${1:-}" = --replay ]; then
  shift
  [ -n "${HOLDFAST:-}" ] || swift build --traits "${HOLDFAST_TRAITS:-Tools}" --product fuzz-words
  words=.build/debug/fuzz-words
  if [ $# -gt 0 ]; then
    scratch
    "$words" "$@"
    exit
  fi
  rm -rf "$folder/replay"
  folder=$folder/replay
  for parser in frames door streams sync; do seed "$parser"; done
  scratch
  "$words" "$folder/corpus"
  exit
fi

minutes=${1:-}
[[ $minutes =~ ^[0-9]*\.?[0-9]+$ ]] || fail "how many minutes? scripts/fuzz.sh 60"
shift
parsers=("$@")
[ $# -gt 0 ] || parsers=("${every[@]}")
for parser in "${parsers[@]}"; do
  [[ " ${every[*]} " = *" $parser "* ]] || fail "no parser is called $parser: ${every[*]}"
done
[ "$(uname)" = Linux ] || { echo "fuzz: Apple's toolchain has no libFuzzer, so nothing was read."; exit 0; }

# gold, the toolchain's usual linker, does not link libFuzzer.
build=(swift build -c release --sanitize=address -Xswiftc -sanitize=fuzzer -Xswiftc -DFUZZING -Xswiftc -enable-testing
  -Xcc -fsanitize=fuzzer-no-link -Xswiftc -use-ld=lld)
wants() { [[ " ${parsers[*]} " = *" $1 "* ]]; }
if wants frames || wants door || wants streams || wants sync; then
  # Without the traits, which bring BoringSSL twice: no parser needs it.
  "${build[@]}" --scratch-path "$folder" --product fuzz-words
fi
if wants protobuf; then
  "${build[@]}" --package-path Tests/FuzzProtobuf --scratch-path "$folder/protobuf" --product FuzzProtobuf
fi
failed=0
# Without optimization: with it, the compiler crashes on what this program needs. If it does not build, the others are tried.
if wants import &&
  ! swift build --traits "${HOLDFAST_TRAITS:-Tools}" --sanitize=address --scratch-path .build-fuzz --product fuzz-import; then
  printf 'fuzz: import does not build\n' >&2
  failed=1
  tried=()
  for parser in "${parsers[@]}"; do [ "$parser" = import ] || tried+=("$parser"); done
  [ ${#tried[@]} -gt 0 ] || exit 1
  parsers=("${tried[@]}")
fi

# Two at a time.
seconds=$(awk -v minutes="$minutes" -v count=${#parsers[@]} 'BEGIN { print int(minutes * 60 / int((count + 1) / 2)) + 1 }')
logs=$folder/logs found=$folder/found
mkdir -p "$logs" "$found"
scratch

# Becomes the program, so that the end of this script is its end too.
run() {
  if [ "$1" = import ]; then
    exec env ASAN_OPTIONS=malloc_context_size=1:quarantine_size_mb=8 \
      .build-fuzz/debug/fuzz-import --seconds "$seconds" >"$logs/$1" 2>&1
  fi
  seed "$1"
  local program=$folder/release/fuzz-words
  [ "$1" = protobuf ] && program=$folder/protobuf/release/FuzzProtobuf
  # Swift's own trace of a crash would hide libFuzzer's, which writes the input out. Values that live as long as the process count
  # as leaks.
  exec env HOLDFAST_FUZZ="$1" SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=64 "$program" \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 \
    -dict="$corpus/$1.dict" -artifact_prefix="$found/$1-" "$folder/corpus/$1" >"$logs/$1" 2>&1
}

# One line for each parser.
report() {
  local status=$1 parser=$2 log=$logs/$2
  stat() { sed -n "s/^stat::$1: *//p" "$log" | tail -n 1; }
  if [ "$parser" = import ]; then
    tail -n 1 "$log" | sed 's/^/import: /'
  else
    printf '%s: %s inputs, %s a second, at most %s MB\n' "$parser" "$(stat number_of_executed_units)" \
      "$(stat average_exec_per_sec)" "$(stat peak_rss_mb)"
  fi
  [ "$status" -eq 0 ] && return
  input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
  printf 'fuzz: %s fails%s; see %s\n' "$parser" "${input:+ at $input}" "$log" >&2
}

ids=()
trap 'kill "${ids[@]}" 2>/dev/null; exit 130' INT TERM
for ((first = 0; first < ${#parsers[@]}; first += 2)); do
  pair=("${parsers[@]:first:2}")
  ids=()
  for parser in "${pair[@]}"; do
    run "$parser" &
    ids+=($!)
  done
  for index in "${!pair[@]}"; do
    status=0
    wait "${ids[index]}" || status=$?
    report "$status" "${pair[index]}"
    [ "$status" -eq 0 ] || failed=1
  done
done
exit "$failed"
