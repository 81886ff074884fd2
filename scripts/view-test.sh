#!/usr/bin/env bash
# Runs examples/ChatApp and examples/AssistantApp on Linux, against a double of SwiftUI, and drives them as their users do: they are
# real processes with real stores, a real relay, and kill -9. Drawings of what they show are kept in .artifacts/drawings.
# docs/decisions/0060-the-views-run-against-a-double.md says what this shows, and what it cannot.
# Arguments go to pytest: scripts/view-test.sh -k killed
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { printf 'view-test: %s\n' "$1" >&2; exit 1; }

if [ "$(uname)" != Linux ]; then
  echo "view-test: Linux alone has no SwiftUI of its own."
  exit 0
fi
programs=$(scripts/browser-environment.sh)

scratch=.build/view-double
built=$(pwd -P)/.build/debug
if [ -z "${HOLDFAST_LAB:-}" ]; then
  for product in holdfast holdfast-lab ChatApp AssistantApp; do swift build --quiet --traits "${HOLDFAST_TRAITS:-Tools}" --product "$product"; done
fi
mkdir -p "$scratch"

# Views use what only this package may, so they are built as a part of it, under the name that its modules were built with.
package=$(grep -o '"-package-name","[^"]*"' .build/debug.yaml | sort | uniq -c | sort -rn | sed -n 's/.*,"\(.*\)"/\1/p;q')
[ -n "$package" ] || fail "the name of the package is not in .build/debug.yaml."
compile=(
  swiftc -wmo -swift-version 6 -warnings-as-errors -parse-as-library -package-name "$package"
  -I "$scratch" -I "$built/Modules" -module-cache-path "$scratch/cache"
)
for map in "$built"/*.build/module.modulemap .build/checkouts/*/Sources/{*/include,GRDBSQLite}/module.modulemap Lab/CMarkGFM/module.modulemap; do
  compile+=(-Xcc "-fmodule-map-file=$map")
done

# The double's own module is left behind, so that nothing else finds a SwiftUI here.
"${compile[@]}" -emit-module -emit-object -module-name UniformTypeIdentifiers Tests/SwiftUIDouble/UniformTypes/*.swift \
  -emit-module-path "$scratch/UniformTypeIdentifiers.swiftmodule" -o "$scratch/UniformTypeIdentifiers.o"
"${compile[@]}" -emit-module -emit-object -module-name CoreTransferable Tests/SwiftUIDouble/Transfer/*.swift \
  -emit-module-path "$scratch/CoreTransferable.swiftmodule" -o "$scratch/CoreTransferable.o"
"${compile[@]}" -emit-module -emit-object -module-name UserNotifications Tests/SwiftUIDouble/UserNotifications/*.swift \
  -emit-module-path "$scratch/UserNotifications.swiftmodule" -o "$scratch/UserNotifications.o"
"${compile[@]}" -emit-module -emit-object -module-name AppKit Tests/SwiftUIDouble/AppKit/*.swift \
  -emit-module-path "$scratch/AppKit.swiftmodule" -o "$scratch/AppKit.o"
"${compile[@]}" -emit-module -emit-library -module-name SwiftUI "$scratch"/{UniformTypeIdentifiers,CoreTransferable,UserNotifications,AppKit}.o \
  Tests/SwiftUIDouble/*.swift \
  -emit-module-path "$scratch/SwiftUI.swiftmodule" -o "$scratch/libSwiftUI.so"
"${compile[@]}" -emit-module -emit-object -module-name QuickLook Tests/SwiftUIDouble/QuickLook/*.swift \
  -emit-module-path "$scratch/QuickLook.swiftmodule" -o "$scratch/QuickLook.o"
"${compile[@]}" -emit-module -emit-object -module-name HoldfastSwiftUI Sources/HoldfastSwiftUI/*.swift \
  Tests/SwiftUIDouble/OnApple/*.swift Tests/CMarkRuns/*.swift \
  -emit-module-path "$scratch/HoldfastSwiftUI.swiftmodule" -o "$scratch/HoldfastSwiftUI.o"
# link APP PRODUCT FILES…: an app with the objects of a product, without its own and without the views', which are empty there.
link() {
  grep -vE "/($2|HoldfastSwiftUI)\.build/" "$built/$2.product/Objects.LinkFileList" >"$scratch/$1.objects"
  "${compile[@]}" -emit-executable -module-name "$1" "${@:3}" "$scratch"/{HoldfastSwiftUI,QuickLook}.o \
    -L "$scratch" -lSwiftUI -lcmark-gfm -lcmark-gfm-extensions -lstdc++ -Xlinker -rpath -Xlinker "\$ORIGIN" "@$scratch/$1.objects" -o "$scratch/$1"
}
for app in ChatApp AssistantApp; do link $app $app "examples/$app/Sources"/*.swift; done
link PartsApp ChatApp Tests/views/Parts/*.swift

export HOLDFAST_LAB="${HOLDFAST_LAB:-$built/holdfast-lab}" VIEW_APPS="$scratch"
tests=(Tests/views)
case " $* " in *" Tests/"*) tests=() ;; esac
# An app keeps nothing in a folder that the system empties, so its home is not in /tmp, wherever this clone is.
homes=$(mkdir -p "${HOME:-/root}/.cache" && mktemp -d "${HOME:-/root}/.cache/holdfast-views.XXXXXX")
trap 'rm -rf "$homes"' EXIT
"$programs/pytest" -p no:cacheprovider --timeout 600 -n 2 --dist loadgroup --basetemp "$homes/pytest" "${tests[@]}" "$@"
