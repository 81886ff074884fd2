// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "AssistantApp",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "holdfast", path: "../..")],
  targets: [
    .executableTarget(
      name: "AssistantApp",
      dependencies: [
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastAssistant", package: "holdfast"),
        .product(name: "HoldfastCredentials", package: "holdfast"),
        .product(name: "HoldfastRescue", package: "holdfast"),
        .product(name: "HoldfastSwiftUI", package: "holdfast"),
      ],
      path: "Sources")
  ]
)
