// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "LocalAssistant",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "holdfast", path: "../..")],
  targets: [
    .executableTarget(
      name: "LocalAssistant",
      dependencies: [.product(name: "Holdfast", package: "holdfast")],
      path: "Sources")
  ]
)
