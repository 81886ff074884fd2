#if Firestore
  import Foundation
  import Holdfast
  import HoldfastFirestore
  import HoldfastTesting
  import HoldfastTransport

  /// Firestore for the conformance suite, with a proxy between. The emulator keeps its data in memory, so it is not killed in
  /// a case.
  public final class FirestoreBackend: ConformanceBackend {
    public let name = "firestore"
    public let faults: Set<TransportConformance.Fault.Kind> = [
      .network, .renamedConversation, .removedConversation,
    ]
    private let emulator: FirestoreEmulator
    private let proxy: ProxyProcess

    public init(_ emulator: FirestoreEmulator, through proxy: ProxyProcess) {
      (self.emulator, self.proxy) = (emulator, proxy)
    }

    public func start(in environment: ChatEnvironment) async throws {
      try await emulator.start()
      try await proxy.start(to: emulator.port)
    }

    public func kill() async throws {
      proxy.end()
      await emulator.end()
    }

    public func account(_ name: String) async throws -> UserID { UserID(rawValue: name) }

    public func transport(for account: UserID) throws -> any Transport {
      // Silence is found out soon, so that a case with it takes seconds.
      emulator.transport(for: account, port: proxy.port, keepalive: .seconds(4))
    }

    public func record(of conversation: ConversationID) async throws -> [TransportConformance.Record] {
      try await emulator.messages(in: conversation)
    }

    public func readMarks(in conversation: ConversationID) async throws -> [UserID: MessageID] {
      let marks = try await emulator.documents("readMarks", in: conversation).compactMap { document in
        document.string("reader").flatMap { reader in document.string("message").map { (reader, $0) } }
      }
      return Dictionary(
        marks.map { (UserID(rawValue: $0.0), MessageID(rawValue: $0.1)) },
        uniquingKeysWith: { first, _ in first })
    }

    public func make(_ fault: TransportConformance.Fault) async throws {
      switch fault {
      case .network(let fault): try await proxy.make(fault)
      case .renamedConversation(let old, let new): try await emulator.rename(old, to: new)
      case .removedConversation(let conversation): try await emulator.remove(conversation)
      default: break
      }
    }

    public func behave() async throws { try await proxy.behave() }
  }

  extension FirestoreEmulator {
    /// A transport to the emulator.
    ///
    /// - Parameters:
    ///   - port: the port of a proxy. Nil for the emulator's own.
    ///   - keepalive: the silence after which the emulator is asked for a sign of life. A cold one takes seconds for it.
    ///   - newest: the messages of each conversation that a new device gets at first. Nil: all, on one stream.
    public nonisolated func transport(
      for account: UserID, port: Int? = nil, keepalive: Duration = .seconds(30), newest: Int? = 100
    ) -> FirestoreTransport {
      FirestoreTransport(
        project: project, server: URL(string: "http://127.0.0.1:\(port ?? self.port)"), keepalive: keepalive,
        newest: newest
      ) { self.token(of: account) }
    }

    /// Deletes a conversation for everyone, with its messages, as an app's administration does.
    public func remove(_ conversation: ConversationID) async throws {
      let time = ISO8601DateFormatter().string(from: ChatEnvironment().now())
      let removals = try await documents("messages", in: conversation).map {
        Self.removal(name("messages", $0.id))
      }
      let mark = Self.write(
        name("conversations", conversation.rawValue), ["removedAt": ["timestampValue": time]],
        mask: ["removedAt"])
      try await commit([mark] + removals)
    }

    private static func removal(_ name: String) -> Data {
      (try? JSONSerialization.data(withJSONObject: ["delete": name])) ?? Data()
    }

    /// Gives a conversation another ID, as an app's administration does: a document of its own, and all messages in it.
    public func rename(_ old: ConversationID, to new: ConversationID) async throws {
      let name = name("conversations", old.rawValue)
      let answer = try await request("GET", "/v1/\(name)")
      let document = try JSONSerialization.jsonObject(with: answer) as? [String: Any]
      var fields = document?["fields"] as? [String: Any] ?? [:]
      fields["earlierIDs"] = ["arrayValue": ["values": [["stringValue": old.rawValue]]]]
      let messages = try await documents("messages", in: old)
      let moves = messages.map { message in
        Self.write(
          self.name("messages", message.id), ["conversation": ["stringValue": new.rawValue]],
          mask: ["conversation"])
      }
      try await commit(
        [Self.write(self.name("conversations", new.rawValue), fields, mask: nil)] + moves
          + [Self.removal(name)])
    }

    /// A write in Firestore's REST form, at the time of the request.
    private static func write(_ name: String, _ fields: [String: Any], mask: [String]?) -> Data {
      var write: [String: Any] = [
        "update": ["name": name, "fields": fields],
        "updateTransforms": [["fieldPath": "changedAt", "setToServerValue": "REQUEST_TIME"]],
      ]
      if let mask { write["updateMask"] = ["fieldPaths": mask] }
      return (try? JSONSerialization.data(withJSONObject: write)) ?? Data()
    }

    /// The messages of a conversation by the server's own record, in the server's order.
    public func messages(in conversation: ConversationID) async throws -> [TransportConformance.Record] {
      FirestoreDocument.records(try await documents("messages", in: conversation))
    }

    /// The documents of a collection that belong to a conversation.
    public func documents(
      _ collection: String, in conversation: ConversationID
    ) async throws -> [FirestoreDocument] {
      try await query([
        "from": [["collectionId": collection]],
        "where": [
          "fieldFilter": [
            "field": ["fieldPath": "conversation"], "op": "EQUAL",
            "value": ["stringValue": conversation.rawValue],
          ]
        ],
      ])
    }
  }
#endif
