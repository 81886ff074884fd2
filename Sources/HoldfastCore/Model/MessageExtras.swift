/// References and marks of a message that the engine keeps for the app without interpreting them (SPEC H1). They come
/// with an import alone: a message that was sent, recorded or received from a transport has none of them.
public struct MessageExtras: Sendable, Codable, Hashable {
  /// References to pictures, as the imported `history.json` has them.
  public var images: [String]
  /// References to videos, as the imported `history.json` has them.
  public var videos: [String]
  /// The accounts that had read the message when it was exported. Later readers are not added.
  public var readBy: [UserID]
  /// The status that the message had in the app that it was imported from. Nil when it had none.
  public var importedStatus: String?

  /// Extras with these values, for previews and tests.
  public init(images: [String], videos: [String], readBy: [UserID], importedStatus: String? = nil) {
    self.images = images
    self.videos = videos
    self.readBy = readBy
    self.importedStatus = importedStatus
  }

}
