// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "OwnServer",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "holdfast", path: "../..")],
  targets: [
    .executableTarget(
      name: "OwnServer",
      dependencies: [
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastTransport", package: "holdfast"),
      ],
      path: "Sources")
  ]
)
