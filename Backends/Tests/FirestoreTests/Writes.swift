#if Firestore
  import BackendServers
  import Foundation
  import Holdfast

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

    func edit(_ id: String, _ text: String, times: [String] = ["editedAt", "changedAt"]) -> Data {
      write("messages", id, ["text": .text(text)], mask: ["text", "formatting"], times: times)
    }

    func deletion(_ id: String) -> Data {
      write(
        "messages", id, ["text": .text("")], mask: ["text", "reactions"], times: ["deletedAt", "changedAt"])
    }

    func reaction(_ id: String, from sender: String, _ value: String = "👍") -> Data {
      write("messages", id, [:], mask: [], times: ["changedAt"], adds: ("reactions.\(sender)", value))
    }

    func mark(
      _ conversation: String, _ reader: String, _ order: Int, to members: [String], id: String? = nil
    ) -> Data {
      write(
        "readMarks", id ?? "\(conversation)~\(reader)",
        [
          "conversation": .text(conversation), "reader": .text(reader), "message": .text("m1"),
          "order": .number(order), "members": .texts(members),
        ], times: ["changedAt"])
    }

    private static func data(_ write: [String: Any]) -> Data {
      (try? JSONSerialization.data(withJSONObject: write)) ?? Data()
    }

    enum Value: Sendable {
      case text(String), number(Int), texts([String]), time(String)

      fileprivate var json: [String: Any] {
        switch self {
        case .text(let text): ["stringValue": text]
        case .number(let number): ["integerValue": String(number)]
        case .texts(let texts): ["arrayValue": ["values": texts.map { ["stringValue": $0] }]]
        case .time(let time): ["timestampValue": time]
        }
      }
    }
  }
#endif
