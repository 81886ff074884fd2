// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ChatApp",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "holdfast", path: "../..", traits: ["WebSocket"])],
  targets: [
    .executableTarget(
      name: "ChatApp",
      dependencies: [
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastRescue", package: "holdfast"),
        .product(name: "HoldfastSwiftUI", package: "holdfast"),
        .product(name: "HoldfastWebSocket", package: "holdfast"),
      ],
      path: "Sources")
  ]
)
