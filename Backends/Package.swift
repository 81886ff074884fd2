// swift-tools-version: 6.2
import PackageDescription

// The transports against real servers. A package of its own, because gRPC takes minutes to build, and the engine's own tests
// do not need it.
let package = Package(
  name: "backends",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "holdfast", path: "..", traits: ["Firestore", "Tools"]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
  ],
  targets: [
    // The servers as processes, with a proxy between, and their records.
    .target(
      name: "BackendServers",
      dependencies: [
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastFirestore", package: "holdfast"),
        .product(name: "HoldfastTesting", package: "holdfast"),
        .product(name: "HoldfastTransport", package: "holdfast"),
      ]),
    .executableTarget(
      name: "backends",
      dependencies: [
        "BackendServers",
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastTesting", package: "holdfast"),
        .product(name: "HoldfastTransport", package: "holdfast"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "FirestoreTests",
      dependencies: [
        "BackendServers",
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastFirestore", package: "holdfast"),
        .product(name: "HoldfastTransport", package: "holdfast"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ]),
  ]
)

for target in package.targets {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
