import Foundation
import HoldfastTesting

@main struct Backends {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let emulator = try FirestoreEmulator(
      jar: "/usr/lib/google-cloud-sdk/platform/cloud-firestore-emulator/cloud-firestore-emulator.jar",
      rules: root.appending(path: "Sources/HoldfastFirestore/Server/firestore.rules"),
      log: URL(filePath: "/tmp/emulator.log"))
    var suite = TransportConformance()
    if arguments.count > 1 { suite.cases.removeAll { !$0.name.contains(arguments[1]) } }
    let report = try await suite.run(
      on: FirestoreBackend(
        emulator,
        through: ProxyProcess(
          program: root.appending(path: ".build/debug/holdfast"), log: URL(filePath: "/tmp/proxy.log")))
    ) { print($0.name, $0.outcome) }
    print(report)
  }
}
