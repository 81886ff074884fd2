// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Messenger",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "holdfast", path: "../..", traits: ["WebSocket"])],
  targets: [
    .executableTarget(
      name: "Messenger",
      dependencies: [
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastWebSocket", package: "holdfast"),
      ],
      path: "Sources")
  ]
)
