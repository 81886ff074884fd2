import ArgumentParser
import Holdfast

// An ID on the command line must be valid for the engine: 1 to 255 bytes without control characters.

extension UserID: ExpressibleByArgument {
  public init?(argument: String) {
    self.init(rawValue: argument)
    guard isWellFormed else { return nil }
  }
}

extension ConversationID: ExpressibleByArgument {
  public init?(argument: String) {
    self.init(rawValue: argument)
    guard isWellFormed else { return nil }
  }
}
