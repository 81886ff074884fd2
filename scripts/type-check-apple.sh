#!/usr/bin/env bash
# Compiles, on Linux and up to the last diagnostic, what is shipped for Apple's systems: the sources, for each system that
# Package.swift names, the view in README.md, and the window of SceneModel's documentation, with the interfaces in Tests/AppleInterfaces in place of
# Apple's SDK. Nothing of it runs.
# docs/decisions/0032-apples-systems-are-type-checked-against-interfaces.md says how, and what it does not prove.
#
# The ordinary build comes first: its modules of the dependencies are used.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { printf 'type-check-apple: %s\n' "$1" >&2; exit 1; }

if [ "$(uname)" != Linux ]; then
  echo "type-check-apple: not needed here; the build itself checks it."
  exit 0
fi

interfaces=Tests/AppleInterfaces
scratch=.build/apple-interfaces
built=.build/debug
[ -e "$built/Modules/GRDB.swiftmodule" ] || fail "the modules of the dependencies are missing: run swift build first."

info=$(swiftc -print-target-info)
of() { sed -n "s/^ *\"$1\": \"\(.*\)\".*/\1/p" <<<"$info" | head -1; }
triple=$(of unversionedTriple)
resources=$(of runtimeResourcePath)
# The oldest systems that the package says it runs on.
oldest() { sed -n "s/.*\.$1(\.v\([0-9]*\)).*/\1/p" Package.swift; }

# The C library stays Linux's. Its module names one header from its own folder.
glibc="$scratch/glibc"
rm -rf "$scratch"
mkdir -p "$glibc"
cp "$resources/linux/${triple%%-*}"/{glibc.modulemap,SwiftGlibc.h} "$glibc"
ln -s /usr/include/assert.h "$glibc"
c_modules=(-Xcc "-fmodule-map-file=$glibc/glibc.modulemap")
for folder in "$resources/clang/include" "/usr/include/${triple%%-*}-linux-gnu" /usr/include; do
  c_modules+=(-Xcc -isystem -Xcc "$folder")
