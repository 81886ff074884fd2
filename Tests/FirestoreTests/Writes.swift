#if Firestore
  import BackendServers
  import Foundation
  import Holdfast

  extension FirestoreEmulator {
    /// The messages that name an account, by the server's own record.
    func messageIDs(naming account: String) async throws -> [String] {
      let messages = try await query([
        "from": [["collectionId": "messages"]],
        "where": [
          "fieldFilter": [
            "field": ["fieldPath": "members"], "op": "ARRAY_CONTAINS", "value": ["stringValue": account],
          ]
        ],
      ])
      return messages.map(\.id).sorted()
    }
  }

  /// Writes in Firestore's REST form, as a client of anybody's making could send them.
  struct Writes: Sendable {
    let emulator: FirestoreEmulator

    /// Creates or changes a document.
    ///
    /// - Parameters:
    ///   - mask: the fields that change. Nil for the whole document.
    ///   - times: the fields that are set to the time of the request.
    func write(
      _ collection: String, _ id: String, _ fields: [String: Value], mask: [String]? = nil,
      times: [String] = [],
      adds: (field: String, value: String)? = nil, removes: (field: String, value: String)? = nil
    ) -> Data {
      var write: [String: Any] = [
        "update": ["name": emulator.name(collection, id), "fields": fields.mapValues(\.json)]
      ]
      if let mask { write["updateMask"] = ["fieldPaths": mask] }
      var transforms: [[String: Any]] = times.map { ["fieldPath": $0, "setToServerValue": "REQUEST_TIME"] }
      if let adds {
        transforms.append([
          "fieldPath": adds.field, "appendMissingElements": ["values": [Value.text(adds.value).json]],
        ])
      }
      if let removes {
        transforms.append([
          "fieldPath": removes.field, "removeAllFromArray": ["values": [Value.text(removes.value).json]],
        ])
      }
      if !transforms.isEmpty { write["updateTransforms"] = transforms }
      return Self.data(write)
    }

    func removal(_ collection: String, _ id: String) -> Data {
      Self.data(["delete": emulator.name(collection, id)])
    }

    func conversation(_ id: String, _ members: [String], title: String? = nil) -> Data {
      var fields: [String: Value] = ["members": .texts(members)]
      if let title { fields["title"] = .text(title) }
      return write("conversations", id, fields, times: ["createdAt", "changedAt"])
    }

    func message(
      _ id: String, in conversation: String, from sender: String, to members: [String],
      _ text: String = "hello",
      with more: [String: Value] = [:], times: [String] = ["sentAt", "changedAt"]
    ) -> Data {
      let fields: [String: Value] = [
        "conversation": .text(conversation), "members": .texts(members), "sender": .text(sender),
        "role": .text("user"),
        "text": .text(text), "n": .number(0),
      ]
      return write("messages", id, fields.merging(more) { $1 }, times: times)
    }

    /// Gives a conversation other members, as an app's administration does.
    func members(_ id: String, _ members: [String]) -> Data {
      write("conversations", id, ["members": .texts(members)], mask: ["members"], times: ["changedAt"])
    }

    /// A message with all that it can have, each as large as it may be.
    func largest(_ id: String, in conversation: String, from sender: String, to members: [String]) -> Data {
      let references = (0..<32).map { "\($0)".padding(toLength: 2_048, withPad: "x", startingAt: 0) }
      return message(
        id, in: conversation, from: sender, to: members, String(repeating: "👍", count: 25_000),
        with: [
          "formatting": .data(Data(count: 100_000)), "metadata": .data(Data(count: 65_536)),
          "reasoning": .text(String(repeating: "é", count: 50_000)),
          "replyTo": .text(String(repeating: "a", count: 255)),
          "request": .text(String(repeating: "é", count: 127) + "a"), "n": .number(127),
          "images": .texts(references), "videos": .texts(references.map { "\n" + $0.dropLast() }),
        ])
    }

    func edit(_ id: String, _ text: String, times: [String] = ["editedAt", "changedAt"]) -> Data {
      write("messages", id, ["text": .text(text)], mask: ["text", "formatting"], times: times)
    }

    func deletion(_ id: String) -> Data {
      write(
        "messages", id, ["text": .text("")], mask: ["text", "reactions"], times: ["deletedAt", "changedAt"])
    }

    /// Sets a member's reactions, past the transform with which the transport adds one.
    func reactions(_ id: String, of sender: String, _ value: Value, members: [String]? = nil) -> Data {
      var (fields, mask) = (["reactions": Value.map([sender: value])], ["reactions.\(sender)"])
      if let members {
        fields["members"] = .texts(members)
        mask.append("members")
      }
      return write("messages", id, fields, mask: mask, times: ["changedAt"])
    }

    func reaction(_ id: String, from sender: String, _ value: String = "👍") -> Data {
      write("messages", id, [:], mask: [], times: ["changedAt"], adds: ("reactions.\(sender)", value))
    }

    func mark(
      _ conversation: String, _ reader: String, _ order: Int, to members: [String], id: String? = nil,
      with more: [String: Value] = [:]
    ) -> Data {
      let fields: [String: Value] = [
        "conversation": .text(conversation), "reader": .text(reader), "message": .text("m1"),
        "order": .number(order), "members": .texts(members),
      ]
      return write(
        "readMarks", id ?? "\(conversation)~\(reader)", fields.merging(more) { $1 }, times: ["changedAt"])
    }

    private static func data(_ write: [String: Any]) -> Data {
      (try? JSONSerialization.data(withJSONObject: write)) ?? Data()
    }

    indirect enum Value: Sendable {
      case text(String), number(Int), fraction(Double), flag(Bool), data(Data), time(String), null
      case list([Value]), map([String: Value])

      static func texts(_ texts: [String]) -> Value { .list(texts.map(Value.text)) }

      fileprivate var json: [String: Any] {
        switch self {
        case .text(let text): ["stringValue": text]
        case .number(let number): ["integerValue": String(number)]
        case .fraction(let number): ["doubleValue": number]
        case .flag(let flag): ["booleanValue": flag]
        case .data(let data): ["bytesValue": data.base64EncodedString()]
        case .null: ["nullValue": NSNull()]
        case .list(let values): ["arrayValue": ["values": values.map(\.json)]]
        case .map(let fields): ["mapValue": ["fields": fields.mapValues(\.json)]]
        case .time(let time): ["timestampValue": time]
        }
      }
    }
  }
#endif
