#if canImport(SwiftUI)
  import Foundation
  import Holdfast
  import HoldfastAssistant
  import HoldfastCredentials
  import SwiftUI
  import Synchronization

  /// The model that answers: any whose server answers as OpenAI's does, such as llama.cpp on this machine. A change
  /// holds for the next answer, and stops none that is being written.
  enum ModelSettings {
    static let (server, name) = ("server", "model")
    static let (firstServer, firstName) = ("http://127.0.0.1:8080/v1", "qwen3")
    /// The model since the last change. It remembers what its server does not take.
    static let known = Mutex<CompletionModel?>(nil)

    /// The model for the next answer.
    static func current() throws -> CompletionModel {
      try known.withLock { known in
        if let known { return known }
        let defaults = UserDefaults.standard
        let address = defaults.string(forKey: server) ?? firstServer
        guard let url = URL(string: address), url.host() != nil else {
          throw ModelError(.unreachable, "“\(address)” is not the address of a server.")
        }
        let key = try key(of: address)
        let model = CompletionModel(
          url, model: defaults.string(forKey: name) ?? firstName, key: key.map { key in { @Sendable in key } }
        )
        known = model
        return model
      }
    }

    /// The key of a server, from the keychain. No other server gets it.
    static func key(of server: String) throws -> String? {
      try SystemCredentials.open().credential(for: host(of: server))?.text
    }

    static func host(of server: String) -> UserID { UserID(rawValue: URL(string: server)?.host() ?? server) }
  }

  struct ModelView: View {
    @Binding var isShown: Bool
    @AppStorage(ModelSettings.server) private var storedServer = ModelSettings.firstServer
    @AppStorage(ModelSettings.name) private var storedName = ModelSettings.firstName
    @State private var server = ""
    @State private var name = ""
    @State private var key = ""
    @State private var problem = ""

    var body: some View {
      Form {
        TextField("Server", text: $server)
        TextField("Model", text: $name)
        SecureField("Key", text: $key)
        if !problem.isEmpty { Text(problem) }
        Button("Done") { attempt { try save() } }.disabled(server.isEmpty || name.isEmpty)
        Button("Cancel") { isShown = false }
      }
      .autocorrectionDisabled()
      .padding()
      .onAppear { (server, name) = (storedServer, storedName) }
      .onChange(of: ModelSettings.host(of: server)) {
        attempt { key = try ModelSettings.key(of: server) ?? "" }
      }
    }

    private func save() throws {
      try SystemCredentials.open().set(
        key.isEmpty ? nil : Credential(key), for: ModelSettings.host(of: server))
      (storedServer, storedName, isShown) = (server, name, false)
      ModelSettings.known.withLock { $0 = nil }
    }

    private func attempt(_ change: () throws -> Void) {
      do { try change() } catch { problem = error.localizedDescription }
    }
  }
#endif
