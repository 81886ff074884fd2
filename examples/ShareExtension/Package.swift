// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ShareExtension",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "holdfast", path: "../..", traits: ["WebSocket"]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .executableTarget(
      name: "ShareExtension",
      dependencies: [
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastWebSocket", package: "holdfast"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources")
  ]
)
