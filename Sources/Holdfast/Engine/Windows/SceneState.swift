import Foundation
import HoldfastCore
import HoldfastStore

/// Where the user of one window is (SPEC R1): what is selected, how far they have navigated, which sheet is open, and how
/// far each list is scrolled. Routes and sheets are the app's own types.
///
/// ```swift
/// enum Route: Codable, Hashable { case conversation(ConversationID), members }
/// enum Sheet: Codable, Hashable { case settings, info(MessageID) }
/// var state = SceneState<Route, Sheet>()
/// state.conversation = "alice-bob"
/// state.path = [.members]
/// ```
///
/// Put IDs into routes and sheets, and no contents: what is behind an ID may be another by the next launch, or be gone.
public struct SceneState<Route: Codable & Hashable & Sendable, Sheet: Codable & Hashable & Sendable>: Codable,
  Hashable, Sendable
{
  /// The selected project, by the app's own ID. Nil: none.
  public var project: String?
  /// The selected conversation. Nil: none, the list is shown.
  public var conversation: ConversationID?
  /// The navigation path, from the root.
  public var path: [Route]
  /// The sheet that covers the window. Nil: none.
  public var sheet: Sheet?
  /// Which columns of a split view are visible.
  public var columns: ColumnVisibility
  /// How far each list is scrolled.
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

  /// What is not there is what a new window has: so that a field can be added without a migration.
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

  /// The same place, said in other types: for a ``SceneMigration``. The path ends before the first route that is none any
  /// more, and a sheet that is none any more is dropped.
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

/// Which columns of a split view are visible, as SwiftUI's `NavigationSplitViewVisibility` names them.
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
