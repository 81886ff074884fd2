// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Forum",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "holdfast", path: "../.."),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    .executableTarget(
      name: "Forum",
      dependencies: [
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastTransport", package: "holdfast"),
        .product(name: "HoldfastTesting", package: "holdfast"),
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
      ],
      path: "Sources")
  ]
)
