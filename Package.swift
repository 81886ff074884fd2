// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "holdfast",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [
    .library(name: "Holdfast", targets: ["Holdfast"]),
    .library(name: "HoldfastTransports", targets: ["HoldfastTransports"]),
    .library(name: "HoldfastTesting", targets: ["HoldfastTesting"]),
    .library(name: "ChatServer", targets: ["ChatServer"]),
    .executable(name: "holdfast", targets: ["HoldfastCommand"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .target(
      name: "Holdfast",
      dependencies: [
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      resources: [.copy("PrivacyInfo.xcprivacy")]
    ),
    .target(
      name: "HoldfastTransports",
      dependencies: [
        "Holdfast",
        .product(name: "NIOCore", package: "swift-nio", condition: .when(platforms: [.linux])),
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(platforms: [.linux])),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(platforms: [.linux])),
        .product(name: "NIOWebSocket", package: "swift-nio", condition: .when(platforms: [.linux])),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(platforms: [.linux])),
      ]
    ),
    .target(
      name: "ChatServer",
      dependencies: [
        "Holdfast",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Crypto", package: "swift-crypto"),
      ]
    ),
    .target(name: "HoldfastTesting", dependencies: ["Holdfast", "ChatServer"]),
    .executableTarget(
      name: "HoldfastCommand",
      dependencies: [
        "Holdfast", "HoldfastTransports", "HoldfastTesting", "ChatServer",
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      resources: [.copy("Demo/Page")]
    ),
    .executableTarget(name: "DraftsOnly", dependencies: ["Holdfast"], path: "examples/DraftsOnly"),
    .executableTarget(
      name: "EchoBot",
      dependencies: [
        "Holdfast", "HoldfastTransports",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "examples/EchoBot"
    ),
    .executableTarget(
      name: "ShareExtension",
      dependencies: [
        "Holdfast", "HoldfastTransports",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "examples/ShareExtension"
    ),
    // A disk under SQLite that fails when a test tells it to.
    .target(
      name: "CDiskFaults", path: "Tests/CDiskFaults", cSettings: [.define("_GNU_SOURCE")],
      linkerSettings: [.linkedLibrary("sqlite3")]),
    // Databases as earlier versions left them, for the tests of both schemas.
    .target(
      name: "KeptDatabases",
      dependencies: ["Holdfast", .product(name: "GRDB", package: "GRDB.swift")], path: "Tests/KeptDatabases"),
    .testTarget(
      name: "HoldfastTests",
      dependencies: [
        "Holdfast", "HoldfastTesting", "ChatServer", "CDiskFaults", "KeptDatabases",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      // Read where they are, as the tests that make them write them there.
      exclude: ["Store/EarlierStores"]
    ),
    .testTarget(
      name: "ChatServerTests",
      dependencies: [
        "ChatServer", "KeptDatabases", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      exclude: ["EarlierServers"]
    ),
    .testTarget(
      name: "HoldfastTransportsTests",
      dependencies: [
        "HoldfastTransports", "ChatServer",
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "NIOEmbedded", package: "swift-nio", condition: .when(platforms: [.linux])),
      ],
      resources: [.copy("Certificates")]
    ),
    .testTarget(name: "SimulationTests", dependencies: ["Holdfast", "HoldfastTesting", "ChatServer"]),
    .testTarget(name: "HoldfastCommandTests", dependencies: ["HoldfastCommand", "HoldfastTesting"]),
    .testTarget(
      name: "ExampleTests",
      dependencies: [
        "Holdfast", "HoldfastTransports", "HoldfastCommand", "DraftsOnly", "EchoBot", "ShareExtension",
      ]
    ),
  ]
)

// A warning is an error in this package's own build; SwiftPM leaves this out where the package is a dependency.
for target in package.targets {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}

// Only `make docs` needs the plugin, so only it loads it: no user of the package builds it.
if Context.environment["HOLDFAST_DOCS"] != nil {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}
