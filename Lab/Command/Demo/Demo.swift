import ArgumentParser
import Foundation
import Holdfast
import HoldfastCommand

/// `holdfast-lab demo`: a relay and two phones, or one phone without a server, each in its own process, and a page that
/// shows them.
struct Demo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Try two phones and a relay in a browser, and kill each of them with a button."
  )

  @Option(
    help: """
      The place where the conversations are kept: relay, with two phones and a server, device, with one phone and \
      an assistant, and no server, firestore, with two phones and Google's emulator, or matrix, with two phones and \
      Synapse.
      """)
  var backend = DemoBackend.relay

  @Option(help: "The base address of a model's server, such as http://127.0.0.1:8080/v1, for the assistant.")
  var assistant: String?

  @Option(help: "The model's name, as its server knows it. By default the first one that can chat.")
  var assistantName: String?

  @Option(help: "A file with the key of the account at the model's server (chmod 600).", completion: .file())
  var assistantKeyFile: NamedPath?

  @Option(help: "Further fields of each request to the model, as a JSON object.") var assistantFields: String?

  @Flag(help: "Let the model go on with an answer that was cut off. llama.cpp can; some services refuse it.")
  var assistantContinues = false

  @Option(help: "The port of the page on 127.0.0.1.")
  var port: UInt16 = 8181

  @Option(
    help: "The folder in which the phones and the relay keep their data between runs.", completion: .directory
  )
  var data: NamedPath?

  @Flag(help: "Delete the data of an earlier demo first.")
  var fresh = false

  func run() async throws {
    // Writing to a child that has ended must not end this process.
    signal(SIGPIPE, SIG_IGN)
    let signals = terminationSignals()
    if backend == .firestore {
      guard FirestorePhone.isBuilt else {
        throw ValidationError(
          "This holdfast has no Firestore. Build it with: swift build --traits Tools,Firestore --product holdfast"
        )
      }
      _ = try FirestoreEmulator.jar()
    }
    if backend == .matrix { _ = try MatrixServer.python() }
    let folder = try DemoFolder(
      at: try data?.url ?? DemoFolder.standard(), accounts: DemoBackend.relay.phones.map(\.account),
      isFresh: fresh)
    let stage = DemoStage(
      folder: folder, backend: backend, model: try await chosenModel(), environment: ChatEnvironment())
    try await stage.run(port: port, until: signals) {
      print(
        """
        \(backend.greeting)
        The data stays in \(folder.url.path). Use --fresh to start again without it.
        Open this page, and stop everything with Control-C:
        http://127.0.0.1:\(port)/?session=\(folder.session)
        """)
      // A pipe is buffered in blocks, and a reader that waits for the address must not wait for a full block.
      fflush(nil)
    }
  }

  /// The model that answers, after checking that its server is reachable.
  private func chosenModel() async throws -> ModelChoice? {
    guard let assistant else { return nil }
    var choice = ModelChoice(
      address: assistant, name: assistantName, nameOption: "--assistant-name",
      keyFile: assistantKeyFile?.url.path, continues: assistantContinues,
      fields: assistantFields)
    choice.name = try await choice.served().usual
    return choice
  }
}
