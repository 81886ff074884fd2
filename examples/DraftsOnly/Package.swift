// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "DraftsOnly",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "holdfast", path: "../..")],
  targets: [
    .executableTarget(
      name: "DraftsOnly",
      dependencies: [.product(name: "Holdfast", package: "holdfast")],
      path: "Sources")
  ]
)
