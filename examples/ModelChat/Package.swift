// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ModelChat",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "holdfast", path: "../..")],
  targets: [
    .executableTarget(
      name: "ModelChat",
      dependencies: [
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastAssistant", package: "holdfast"),
      ],
      path: "Sources")
  ]
)
