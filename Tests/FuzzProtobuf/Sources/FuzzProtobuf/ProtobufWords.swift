import Foundation
import HoldfastCore
import HoldfastTransport
import SwiftProtobuf

/// Firestore's responses: those of a stream, each after two bytes with its length, or one document.
enum ProtobufWords {
  static func read(_ bytes: [UInt8]) {
    readPlace(bytes)
    if let document = try? FSDocument(serializedBytes: bytes) { check(document) }
    var listening = FirestoreListening(after: nil)
    for answer in answers(bytes[...]) {
      // The stream ends at an invalid response, as the client ends it.
      guard let response = try? FSListenResponse(serializedBytes: Array(answer)),
        let steps = try? listening.apply(response)
      else { return }
      for case .event(.items(let items, let cursor)) in steps {
        Held.check(items)
        precondition(cursor == nil || FirestorePlace(cursor) == listening.place, "a place does not come back")
      }
    }
    _ = listening.place.resumed(takesTokens: true)
  }

  private static func answers(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var (rest, answers) = (bytes, [ArraySlice<UInt8>]())
    while rest.count > 2 {
      let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
      answers.append(rest.dropFirst(2).prefix(length))
      rest = rest.dropFirst(2 + length)
    }
    return answers
  }

  private static func check(_ document: FSDocument) {
    if let message = MessageDocument.message(document) { Held.check(message) }
    _ = ReadMarkDocument.mark(document)
    _ = ConversationDocument(document)?.item
  }

  private static func readPlace(_ bytes: [UInt8]) {
    guard let place = FirestorePlace(SyncCursor(rawValue: String(decoding: bytes, as: UTF8.self))) else {
      return
    }
    precondition(FirestorePlace(place.cursor) == place, "a place does not come back")
    for takesTokens in [true, false] { _ = place.resumed(takesTokens: takesTokens) }
  }
}
