// swift-tools-version: 6.2
import PackageDescription

// The transports against real servers. A package of its own, because gRPC takes minutes to build, and the engine's own tests
// do not need it.
let package = Package(
  name: "backends",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "holdfast", path: "..", traits: ["Firestore"])
  ],
  targets: [
    .executableTarget(
      name: "backends",
      dependencies: [
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastFirestore", package: "holdfast"),
        .product(name: "HoldfastTesting", package: "holdfast"),
        .product(name: "HoldfastTransport", package: "holdfast"),
      ])
  ]
)
