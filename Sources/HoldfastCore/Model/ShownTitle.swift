extension UserID {
  /// What a conversation is called on this user's screen: by its title, or else by the others in it.
  package func shownTitle(_ title: String?, members: @autoclosure () -> [UserID]) -> String {
    if let title, !title.isEmpty { return title }
    return members().filter { $0 != self }.map(\.rawValue).joined(separator: ", ")
  }
}
