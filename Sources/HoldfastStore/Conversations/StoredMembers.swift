import Foundation
import HoldfastCore

/// Lists of IDs in the form that SQLite's JSON functions read. The members of a conversation are stored in this
/// form.
enum StoredMembers {
  static func encode(_ members: [UserID]) -> String {
    let names = members.map(\.rawValue)
    // Nearly all IDs need no escaping. Setting up an encoder takes longer than storing the message that brought
    // the members.
    if names.allSatisfy({
      $0.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }) {
      return "[" + names.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }
    // An array of strings always encodes.
    return String(decoding: (try? JSONEncoder().encode(names)) ?? Data("[]".utf8), as: UTF8.self)
  }

  static func decode(_ json: String) -> [UserID] {
    let names = (try? JSONDecoder().decode([String].self, from: Data(json.utf8))) ?? []
    return names.map(UserID.init(rawValue:))
  }

  static func encode(_ keys: [ConversationKey]) -> String {
    encode(keys.map { UserID(rawValue: $0.rawValue) })
  }
}
