import Foundation
import Holdfast

/// Every kind of act that is sent to the server.
enum ConformanceOperation: CaseIterable, Sendable {
  case message, edit, deletion, reaction, reactionTakenBack, readMark, file

  var name: String {
    switch self {
    case .message: "a message"
    case .edit: "an edit"
    case .deletion: "a deletion"
    case .reaction: "a reaction"
    case .reactionTakenBack: "a reaction's removal"
    case .readMark: "a read mark"
    case .file: "a file"
    }
  }

  var needs: [TransportConformance.Case.Need] {
    switch self {
    case .message: []
    case .edit: [.operation(.edit)]
    case .deletion: [.operation(.delete)]
    case .reaction: [.operation(.react)]
    case .reactionTakenBack: [.operation(.react), .operation(.unreact)]
    case .readMark: [.server, .readMarks]
    case .file: [.attachments]
    }
  }

  var crossing: FaultyTransport.Crossing {
    switch self {
    case .message: .message
    case .edit: .operation(.edit)
    case .deletion: .operation(.delete)
    case .reaction: .operation(.react)
    case .reactionTakenBack: .operation(.unreact)
    case .readMark: .readMark
    case .file: .upload
    }
  }

  /// Two phones with one message between them, the subject of ``carryOut(in:)``.
  struct Scene: Sendable {
    var alice: ConformancePhone
    var bob: ConformancePhone?
    var chat: ConversationID
    var target: MessageID
  }

  func prepare(on stage: ConformanceStage) async throws -> Scene {
    let (alice, bob, chat) = try await stage.pair()
    var target = try alice.say(in: chat)
    if self == .reactionTakenBack { try alice.react("👍", to: target) }
    try await stage.delivered(on: alice)
    try await stage.sees(target, in: chat, bob)
    if self == .readMark, let bob {
      target = try bob.say(in: stage.present(chat), noted: chat)
      try await stage.sees(target, in: chat, alice)
    }
    return Scene(alice: alice, bob: bob, chat: chat, target: target)
  }

  func carryOut(in scene: Scene) throws {
    let (alice, chat, target) = (scene.alice, scene.chat, scene.target)
    switch self {
    case .message: try alice.say(times: 3, in: chat)
    case .edit: try alice.edit(target)
    case .deletion: try alice.delete(target)
    case .reaction: try alice.react("🎉", to: target)
    case .reactionTakenBack: try alice.unreact("👍", to: target)
    case .readMark: try alice.read(upTo: target, in: chat)
    case .file: try alice.sendFile(ConformanceFile.large, in: chat)
    }
  }
}
