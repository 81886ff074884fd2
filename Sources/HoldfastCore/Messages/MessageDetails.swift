/// Marks of a message that the engine keeps for the app without interpreting them (rule H1). They come with an import
/// alone: a message that was sent, recorded or received from a transport has none of them.
public struct MessageDetails: Sendable, Codable, Hashable {
  /// The accounts that had read the message when it was exported. Later readers are not added.
  public var readBy: [UserID]
  /// The status that the message had in the app that it was imported from. Nil when it had none.
  public var importedStatus: String?

  /// Details with these values, for previews and tests.
  public init(readBy: [UserID], importedStatus: String? = nil) {
    self.readBy = readBy
    self.importedStatus = importedStatus
  }

}
