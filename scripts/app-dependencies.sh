#!/usr/bin/env bash
# An app that depends on Holdfast alone resolves two packages. With --build, it also builds, and says how long
# its first build took.
set -euo pipefail
cd "$(dirname "$0")/.."

here=$(pwd -P)
app=$(mktemp -d)
trap 'rm -rf "$app"' EXIT

mkdir -p "$app/Sources/App"
cat >"$app/Package.swift" <<SWIFT
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "App",
  platforms: [.iOS(.v18), .macOS(.v15)],
  dependencies: [.package(name: "holdfast", path: "$here")],
  targets: [
    .executableTarget(name: "App", dependencies: [.product(name: "Holdfast", package: "holdfast")])
  ]
)
SWIFT
cat >"$app/Sources/App/App.swift" <<'SWIFT'
import Holdfast

@main struct App {
  static func main() { print(ChatConfiguration().outbox.total) }
}
SWIFT

swift package --package-path "$app" resolve >"$app/log" 2>&1 || { cat "$app/log"; exit 1; }
found=$(cd "$app/.build/checkouts" && echo *)
wanted="GRDB.swift swift-log"
if [ "$found" != "$wanted" ]; then
  echo "app-dependencies: an app on Holdfast resolves $found, and not only $wanted." >&2
  exit 1
fi
echo "An app on Holdfast resolves $found: $(du -sm "$app/.build/checkouts" | cut -f 1) MB."

if [ "${1:-}" = --build ]; then
  begin=$(date +%s)
  swift build --package-path "$app" >"$app/log" 2>&1 || { cat "$app/log"; exit 1; }
  echo "Its first build took $(($(date +%s) - begin)) s."
  "$app/.build/debug/App"
fi
