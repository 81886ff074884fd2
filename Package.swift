// swift-tools-version: 6.2
import PackageDescription

// As a release for Linux is linked. On Apple's systems the libraries are in every process's memory before it begins.
let isStatic: [SwiftSetting] = [.unsafeFlags(["-static-stdlib"], .when(platforms: [.linux]))]
let staticLibraries: [LinkerSetting] = [.unsafeFlags(["-static-stdlib"], .when(platforms: [.linux]))]

let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tools"]))

let flyingFox: Target.Dependency = .product(
  name: "FlyingFox", package: "FlyingFox", condition: .when(traits: ["Tools"]))

/// The libraries of a bot that runs as a service.
let service: [Target.Dependency] = [
  .product(name: "Logging", package: "swift-log"),
  .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Tools"])),
  .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Tools"])),
]

/// The libraries of a WebSocket client on Linux.
let webSocketClient: [Target.Dependency] = ["NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket"].map {
  .product(name: $0, package: "swift-nio", condition: .when(traits: ["Tools"]))
}

/// An example, which is a package of its own in its folder. Here it is built for the tests, and as for that package, what is not
/// public does not compile.
func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "examples/\(name)/Sources", packageAccess: false)
}

let package = Package(
  name: "holdfast",
  platforms: [.iOS(.v18), .macOS(.v15), .visionOS(.v2), .watchOS(.v11), .tvOS(.v18)],
  products: [
    .library(name: "Holdfast", targets: ["Holdfast"]),
    // For who writes a transport: its protocol and its values. An app that is given one needs `Holdfast` alone.
    .library(name: "HoldfastTransport", targets: ["HoldfastTransport"]),
    .library(name: "HoldfastCredentials", targets: ["HoldfastCredentials"]),
    .library(name: "HoldfastRescue", targets: ["HoldfastRescue"]),
    .library(name: "HoldfastWebSocket", targets: ["HoldfastWebSocket"]),
    // Behind the trait `Firestore`; empty without it.
    .library(name: "HoldfastFirestore", targets: ["HoldfastFirestore"]),
    .library(name: "HoldfastMatrix", targets: ["HoldfastMatrix"]),
    .library(name: "HoldfastAssistant", targets: ["HoldfastAssistant"]),
    .library(name: "HoldfastSwiftUI", targets: ["HoldfastSwiftUI"]),
    .library(name: "HoldfastCompletions", targets: ["HoldfastCompletions"]),
    .library(name: "HoldfastTesting", targets: ["HoldfastTesting"]),
    .library(name: "ChatServer", targets: ["ChatServer"]),
    .library(name: "ChatServerTesting", targets: ["ChatServerTesting"]),
    .executable(name: "holdfast", targets: ["HoldfastProgram"]),
  ],
  // An app that asks for nothing resolves GRDB and swift-log alone. A package that a trait does not name is not resolved for
  // an app, so each product of the others below has its condition.
  traits: [
    // It enables no other trait: SwiftPM passes the names of several to the compiler in an order that each run draws anew, and another
    // order compiles all targets again.
    .trait(name: "Tools", description: "The command, the relay, the demo, the examples and the tests."),
    .trait(name: "WebSocket", description: "HoldfastWebSocket on Linux. Apple's systems have what it needs."),
    .trait(
      name: "HTTPClient",
      description:
        "HoldfastMatrix on Linux over async-http-client, for bots. Apple's systems have what it needs."),
    .trait(name: "Firestore", description: "HoldfastFirestore, which needs gRPC."),
    .default(enabledTraits: []),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.11.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
  ],
  targets: [
    // Values, pure machines and the environment. No SQL.
    .target(
      name: "HoldfastCore",
      dependencies: [
        .target(name: "CSHA256", condition: .when(platforms: [.linux])),
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    // The protocol of a transport, its values, and the pure machines that take them.
    .target(name: "HoldfastTransport", dependencies: ["HoldfastCore"]),
    // SHA-256 where the system has none.
    .target(name: "CSHA256"),
    // The only target of the engine that knows SQLite.
    .target(
      name: "HoldfastStore",
      dependencies: [
        "HoldfastCore", "HoldfastTransport",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .target(
      name: "Holdfast",
      dependencies: [
        "HoldfastCore", "HoldfastStore", "HoldfastNetwork", "HoldfastTransport",
        .product(name: "Logging", package: "swift-log"),
      ],
      resources: [.copy("PrivacyInfo.xcprivacy")]
    ),
    // Tokens and other credentials, outside the database.
    .target(name: "HoldfastCredentials", dependencies: ["HoldfastCore", "HoldfastStore"]),
    // What an app needs once: backups, salvage, and the formats of other apps.
    .target(
      name: "HoldfastRescue",
      dependencies: ["Holdfast", "HoldfastStore", "HoldfastTransport"]
    ),
    // The relay's wire format, for the server and for the WebSocket.
    .target(name: "HoldfastRelay", dependencies: ["HoldfastCore", "HoldfastTransport"]),
    // The network as the system sees it.
    .target(name: "HoldfastNetwork", dependencies: ["HoldfastCore"]),
    .target(
      name: "HoldfastWebSocket",
      dependencies: [
        "HoldfastCore", "HoldfastRelay", "HoldfastTransport",
        .product(
          name: "NIOCore", package: "swift-nio",
          condition: .when(platforms: [.linux], traits: ["WebSocket", "Tools"])),
        .product(
          name: "NIOPosix", package: "swift-nio",
          condition: .when(platforms: [.linux], traits: ["WebSocket", "Tools"])
        ),
        .product(
          name: "NIOHTTP1", package: "swift-nio",
          condition: .when(platforms: [.linux], traits: ["WebSocket", "Tools"])
        ),
        .product(
          name: "NIOWebSocket", package: "swift-nio",
          condition: .when(platforms: [.linux], traits: ["WebSocket", "Tools"])),
        .product(
          name: "NIOSSL", package: "swift-nio-ssl",
          condition: .when(platforms: [.linux], traits: ["WebSocket", "Tools"])),
      ]
    ),
    .target(
      name: "HoldfastFirestore",
      dependencies: [
        "HoldfastCore", "HoldfastTransport",
        .product(name: "GRPCCore", package: "grpc-swift-2", condition: .when(traits: ["Firestore"])),
        .product(
          name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport",
          condition: .when(traits: ["Firestore"])),
        .product(name: "SwiftProtobuf", package: "swift-protobuf", condition: .when(traits: ["Firestore"])),
      ],
      exclude: ["Protocol/firestore.proto", "Server"]
    ),
    // Requests to HTTP servers, over the system's client or, for bots on Linux, async-http-client.
    .target(
      name: "HoldfastHTTP",
      dependencies: [
        "HoldfastCore",
        .product(
          name: "AsyncHTTPClient", package: "async-http-client",
          condition: .when(platforms: [.linux], traits: ["HTTPClient", "Tools"])),
        .product(
          name: "NIOCore", package: "swift-nio",
          condition: .when(platforms: [.linux], traits: ["HTTPClient", "Tools"])
        ),
        .product(
          name: "NIOPosix", package: "swift-nio",
          condition: .when(platforms: [.linux], traits: ["HTTPClient", "Tools"])
        ),
        .product(
          name: "NIOHTTP1", package: "swift-nio",
          condition: .when(platforms: [.linux], traits: ["HTTPClient", "Tools"])
        ),
        .product(
          name: "NIOSSL", package: "swift-nio-ssl",
          condition: .when(platforms: [.linux], traits: ["HTTPClient", "Tools"])),
      ]),
    .target(
      name: "HoldfastMatrix",
      dependencies: [
        "HoldfastCore", "HoldfastHTTP", "HoldfastTransport", .product(name: "Logging", package: "swift-log"),
      ]),
    // A client for the servers of language models.
    .target(name: "HoldfastCompletions", dependencies: ["HoldfastCore", "HoldfastHTTP"]),
    // A member of conversations that answers with a language model.
    .target(
      name: "HoldfastAssistant", dependencies: ["Holdfast", "HoldfastCompletions", "HoldfastStore"]),
    // What rows, lists and sheets look like, decided without a view.
    .target(name: "HoldfastPresenters", dependencies: ["Holdfast"]),
    // Views for SwiftUI. Empty where that is missing.
    .target(name: "HoldfastSwiftUI", dependencies: ["Holdfast", "HoldfastPresenters"]),
    .target(
      name: "ChatServer",
      dependencies: [
        "HoldfastCore", "HoldfastStore", "HoldfastRelay", "HoldfastTransport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]
    ),
    // The kit for an app's tests.
    .target(
      name: "HoldfastTesting",
      dependencies: ["Holdfast", "HoldfastStore", "HoldfastTransport"]),
    // The reference server in a test, on a virtual clock.
    .target(
      name: "ChatServerTesting",
      dependencies: [
        "ChatServer", "Holdfast", "HoldfastRelay", "HoldfastStore", "HoldfastTesting", "HoldfastTransport",
      ]),
    // The subcommands of `holdfast`.
    .target(
      name: "HoldfastCommand",
      dependencies: [
        "Holdfast", "HoldfastAssistant", "HoldfastStore", "HoldfastRelay", "HoldfastRescue",
        "HoldfastNetwork",
        "HoldfastHTTP", "HoldfastTransport", "ChatServer",
        .product(name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["Tools"])),
        .product(name: "Logging", package: "swift-log"),
        argumentParser,
      ] + webSocketClient
    ),
    // Not named after its product `holdfast`: on a file system that ignores case, as macOS has by default, `Holdfast` and
    // `holdfast` would overwrite each other's modules.
    .executableTarget(name: "HoldfastProgram", dependencies: ["HoldfastCommand"]),
    // What proves the engine. No product depends on it.
    .target(
      name: "Simulator",
      dependencies: [
        "Holdfast", "HoldfastStore", "HoldfastRelay", "HoldfastRescue", "HoldfastTesting",
        "HoldfastTransport",
        "ChatServer", "ChatServerTesting",
      ],
      path: "Lab/Simulator"),
    // Processes that are started, paused and killed.
    .target(
      name: "Processes", dependencies: ["Holdfast", "HoldfastCommand", "HoldfastRelay"], path: "Lab/Processes"
    ),
    // The system's Markdown parser, for the demo's page. An app never needs it.
    .systemLibrary(
      name: "CMarkGFM", path: "Lab/CMarkGFM", pkgConfig: "libcmark-gfm",
      providers: [.apt(["libcmark-gfm-dev", "libcmark-gfm-extensions-dev"]), .brew(["cmark-gfm"])]),
    .executableTarget(
      name: "holdfast-lab",
      dependencies: [
        .target(name: "CMarkGFM", condition: .when(traits: ["Tools"])),
        "Holdfast", "HoldfastAssistant", "HoldfastCommand", "HoldfastPresenters", "HoldfastStore",
        "HoldfastRelay", "HoldfastRescue", "HoldfastNetwork", "HoldfastWebSocket", "HoldfastMatrix",
        "HoldfastHTTP", "HoldfastCredentials", "HoldfastTesting", "HoldfastTransport", "ChatServer",
        "ChatServerTesting", "Processes", "Simulator",
        .target(name: "HoldfastFirestore", condition: .when(traits: ["Firestore"])),
        .product(name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["Tools"])),
        .product(name: "Logging", package: "swift-log"),
        argumentParser,
      ] + webSocketClient,
      path: "Lab/Command",
      resources: [.copy("Demo/Page")]
    ),
    example("DraftsOnly", ["Holdfast"]),
    example("LocalAssistant", ["Holdfast"]),
    example("ModelChat", ["Holdfast", "HoldfastAssistant"]),
    example("ChatApp", ["Holdfast", "HoldfastRescue", "HoldfastSwiftUI", "HoldfastWebSocket"]),
    example(
      "AssistantApp",
      ["Holdfast", "HoldfastAssistant", "HoldfastCredentials", "HoldfastRescue", "HoldfastSwiftUI"]),
    example("OwnServer", ["Holdfast", "HoldfastTransport"]),
    example("Forum", ["Holdfast", "HoldfastTesting", "HoldfastTransport", flyingFox] + webSocketClient),
    example("Messenger", ["Holdfast", "HoldfastWebSocket"]),
    example("EchoBot", ["Holdfast", "HoldfastWebSocket", argumentParser] + service),
    example("OutboxOnly", ["Holdfast", "HoldfastWebSocket", argumentParser]),
    example("ShareExtension", ["Holdfast", "HoldfastWebSocket", argumentParser]),
    // An app with a test of its own, as its author writes it: without what is not public.
    .target(
      name: "TestedApp", dependencies: ["Holdfast"], path: "examples/TestedApp/Sources", packageAccess: false),
    .testTarget(
      name: "TestedAppTests",
      dependencies: ["TestedApp", "Holdfast", "HoldfastTesting", "HoldfastTransport"],
      path: "examples/TestedApp/Tests", packageAccess: false),
    // The benchmarks. SQLite as C sees it is the floor that the engine is measured against.
    .target(
      name: "CRawSQLite", path: "Lab/Benchmarks/CRawSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    // What Swift's modules of the C library do not have.
    .target(name: "CMemory", path: "Lab/Benchmarks/CMemory"),
    // Processes that are started to see how long that takes: one that does nothing, and one that shows a conversation.
    .executableTarget(
      name: "empty-process", path: "Lab/Benchmarks/EmptyProcess", linkerSettings: staticLibraries),
    .executableTarget(
      name: "open-process", dependencies: ["Holdfast"], path: "Lab/Benchmarks/OpenProcess",
      swiftSettings: isStatic, linkerSettings: staticLibraries),
    .executableTarget(
      name: "holdfast-bench",
      dependencies: [
        "CMemory", "CRawSQLite", "empty-process", "open-process", "Holdfast", "HoldfastRescue",
        "HoldfastTransport", "HoldfastWebSocket", .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Lab/Benchmarks/HoldfastBench"
    ),
    // A disk under SQLite that fails when a test tells it to.
    .target(
      name: "CDiskFaults", path: "Tests/CDiskFaults", cSettings: [.define("_GNU_SOURCE")],
      linkerSettings: [.linkedLibrary("sqlite3")]),
    // Databases as earlier versions left them, for the tests of both schemas.
    .target(
      name: "KeptDatabases",
      dependencies: ["HoldfastCore", "HoldfastStore", .product(name: "GRDB", package: "GRDB.swift")],
      path: "Tests/KeptDatabases"),
    // Damaged files for the importer: a few with the tests, and as many as one likes with `make fuzz`.
    .target(
      name: "ImportFuzzing", dependencies: ["Holdfast", "HoldfastRescue", "HoldfastTesting"],
      path: "Tests/ImportFuzzing"),
    .executableTarget(name: "fuzz-import", dependencies: ["ImportFuzzing"], path: "Tests/FuzzImport"),
    // Damaged words of a server, or of a client, for each parser of them. `make fuzz` builds it for libFuzzer. A plain build reads
    // the kept words once.
    .executableTarget(
      name: "fuzz-words",
      dependencies: [
        "ChatServer", "HoldfastCompletions", "HoldfastCore", "HoldfastHTTP", "HoldfastMatrix",
        "HoldfastRelay", "HoldfastTransport",
      ],
      path: "Tests/FuzzWords", exclude: ["Corpus"]),
    // Clients and servers on virtual clocks, and examples, for the tests of the engine and of what it is made of.
    .target(
      name: "EngineFixtures",
      dependencies: [
        "CDiskFaults", "ChatServer", "ChatServerTesting", "Holdfast", "HoldfastCore", "HoldfastRelay",
        "HoldfastStore", "HoldfastTesting", "HoldfastTransport", "Simulator",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ], path: "Tests/EngineFixtures"),
    .testTarget(
      name: "HoldfastCoreTests",
      dependencies: ["EngineFixtures", "Holdfast", "HoldfastCore", "HoldfastTesting"]),
    .testTarget(
      name: "HoldfastTransportTests", dependencies: ["EngineFixtures", "HoldfastCore", "HoldfastTransport"]),
    // The earlier stores are read where they are, as the tests that make them write them there.
    .testTarget(
      name: "HoldfastStoreTests",
      dependencies: [
        "CDiskFaults", "EngineFixtures", "Holdfast", "HoldfastCore", "HoldfastRescue", "HoldfastStore",
        "HoldfastTesting", "HoldfastTransport", "KeptDatabases",
        .product(name: "GRDB", package: "GRDB.swift"),
      ], exclude: ["EarlierStores"]),
    // The tests of `Holdfast` are too many for one target. These send: the outbox, its connection, and attachments.
    .testTarget(
      name: "HoldfastOutboxTests",
      dependencies: [
        "ChatServer", "EngineFixtures", "Holdfast", "HoldfastCore", "HoldfastRelay", "HoldfastStore",
        "HoldfastTesting", "HoldfastTransport",
      ]),
    // What arrives, and what is kept of it.
    .testTarget(
      name: "HoldfastHistoryTests",
      dependencies: [
        "EngineFixtures", "Holdfast", "HoldfastCore", "HoldfastRescue", "HoldfastStore", "HoldfastTesting",
        "HoldfastTransport",
      ]),
    // Drafts, and the windows that bring them back.
    .testTarget(
      name: "HoldfastDraftsTests",
      dependencies: [
        "EngineFixtures", "Holdfast", "HoldfastCore", "HoldfastRescue", "HoldfastStore", "HoldfastTesting",
        "HoldfastTransport", "Simulator",
      ]),
    // Snapshots and models for views.
    .testTarget(
      name: "HoldfastPresentationTests",
      dependencies: [
        "EngineFixtures", "Holdfast", "HoldfastCore", "HoldfastRescue", "HoldfastStore", "HoldfastTesting",
        "HoldfastTransport", .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    // The client as a whole: its life, its handles, its names, and other processes on its store.
    .testTarget(
      name: "HoldfastTests",
      dependencies: [
        "EngineFixtures", "Holdfast", "HoldfastCore", "HoldfastRelay", "HoldfastRescue", "HoldfastStore",
        "HoldfastTesting", "HoldfastTransport", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(
      name: "HoldfastCredentialsTests",
      dependencies: ["EngineFixtures", "HoldfastCore", "HoldfastCredentials"]),
    .testTarget(
      name: "HoldfastRescueTests",
      dependencies: [
        "EngineFixtures", "Holdfast", "HoldfastCore", "HoldfastRescue", "HoldfastStore", "HoldfastTesting",
        "HoldfastTransport", "ImportFuzzing", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    .testTarget(
      name: "HoldfastRelayTests",
      dependencies: [
        "ChatServerTesting", "EngineFixtures", "Holdfast", "HoldfastCore", "HoldfastRelay", "HoldfastStore",
        "HoldfastTesting", "HoldfastTransport",
      ]),
    .testTarget(
      name: "HoldfastAssistantTests",
      dependencies: [
        "EngineFixtures", "Holdfast", "HoldfastAssistant", "HoldfastCore", "HoldfastStore", "HoldfastTesting",
        "HoldfastTransport",
      ]),
    .testTarget(
      name: "HoldfastPresentersTests",
      dependencies: [
        "CMarkRuns", "EngineFixtures", "Holdfast", "HoldfastCore", "HoldfastPresenters", "HoldfastStore",
        "HoldfastTesting", "HoldfastTransport",
      ]),
    // A parser of Markdown in place of Foundation's, which Linux lacks.
    .target(
      name: "CMarkRuns",
      dependencies: [
        .target(name: "CMarkGFM", condition: .when(traits: ["Tools"])), "HoldfastPresenters",
      ], path: "Tests/CMarkRuns"),
    // These read the sources.
    .testTarget(name: "RepositoryTests", dependencies: ["EngineFixtures"]),
    .testTarget(
      name: "ChatServerTests",
      dependencies: [
        "ChatServer", "HoldfastStore", "HoldfastRelay", "HoldfastTransport", "KeptDatabases",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      exclude: ["EarlierServers"]
    ),
    .testTarget(
      name: "HoldfastWebSocketTests",
      dependencies: [
        "Holdfast", "HoldfastCredentials", "HoldfastRelay", "HoldfastTransport", "HoldfastWebSocket",
        "ChatServer",
        flyingFox,
        .product(
          name: "NIOEmbedded", package: "swift-nio",
          condition: .when(platforms: [.linux], traits: ["WebSocket", "Tools"])),
        .product(
          name: "NIOWebSocket", package: "swift-nio",
          condition: .when(platforms: [.linux], traits: ["WebSocket", "Tools"])),
      ],
      resources: [.copy("Certificates")]
    ),
    .testTarget(
      name: "HoldfastCompletionsTests",
      dependencies: [
        "HoldfastCompletions", "HoldfastCore", "HoldfastHTTP", "HoldfastTesting",
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Tools"])),
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Tools"])),
      ],
      // Read where they are.
      exclude: ["Bodies", "Streams"]
    ),
    .testTarget(
      name: "HoldfastMatrixTests",
      dependencies: [
        "Holdfast", "HoldfastCore", "HoldfastHTTP", "HoldfastMatrix", "HoldfastTransport",
      ]),
    // The transports against real servers: the servers as processes, with a proxy between, and their records. What needs
    // Firestore is behind its trait.
    .target(
      name: "BackendServers",
      dependencies: ["Holdfast", "HoldfastFirestore", "HoldfastTesting", "HoldfastTransport"],
      path: "Lab/Backends/BackendServers"),
    .executableTarget(
      name: "backends",
      dependencies: ["BackendServers", "Holdfast", "HoldfastTesting", "HoldfastTransport", argumentParser],
      path: "Lab/Backends/backends"),
    .testTarget(
      name: "FirestoreTests",
      dependencies: [
        "BackendServers", "Holdfast", "HoldfastFirestore", "HoldfastTransport",
        .product(name: "SwiftProtobuf", package: "swift-protobuf", condition: .when(traits: ["Firestore"])),
      ]),
    .testTarget(name: "HoldfastNetworkTests", dependencies: ["Holdfast", "HoldfastNetwork"]),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "Holdfast", "HoldfastStore", "HoldfastRelay", "HoldfastTesting", "HoldfastTransport", "ChatServer",
        "ChatServerTesting", "Simulator",
      ]),
    // Sockets, clocks and processes for the tests of both commands.
    .target(
      name: "CommandFixtures",
      dependencies: [
        "ChatServer", "Holdfast", "HoldfastCommand", "HoldfastRelay", "HoldfastTransport",
        .product(name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["Tools"])),
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Tools"])),
      ],
      path: "Tests/CommandFixtures"),
    .testTarget(
      name: "HoldfastCommandTests",
      dependencies: [
        "CommandFixtures", "HoldfastCommand", "HoldfastProgram", "HoldfastStore", "HoldfastRelay",
        "HoldfastRescue", "HoldfastTransport", "HoldfastWebSocket", "Processes",
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(
      name: "LabCommandTests",
      dependencies: [
        "CommandFixtures", "holdfast-lab", "HoldfastCommand", "Processes", "HoldfastStore", "HoldfastRelay",
        "HoldfastRescue", "HoldfastTesting", "HoldfastTransport", "ChatServerTesting", "Simulator",
      ]),
    .testTarget(
      name: "ExampleTests",
      dependencies: [
        "Holdfast", "HoldfastNetwork", "HoldfastTesting", "HoldfastTransport", "HoldfastWebSocket",
        "HoldfastCommand", "HoldfastProgram", "Processes", "holdfast-lab",
        "DraftsOnly", "EchoBot", "Forum", "LocalAssistant", "Messenger", "OutboxOnly", "OwnServer",
        "ShareExtension",
        .product(name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Tools"])),
        flyingFox,
      ]
    ),
  ]
)

// A warning is an error in this package's own build; SwiftPM leaves this out where the package is a dependency.
for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
