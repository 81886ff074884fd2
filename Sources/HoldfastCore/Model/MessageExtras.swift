/// References and marks of a message that the engine keeps for the app without interpreting them (SPEC H1).
public struct MessageExtras: Sendable, Codable, Hashable {
  /// References to pictures, as written in `history.json`.
  public var images: [String]
  /// The videos, as their backend or their former app described them.
  public var videos: [String]
  /// The accounts that have read the message.
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
