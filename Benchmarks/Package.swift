// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "holdfast-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "holdfast", path: "..")],
  targets: [
    // SQLite as C sees it: the floor that the engine is measured against.
    .target(name: "CRawSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "holdfast-bench",
      dependencies: [
        "CRawSQLite",
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastTransports", package: "holdfast"),
        // The relay that the outbox is drained to: built beside the benchmarks, and run as a process.
        .product(name: "holdfast", package: "holdfast"),
      ],
      path: "Sources/HoldfastBench",
      swiftSettings: [.treatAllWarnings(as: .error)]
    ),
  ]
)
