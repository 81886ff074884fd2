import Foundation
import HoldfastCore
import HoldfastStore

extension ComposerModel {
  /// Adds a file to what the composer holds. It is copied beside the main actor, and belongs to the draft once this
  /// returns: on disk, with what was typed. When it cannot be added, `snapshot.problem` says why.
  ///
  /// ```swift
  /// .fileImporter(isPresented: $picks, allowedContentTypes: [.item]) { result in
  ///   if let url = try? result.get() { await composer.attach(url) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: what it is called for others. Nil: as the file.
  ///   - mediaType: as `image/png`. Nil: guessed from the name.
  @discardableResult
  public func attach(_ file: URL, name: String? = nil, mediaType: String? = nil) async -> ChatAttachment? {
    await copied { try $0.attach(file, name: name, mediaType: mediaType, to: $1) }
  }

  /// The same, for bytes: a picture from the clipboard, or from the camera.
  @discardableResult
  public func attach(_ data: Data, name: String, mediaType: String? = nil) async -> ChatAttachment? {
    await copied { try $0.attach(data, name: name, mediaType: mediaType, to: $1) }
  }

  /// Takes a file out again. When it cannot be, `snapshot.problem` says why.
  public func removeAttachment(_ id: ChatAttachment.ID) {
    // What fails is the draft's problem, and shown.
    try? client.drafts.detach(DraftKey(conversation: conversation), id)
    refresh()
  }

  /// Nil in an edit, which changes the text only.
  private func copied(
    _ attach: @Sendable (ChatClient, ConversationID) throws -> ChatAttachment
  ) async -> ChatAttachment? {
    guard editing == nil else {
      attempt { () throws(ChatError) in
        throw ChatError(
          .editInProgress, "An edit changes the text only. Finish or cancel it, then add the file.")
      }
      return nil
    }
    let attachment = await Self.copied(client, conversation, attach)
    refresh()
    return attachment
  }

  /// Copies off the main actor, so that a large file does not stop the screen.
  @concurrent private nonisolated static func copied(
    _ client: ChatClient, _ conversation: ConversationID,
    _ attach: @Sendable (ChatClient, ConversationID) throws -> ChatAttachment
  ) async -> ChatAttachment? { try? attach(client, conversation) }
}
