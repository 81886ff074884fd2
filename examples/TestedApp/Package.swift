// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "TestedApp",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "holdfast", path: "../..")],
  targets: [
    .target(
      name: "TestedApp", dependencies: [.product(name: "Holdfast", package: "holdfast")], path: "Sources"),
    .testTarget(
      name: "TestedAppTests",
      dependencies: [
        "TestedApp",
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastTesting", package: "holdfast"),
        .product(name: "HoldfastTransport", package: "holdfast"),
      ],
      path: "Tests"),
  ]
)
