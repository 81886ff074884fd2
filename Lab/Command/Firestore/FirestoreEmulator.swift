import ArgumentParser
import Foundation
import Holdfast
import HoldfastCommand
import Processes

#if !canImport(Darwin)
  import FoundationNetworking
#endif

/// `holdfast-lab firestore-emulator`: Google's Firestore emulator with the rules of HoldfastFirestore, for the demo and for
/// tests. It prints HOST:PORT once it answers, and ends with its input.
struct FirestoreEmulator: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run Google's Firestore emulator with HoldfastFirestore's rules.", shouldDisplay: false)

  @Option(help: "The port on 127.0.0.1. 0 chooses a free port.")
  var port = 0

  /// The timeout for its first answer.
  private static let patience: Duration = .seconds(60)

  func run() async throws {
    let (port, signals) = (port == 0 ? try LoopbackAddress.freePort() : port, terminationSignals())
    let child = try Self.start(port)
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer {
        child.kill()
        group.cancelAll()
      }
      group.addTask {
        for await event in child.events { if case .ended = event { break } }
        throw Complaint(.failed, "Google's Firestore emulator has ended.")
      }
      group.addTask {
        for await _ in signals { break }
      }
      group.addTask {
        for await _ in LineReader.standardInput() {}
      }
      group.addTask {
        try await Self.waitUntilItAnswers(on: port)
        try FileHandle.standardOutput.write(contentsOf: Data("127.0.0.1:\(port)\n".utf8))
        // Another task ends the group.
        await Signal().wait()
      }
      try await group.next()
    }
  }

  private static func start(_ port: Int) throws -> ChildProcess {
    // Its output is dropped: the first line of this process is the address.
    try ChildProcess(
      executable: URL(filePath: "/usr/bin/env"),
      arguments: [
        "java", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", try jar().path,
        "com.google.cloud.datastore.emulator.firestore.CloudFirestore", "start", "--host=127.0.0.1",
        "--port=\(port)", "--rules=\(try rules().path)",
      ], environment: ProcessInfo.processInfo.environment, errors: FileHandle.nullDevice)
  }

  private static func waitUntilItAnswers(on port: Int) async throws {
    guard let url = URL(string: "http://127.0.0.1:\(port)/") else { return }
    let environment = ChatEnvironment()
    let deadline = environment.uptime() + patience
    while true {
      let response = try? await URLSession.shared.data(for: URLRequest(url: url)).1
      if (response as? HTTPURLResponse)?.statusCode == 200 { return }
      guard environment.uptime() < deadline else {
        throw Complaint(.failed, "Google's Firestore emulator does not answer.")
      }
      try await environment.sleep(environment.uptime() + .milliseconds(50))
    }
  }

  /// The emulator's program: from `HOLDFAST_FIRESTORE_JAR`, from Google's Debian package, or from `firebase
  /// setup:emulators:firestore`.
  static func jar() throws -> URL {
    let environment = ProcessInfo.processInfo.environment
    var places = ["/usr/lib/google-cloud-sdk/platform/cloud-firestore-emulator/cloud-firestore-emulator.jar"]
    let cache = environment["HOME"].map { $0 + "/.cache/firebase/emulators" } ?? ""
    places +=
      (try? FileManager.default.contentsOfDirectory(atPath: cache))?.sorted(by: >)
      .filter { $0.hasPrefix("cloud-firestore-emulator") && $0.hasSuffix(".jar") }.map { "\(cache)/\($0)" }
      ?? []
    if let named = environment["HOLDFAST_FIRESTORE_JAR"] { places = [named] }
    guard let place = places.first(where: FileManager.default.fileExists) else {
      throw Complaint(
        .failed,
        """
        Google's Firestore emulator is needed. Install the package google-cloud-cli-firestore-emulator, or let \
        HOLDFAST_FIRESTORE_JAR name its jar.
        """)
    }
    return URL(filePath: place)
  }

  /// The security rules, from this repository.
  private static func rules() throws -> URL {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let rules = root.appending(path: "Sources/HoldfastFirestore/Server/firestore.rules")
    guard FileManager.default.fileExists(atPath: rules.path) else {
      throw Complaint(
        .failed, "The rules are not at \(rules.path): run this in the repository that built it.")
    }
    return rules
  }
}
