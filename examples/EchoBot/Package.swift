// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "EchoBot",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "holdfast", path: "../..", traits: ["WebSocket"]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.11.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .executableTarget(
      name: "EchoBot",
      dependencies: [
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastWebSocket", package: "holdfast"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      path: "Sources")
  ]
)
