/// References and marks of a message that the engine keeps for the app and gives no meaning to (SPEC H1).
public struct MessageExtras: Sendable, Codable, Hashable {
  /// References to pictures, as `history.json` has them.
  public var images: [String]
  public var videos: [String]
  public var readBy: [UserID]
  /// The status that it had where it was imported from. Nil: none.
  public var importedStatus: String?

  public init(images: [String], videos: [String], readBy: [UserID], importedStatus: String? = nil) {
    self.images = images
    self.videos = videos
    self.readBy = readBy
    self.importedStatus = importedStatus
  }

}
