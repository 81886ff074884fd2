extension UserID {
  /// The name of a conversation on this user's screen: its title, or else the other members.
  package func shownTitle(_ title: String?, members: @autoclosure () -> [UserID]) -> String {
    if let title, !title.isEmpty { return title }
    return members().filter { $0 != self }.map(\.rawValue).joined(separator: ", ")
  }
}
