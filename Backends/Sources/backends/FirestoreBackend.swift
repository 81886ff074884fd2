import Foundation
import Holdfast
import HoldfastFirestore
import HoldfastTesting
import HoldfastTransport

/// Firestore for the conformance suite, with a proxy between. The emulator keeps its data in memory, so it is not killed in a case.
final class FirestoreBackend: ConformanceBackend {
  let name = "firestore"
  let faults: Set<TransportConformance.Fault.Kind> = [.network]
  private let emulator: FirestoreEmulator
  private let proxy: ProxyProcess

  init(_ emulator: FirestoreEmulator, through proxy: ProxyProcess) {
    (self.emulator, self.proxy) = (emulator, proxy)
  }

  func start(in environment: ChatEnvironment) async throws {
    try await emulator.start()
    try await proxy.start(to: emulator.port)
  }

  func kill() async throws {
    proxy.end()
    await emulator.end()
  }

  func make(_ fault: TransportConformance.Fault) async throws {
    if case .network(let fault) = fault { try await proxy.make(fault) }
  }

  func behave() async throws { try await proxy.behave() }

  func account(_ name: String) async throws -> UserID { UserID(rawValue: name) }

  func transport(for account: UserID) throws -> any Transport {
    FirestoreTransport(
      project: emulator.project, server: URL(string: "http://127.0.0.1:\(proxy.port)")
    ) { [emulator] in emulator.token(of: account) }
  }

  func record(of conversation: ConversationID) async throws -> [TransportConformance.Record] {
    try await emulator.messages(in: conversation)
  }

  func readMarks(in conversation: ConversationID) async throws -> [UserID: MessageID] {
    try await emulator.readMarks(in: conversation)
  }
}

extension FirestoreEmulator {
  /// The messages of a conversation in the server's order: by their time, and by their number within a commit.
  func messages(in conversation: ConversationID) async throws -> [TransportConformance.Record] {
    let documents = try await query([
      "from": [["collectionId": "messages"]], "where": Self.filter(conversation),
    ])
    return documents.compactMap(FirestoreRecord.init).sorted { $0.place < $1.place }.map(\.record)
  }

  func readMarks(in conversation: ConversationID) async throws -> [UserID: MessageID] {
    let documents = try await query([
      "from": [["collectionId": "readMarks"]], "where": Self.filter(conversation),
    ])
    return Dictionary(
      documents.compactMap { document in
        guard let fields = document["fields"] as? [String: [String: Any]],
          let reader = fields["reader"]?["stringValue"] as? String,
          let message = fields["message"]?["stringValue"] as? String
        else { return nil }
        return (UserID(rawValue: reader), MessageID(rawValue: message))
      }
    ) { first, _ in first }
  }

  private static func filter(_ conversation: ConversationID) -> [String: Any] {
    [
      "fieldFilter": [
        "field": ["fieldPath": "conversation"], "op": "EQUAL",
        "value": ["stringValue": conversation.rawValue],
      ]
    ]
  }
}

/// A message's document in Firestore's REST form.
private struct FirestoreRecord {
  /// Comparable as a text: the time, and the number within the commit.
  var place: String
  var record: TransportConformance.Record

  init?(_ document: [String: Any]) {
    guard let name = document["name"] as? String, let id = name.split(separator: "/").last,
      let fields = document["fields"] as? [String: [String: Any]],
      let sender = fields["sender"]?["stringValue"] as? String,
      let text = fields["text"]?["stringValue"] as? String,
      let sentAt = fields["sentAt"]?["timestampValue"] as? String
    else { return nil }
    let number = Int(fields["n"]?["integerValue"] as? String ?? "0") ?? 0
    // 2026-11-26T02:00:00.25Z: the fraction has as many digits as it needs.
    let parts = sentAt.dropLast().split(separator: ".")
    let fraction = (parts.count > 1 ? String(parts[1]) : "").padding(toLength: 9, withPad: "0", startingAt: 0)
    place = "\(parts[0]).\(fraction) " + String(format: "%04d", number) + " \(id)"
    let reactions =
      (fields["reactions"]?["mapValue"] as? [String: Any])?["fields"] as? [String: [String: Any]]
    record = TransportConformance.Record(
      id: MessageID(rawValue: String(id)), sender: UserID(rawValue: sender), text: text,
      isDeleted: fields["deletedAt"] != nil,
      reactions: (reactions ?? [:]).sorted { $0.key < $1.key }.flatMap { reader, list in
        ((list["arrayValue"] as? [String: Any])?["values"] as? [[String: Any]] ?? []).compactMap {
          ($0["stringValue"] as? String).map { IncomingMessage.Reaction($0, from: UserID(rawValue: reader)) }
        }
      })
  }
}
