import Foundation
import HoldfastCore
import HoldfastStore

extension ComposerModel {
  /// Adds a file to the composer's content. The file is copied off the main actor. When the call returns, the file
  /// belongs to the draft and is on disk, together with the typed text. If it cannot be added, `snapshot.problem` says
  /// why.
  ///
  /// ```swift
  /// .fileImporter(isPresented: $picks, allowedContentTypes: [.item]) { result in
  ///   if let url = try? result.get() { await composer.attach(url) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: the file's name for others. Nil for its name on disk.
  ///   - mediaType: a type such as `image/png`. Nil to guess it from the name.
  @discardableResult
  public func attach(_ file: URL, name: String? = nil, mediaType: String? = nil) async -> ChatAttachment? {
    await copied { try $0.attach(file, name: name, mediaType: mediaType, to: $1) }
  }

  /// Adds bytes to the composer's content, as a file is added: a picture from the clipboard, or from the camera.
  @discardableResult
  public func attach(_ data: Data, name: String, mediaType: String? = nil) async -> ChatAttachment? {
    await copied { try $0.attach(data, name: name, mediaType: mediaType, to: $1) }
  }

  /// Removes a file from the composer's content. If it cannot be removed, `snapshot.problem` says why.
  public func removeAttachment(_ id: ChatAttachment.ID) {
    // An error becomes the draft's problem, and is shown.
    try? client.drafts.detach(DraftKey(conversation: session.conversation), id)
    refresh()
  }

  /// Returns nil during an edit, which changes the text only.
  private func copied(
    _ attach: @Sendable (ChatClient, ConversationID) throws -> ChatAttachment
  ) async -> ChatAttachment? {
    guard attempt({ () throws(ChatError) in try session.requireNoEdit() }) else { return nil }
    let attachment = await Self.copied(client, session.conversation, attach)
    refresh()
    return attachment
  }

  /// Copies off the main actor, so that a large file does not stop the screen.
  @concurrent private nonisolated static func copied(
    _ client: ChatClient, _ conversation: ConversationID,
    _ attach: @Sendable (ChatClient, ConversationID) throws -> ChatAttachment
  ) async -> ChatAttachment? { try? attach(client, conversation) }
}
