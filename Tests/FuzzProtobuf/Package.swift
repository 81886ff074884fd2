// swift-tools-version: 6.2
import PackageDescription

// Fuzzes the parsing of Firestore's responses with libFuzzer, as `Tests/FuzzWords` does for the other servers. A
// package of its own, with links to the sources that parse responses: HoldfastFirestore itself needs gRPC, which
// takes ten minutes to build under a sanitizer.
let package = Package(
  name: "fuzz-protobuf",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-log", from: "1.11.0"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
  ],
  targets: [
    .target(name: "CSHA256"),
    .target(
      name: "HoldfastCore",
      dependencies: [
        .target(name: "CSHA256", condition: .when(platforms: [.linux])),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .target(name: "HoldfastTransport", dependencies: ["HoldfastCore"]),
    .executableTarget(
      name: "FuzzProtobuf",
      dependencies: [
        "HoldfastCore", "HoldfastTransport", .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      swiftSettings: [.define("Firestore")]),
  ]
)

for target in package.targets {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
