import Foundation
import HoldfastCore
import HoldfastStore

/// The navigation state of one window (rule R1): the selection, the navigation path, the open sheet, and the scroll
/// position of each list. Routes and sheets are the app's own types.
///
/// ```swift
/// enum Route: Codable, Hashable { case conversation(ConversationID), members }
/// enum Sheet: Codable, Hashable { case settings, info(MessageID) }
/// var state = SceneState<Route, Sheet>()
/// state.conversation = "chat-9f3b27c1"
/// state.path = [.members]
/// ```
///
/// Routes and sheets should contain IDs, and no contents. The contents behind an ID may have changed by the next
/// launch, or be gone.
public struct SceneState<Route: Codable & Hashable & Sendable, Sheet: Codable & Hashable & Sendable>: Codable,
  Hashable, Sendable
{
  /// The selected project, by the app's own ID. Nil when none is selected.
  public var project: String?
  /// The selected conversation. Nil when none is selected, and the list is shown.
  public var conversation: ConversationID?
  /// The navigation path, from the root.
  public var path: [Route]
  /// The sheet that covers the window. Nil when no sheet is open.
  public var sheet: Sheet?
  /// The visible columns of a split view.
  public var columns: ColumnVisibility
  /// The scroll position of each list.
  public var scroll: ScrollPositions

  /// A state with these values. By default the state of a new window.
  public init(
    project: String? = nil, conversation: ConversationID? = nil, path: [Route] = [], sheet: Sheet? = nil,
    columns: ColumnVisibility = .automatic, scroll: ScrollPositions = ScrollPositions()
  ) {
    self.project = project
    self.conversation = conversation
    self.path = path
    self.sheet = sheet
    self.columns = columns
    self.scroll = scroll
  }

  /// Decodes a state. A missing field gets the value of a new window, so that a field can be added without a migration.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      project: try fields.decodeIfPresent(String.self, forKey: .project),
      conversation: try fields.decodeIfPresent(ConversationID.self, forKey: .conversation),
      path: try fields.decodeIfPresent([Route].self, forKey: .path) ?? [],
      sheet: try fields.decodeIfPresent(Sheet.self, forKey: .sheet),
      columns: try fields.decodeIfPresent(ColumnVisibility.self, forKey: .columns) ?? .automatic,
      scroll: try fields.decodeIfPresent(ScrollPositions.self, forKey: .scroll) ?? ScrollPositions())
  }

  /// Returns the same state with other types, for a ``SceneMigration``. The path ends before the first route for which
  /// `route` returns nil. The sheet is dropped when `sheet` returns nil.
  ///
  /// ```swift
  /// old.map(route: { Route($0) }, sheet: { Sheet($0) })
  /// ```
  public func map<NewRoute, NewSheet>(
    route: (Route) throws -> NewRoute?, sheet: (Sheet) throws -> NewSheet?
  ) rethrows -> SceneState<NewRoute, NewSheet> {
    var path: [NewRoute] = []
    for old in self.path {
      guard let new = try route(old) else { break }
      path.append(new)
    }
    return SceneState<NewRoute, NewSheet>(
      project: project, conversation: conversation, path: path, sheet: try self.sheet.flatMap(sheet),
      columns: columns, scroll: scroll)
  }
}

/// The visible columns of a split view, named as in SwiftUI's `NavigationSplitViewVisibility`.
public enum ColumnVisibility: String, Sendable, Codable, Hashable {
  /// The system decides.
  case automatic
  /// All columns are visible.
  case all
  /// The content column and the detail column are visible.
  case doubleColumn
  /// The detail column alone is visible.
  case detailOnly
}
