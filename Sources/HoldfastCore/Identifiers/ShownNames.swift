/// The names of accounts and conversations on one user's screen.
package struct ShownNames: Sendable {
  package let user: UserID
  private let displayName: @Sendable (UserID) -> String?

  package init(for user: UserID, displayName: @escaping @Sendable (UserID) -> String? = { _ in nil }) {
    (self.user, self.displayName) = (user, displayName)
  }

  /// The name that the app knows, or else the name of the assistant, or else the ID.
  package func name(of id: UserID) -> String {
    if let name = displayName(id), !name.isBlank { return name }
    return id.assistantName ?? id.rawValue
  }

  /// The name of a conversation: its title, or else the other members.
  package func title(_ title: String?, members: @autoclosure () -> [UserID]) -> String {
    if let title, !title.isEmpty { return title }
    return members().filter { $0 != user }.map(name).joined(separator: ", ")
  }
}
