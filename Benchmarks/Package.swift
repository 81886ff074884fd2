// swift-tools-version: 6.2
import PackageDescription

// As a release for Linux is linked. On Apple's systems the libraries are in every process's memory before it begins.
let isStatic: [SwiftSetting] = [.unsafeFlags(["-static-stdlib"], .when(platforms: [.linux]))]
let staticLibraries: [LinkerSetting] = [.unsafeFlags(["-static-stdlib"], .when(platforms: [.linux]))]

let package = Package(
  name: "holdfast-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "holdfast", path: "..")],
  targets: [
    // SQLite as C sees it: the floor that the engine is measured against.
    .target(name: "CRawSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    // What Swift's modules of the C library do not have.
    .target(name: "CMemory"),
    // Processes that are started to see how long that takes: one that does nothing, and one that shows a conversation.
    .executableTarget(
      name: "empty-process", path: "Sources/EmptyProcess", swiftSettings: [.treatAllWarnings(as: .error)],
      linkerSettings: staticLibraries),
    .executableTarget(
      name: "open-process", dependencies: [.product(name: "Holdfast", package: "holdfast")],
      path: "Sources/OpenProcess", swiftSettings: [.treatAllWarnings(as: .error)] + isStatic,
      linkerSettings: staticLibraries),
    .executableTarget(
      name: "holdfast-bench",
      dependencies: [
        "CMemory", "CRawSQLite", "empty-process", "open-process",
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastRescue", package: "holdfast"),
        .product(name: "HoldfastWebSocket", package: "holdfast"),
        // The relay that the outbox is drained to: built beside the benchmarks, and run as a process.
        .product(name: "holdfast", package: "holdfast"),
      ],
      path: "Sources/HoldfastBench",
      swiftSettings: [.treatAllWarnings(as: .error)]
    ),
  ]
)