done
for map in .build/checkouts/*/{,*/}*/include/module.modulemap .build/checkouts/*/Sources/GRDBSQLite/module.modulemap \
  Lab/CMarkGFM/module.modulemap "$built"/*.build/module.modulemap; do
  c_modules+=(-Xcc "-fmodule-map-file=$map" -Xcc -I -Xcc "$(dirname "$map")")
done

# A module says which system it was built for, and is refused for another one: so copies say another one, with as many
# characters. What the compiler reads of them, availability included, is the same for all systems.
relabel() {
  local label="arm64-apple-$1$2." folder=$3 place module name
  while [ ${#label} -lt ${#triple} ]; do label+=0; done
  for module in "$resources"/linux/*.swiftmodule/"$triple.swiftmodule" "$built"/Modules/*.swiftmodule; do
    name=$(basename "${module%"/$triple.swiftmodule"}" .swiftmodule)
    case $name in
      # What Apple's systems lack, and what only the command has there, no library may import.
      FoundationNetworking | FoundationXML | *NIO* | CSHA256 | FlyingFox | FlyingSocks | ArgumentParser* | Atomics) place=/command ;;
      InternalCollectionsUtilities | DequeModule | ContainersPreview) place=/command ;;
      *) place= ;;
    esac
    # This package's own are what is to be checked.
    [ -d "Sources/$name" ] || LC_ALL=C sed "s/$triple/$label/" "$module" >"$folder$place/$name.swiftmodule"
  done
}

# A view that imports SwiftUI and this package must be able to use each public name without naming the module.
names() {
  echo "import Foundation"
  echo "import Holdfast"
  echo "import HoldfastAssistant"
  echo "import HoldfastCompletions"
  echo "import HoldfastCredentials"
  echo "import HoldfastMatrix"
  echo "import HoldfastRescue"
  echo "import HoldfastSwiftUI"
  echo "import HoldfastTransport"
  echo "import HoldfastWebSocket"
  echo "import Observation"
  echo "import SwiftUI"
  grep -rhoE '^public (final )?(struct|class|enum|protocol|actor|typealias) \w+' \
    Sources/{Holdfast,HoldfastCore,HoldfastNetwork,HoldfastCredentials,HoldfastRescue,HoldfastTransport,HoldfastWebSocket,HoldfastCompletions,HoldfastMatrix,HoldfastAssistant,HoldfastSwiftUI} |
    awk '{ print "private typealias The" $NF " = " $NF }'
}

# The views of the README and of an article: from their first import to the end of their block.
view() {
  awk -v wanted="$1" '/^```/ { if (text ~ /import SwiftUI/ && ++number == wanted) { printf "%s", text; exit } text = ""; next } { text = text $0 "\n" }' README.md Sources/Holdfast/Holdfast.docc/ShowAConversation.md
}

# The lines of the first example in SceneModel's documentation, without those that stand for others.
documented() {
  sed -n '/^\/\/\/ ```swift$/,/^\/\/\/ ```$/p;/^@MainActor/q' Sources/Holdfast/Presentation/SceneModel.swift |
    sed 's/^\/\/\/ *//' | grep -vE '^(```.*|…|)$'
}

check_documented() {
  local line count=0
  while IFS= read -r line; do
    count=$((count + 1))
    sed 's/^ *//' "$interfaces/SceneView.swift" | grep -qxF -- "$line" ||
      fail "$interfaces/SceneView.swift lacks a line of SceneModel's documentation: $line"
  done < <(documented)
  [ "$count" -gt 5 ] || fail "SceneModel's documentation has no example of a window."
}

check() {
  local system=$1 version=$2 folder="$scratch/$1" module sources example
  mkdir -p "$folder/command"
  relabel "$system" "$version" "$folder"
  local compile=(
    swiftc -frontend -target "arm64-apple-$system$version.0" -clang-target "$triple" -disable-objc-interop
    -resource-dir "$resources" -I "$folder" -module-cache-path "$folder/cache" -swift-version 6 -diagnostic-style llvm
    "${c_modules[@]}"
  )
  # Availability is written for iOS. This says which visionOS has it.
  if [ "$system" = xros ]; then
    mkdir "$folder/sdk"
    cp "$interfaces/visionOS.json" "$folder/sdk/SDKSettings.json"
    compile+=(-sdk "$folder/sdk")
  fi
  {
    cat "$interfaces/SwiftUI.swiftinterface"
    grep -v '^#' "$interfaces/SwiftUINames.txt" | tr ' ' '\n' |
      grep -vxFf <(grep -oE '(struct|enum|protocol) \w+' "$interfaces/SwiftUI.swiftinterface" | cut -d ' ' -f 2) |
      sed 's/.*/public enum & {}/'
  } >"$folder/SwiftUI.swiftinterface"
  local views=UIKit beside=()
  [ "$system" != ios ] || beside=(UserNotifications XCTest ExyteChat SwiftyChat)
  case $system in watchos | tvos) ;; *) beside+=(QuickLook) ;; esac
  case $system in macosx) views=AppKit beside+=(UserNotifications) ;; watchos) views=WatchKit ;; esac
  cp "$interfaces"/{FoundationOnApple,DispatchOnApple,Darwin,Network,Security,CryptoKit,os,UniformTypeIdentifiers,CoreTransferable,$views}.swiftinterface "$folder"
  for module in FoundationOnApple DispatchOnApple Darwin Network Security CryptoKit os UniformTypeIdentifiers CoreTransferable $views SwiftUI \
    "${beside[@]}"; do
    [ -e "$folder/$module.swiftinterface" ] || cp "$interfaces/$module.swiftinterface" "$folder"
    "${compile[@]}" -compile-module-from-interface -explicit-interface-module-build -module-name "$module" \
      "$folder/$module.swiftinterface" -o "$folder/$module.swiftmodule"
  done

  # What Foundation and Dispatch have on Apple's systems in addition comes with them there.
  compile+=(
    -emit-module -package-name holdfast -warnings-as-errors -DSWIFT_PACKAGE -DDEBUG -DTools
    -plugin-path "$resources/host/plugins" -import-module FoundationOnApple -import-module DispatchOnApple
  )
  for module in HoldfastCore HoldfastHTTP HoldfastCompletions HoldfastTransport HoldfastMatrix HoldfastStore HoldfastNetwork Holdfast HoldfastAssistant \
    HoldfastPresenters HoldfastSwiftUI HoldfastCredentials HoldfastRescue HoldfastRelay HoldfastWebSocket ChatServer HoldfastTesting \
    ChatServerTesting; do
    "${compile[@]}" -parse-as-library -module-name $module $(find Sources/$module -name '*.swift') \
      "$interfaces/DarwinTypes.swift" -o "$folder/$module.swiftmodule"
  done
  if [ "$system" = macosx ]; then
    for target in HoldfastCommand:Sources/HoldfastCommand Simulator:Lab/Simulator Processes:Lab/Processes holdfast_lab:Lab/Command; do
      module=${target%%:*} sources=$(find "${target#*:}" -name '*.swift')
      [ "$module" != holdfast_lab ] || sources+=" $(find "$built"/holdfast*lab.build/DerivedSources -name '*.swift')"
      "${compile[@]}" -I "$folder/command" -parse-as-library -module-name "$module" $sources -o "$folder/$module.swiftmodule"
    done
    for example in examples/*/Sources; do
      module=$(basename "${example%/Sources}")
      sources=$(find "$example" -name '*.swift')
      case $sources in *main.swift*) ;; *) sources+=" -parse-as-library" ;; esac
      "${compile[@]}" -package-name "$module" -I "$folder/command" -module-name "$module" $sources \
        -o "$folder/$module.swiftmodule"
    done
  fi
  # The two apps. What stands beside the app's program: its extensions, its tests on a device, and other people's views with our rows.
  if [ "$system" = ios ]; then
    compile+=(-package-name examples)
    for app in ChatApp AssistantApp; do
      "${compile[@]}" -parse-as-library -module-name "$app" "examples/$app/Sources"/*.swift -o "$folder/$app.swiftmodule"
    done
    "${compile[@]}" -parse-as-library -module-name Extensions examples/ChatApp/Extensions/*.swift -o "$folder/Extensions.swiftmodule"
    "${compile[@]}" -parse-as-library -module-name UITests examples/ChatApp/UITests/*.swift -o "$folder/UITests.swiftmodule"
    for example in examples/ChatApp/Recipes/*.swift; do
      module=$(basename "$example" .swift)
      "${compile[@]}" -parse-as-library -module-name "$module" "$example" -o "$folder/$module.swiftmodule"
    done
  fi
  names >"$folder/Names.swift"
  local number=1
  while view "$number" >"$folder/ReadmeView.swift" && [ -s "$folder/ReadmeView.swift" ]; do
    # Watches and televisions have no views of this package.
    case $system/$(grep -c HoldfastSwiftUI "$folder/ReadmeView.swift") in
      watchos/[1-9] | tvos/[1-9]) ;;
      *) "${compile[@]}" -parse-as-library -module-name "Readme$number" "$folder"/{ReadmeView,Names}.swift \
        -o "$folder/Readme$number.swiftmodule" ;;
    esac
    number=$((number + 1))
  done
  [ "$number" -gt 2 ] || fail "README.md and ShowAConversation.md have no two blocks of Swift with SwiftUI."
  "${compile[@]}" -parse-as-library -module-name Window "$interfaces/SceneView.swift" -o "$folder/Window.swiftmodule"
}

check_documented
scripts/apple-declarations.py

# Two at a time, each in its own process. What they say comes out one after the other.
started=()
while read -r name system; do
  version=$(oldest "$name")
  [ -n "$version" ] || continue
  while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n || true; done
  (check "$system" "$version"; touch "$scratch/$system.passed") >"$scratch/$system.log" 2>&1 &
  started+=("$system")
done <<<$'macOS macosx\niOS ios\nvisionOS xros\nwatchOS watchos\ntvOS tvos'
wait
for system in "${started[@]}"; do
  cat "$scratch/$system.log"
  [ -e "$scratch/$system.passed" ] || failed+=" $system"
done
[ -z "${failed:-}" ] || fail "the sources, or the views of README.md, ShowAConversation.md and SceneModel, do not compile for$failed: see the lines above."
