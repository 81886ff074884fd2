import HoldfastCore
import HoldfastStore
import Observation

/// What a window tells its user about the place that it was to restore.
public enum SceneNotice: String, Sendable, Codable, Hashable {
  /// The conversation that was open has been deleted meanwhile: the list is shown (SPEC R5).
  case conversationNotFound

  /// In English: "Conversation not found".
  public var text: String {
    switch self {
    case .conversationNotFound: ShownTexts.conversationNotFound
    }
  }
}

/// One window's place for its view: restored when it is made, and stored by itself (SPEC R1).
///
/// ```swift
/// @State private var scene: SceneModel<Route, Sheet>
/// …
/// NavigationStack(path: $scene.state.path) { … }
///   .sheet(item: $scene.state.sheet) { … }
///   .task { await scene.run() }
///   .task {
///     await projects.load()                                  // the second step of a restore
///     scene.resolve(project: projects.contains, sheet: { $0 })
///   }
/// ```
///
/// A change is stored 700 ms after the last one, every 10 s while they go on, and by ``ChatClient/hardSave()`` at once.
/// After a crash the place is the one that was stored last.
@MainActor @Observable
public final class SceneModel<Route: Codable & Hashable & Sendable, Sheet: Codable & Hashable & Sendable> {
  public let id: SceneID
  /// Where the window is. Change any part of it: to select a conversation costs a read of one row, and all
  /// else no access to the disk.
  ///
  /// The sheet that was open at the end of the last launch is not in it before ``resolve(project:route:sheet:)``.
  public var state: SceneState<Route, Sheet> { didSet { changed(from: oldValue) } }
  /// What is to be said about the place. Nil: nothing, or it was dismissed.
  public private(set) var notice: SceneNotice?
  /// Why the place could not be read or stored. Nil: it was. The window works all the same.
  public private(set) var problem: ChatError?

  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private var opening: Int
  /// The sheet that waits for the app's models (SPEC R4).
  @ObservationIgnored private var pendingSheet: Sheet?
  /// The open conversation, once it was seen in the store: one that the app is about to make is not gone.
  @ObservationIgnored private var known: ConversationID?
  /// The open conversation's first frame, until it is asked for.
  @ObservationIgnored private var first: (timeline: ConversationSnapshot, window: TimelineWindow)?
  @ObservationIgnored private var openingProblem: ChatError?
  @ObservationIgnored private var isFollowing = false

  /// Restores the window's place, as it was when it was stored last. One read gives it together with the drafts and the
  /// rows of ``openedConversation()``; nothing is awaited.
  ///
  /// - Parameters:
  ///   - id: the same at each launch.
  ///   - version: of the app's routes and sheets. Goes up when they change so that what is stored cannot be read by them.
  ///   - migrations: one from each earlier version. What cannot be migrated or read is cleared, logged without contents
  ///     and told by ``problem``; so is what was stored by a newer version of the app.
  public init(_ client: ChatClient, _ id: SceneID, version: Int = 1, migrations: [SceneMigration] = []) {
    let opened: OpenedScene<Route, Sheet> = client.openScene(id, version: version, migrations: migrations)
    self.client = client
    self.id = id
    var state = opened.state
    (pendingSheet, state.sheet) = (state.sheet, nil)
    self.state = state
    opening = opened.opening
    notice = opened.notice
    openingProblem = opened.problem
    problem = opened.problem
    known = state.conversation
    first = opened.timeline.map { ($0, opened.window) }
  }

  /// The models of the open conversation: its timeline, around the line where its reader was, and its composer with the
  /// draft. Nil: none is open.
  ///
  /// ```swift
  /// if let (timeline, composer) = scene.openedConversation() { … }
  /// ```
  ///
  /// The first time after a launch it costs no access to the disk: all of it was read with the place, from one instant.
  public func openedConversation() -> (timeline: ConversationModel, composer: ComposerModel)? {
    guard let conversation = state.conversation else { return nil }
    defer { first = nil }
    let composer = ComposerModel(client, conversation)
    if let first, first.timeline.id == conversation {
      return (ConversationModel(client, first.timeline, first.window), composer)
    }
    let anchor = state.scroll[timeline: conversation]?.message
    return (ConversationModel(client, conversation, around: anchor), composer)
  }

  /// The second step of a restore, once the app's models are loaded (SPEC R4): what is not there any more is dropped
  /// quietly. Call it again when projects have gone.
  ///
  /// - Parameters:
  ///   - project: whether the project is there. The selection of one that is gone is cleared, with all in it (SPEC R5).
  ///   - route: the route as it is now. Nil: there is no such place, and the path ends before it.
  ///   - sheet: the sheet as it is now. Nil: it is not opened again.
  public func resolve(
    project: (String) -> Bool = { _ in true }, route: (Route) -> Route? = { $0 },
    sheet: (Sheet) -> Sheet?
  ) {
    var resolved = state
    resolved.sheet = state.sheet ?? pendingSheet
    if let selected = resolved.project, !project(selected) {
      resolved.leaveConversation()
      resolved.project = nil
    }
    resolved = resolved.map(route: route, sheet: sheet)
    pendingSheet = nil
    state = resolved
    // The sheet that waited is in what is stored until now.
    report(state)
  }

  /// Opens the place that a link or an activity of another device names (SPEC R7). A conversation that is not there gives
  /// the notice that it was not found, and the list; nothing is made.
  public func open(_ activity: SceneActivity) {
    var place = state
    (place.project, place.conversation, place.path, place.sheet) = (
      activity.project, activity.conversation, [], nil
    )
    state = place
    // Nobody is about to make it: what is not there is gone.
    known = activity.conversation
    follow()
  }

  /// The user has read what ``notice`` and ``problem`` say.
  public func dismissNotice() {
    (notice, openingProblem) = (nil, nil)
    problem = client.scenes.problem(of: id)
  }

  /// Follows the store until the task is cancelled: a conversation that is deleted or gets another ID while it is open,
  /// and places that are cleared. Each change of the list of conversations costs a read of one row.
  public func run() async {
    let signal = Signal()
    let subscription = client.store.changes.subscribe(signal) { $0.list || $0.scenes }
    defer { client.store.changes.unsubscribe(subscription) }
    while !Task.isCancelled {
      follow()
      await signal.wait()
    }
  }

  private func follow() {
    report(state)
    let saving = client.scenes.problem(of: id)
    if problem != saving ?? openingProblem { problem = saving ?? openingProblem }
    guard let conversation = state.conversation else { return }
    let present: ConversationID?
    do throws(ChatError) {
      present = try self.present()
    } catch {
      // What is shown stays; the next commit reads again.
      return
    }
    if let present {
      known = present
      if present != conversation { rename(conversation, to: present) }
    } else if known == conversation {
      known = nil
      state.leaveConversation()
      notice = .conversationNotFound
    }
  }

  /// The open conversation as it is in the store now. Nil: it is not there, or none is open.
  private func present() throws(ChatError) -> ConversationID? {
    guard let conversation = state.conversation else { return nil }
    return try client.store.read { try $0.presentConversation(conversation) }
  }

  private func rename(_ old: ConversationID, to new: ConversationID) {
    var place = state
    place.conversation = new
    place.scroll[timeline: new] = state.scroll[timeline: old]
    place.scroll[timeline: old] = nil
    // It is the same place: a sheet that waits goes on waiting.
    let waiting = pendingSheet
    isFollowing = true
    state = place
    isFollowing = false
    pendingSheet = waiting
    report(place)
  }

  private func changed(from before: SceneState<Route, Sheet>) {
    guard !isFollowing, state != before else { return }
    // Whoever went on meanwhile is not interrupted by a sheet of the place before.
    let hasMoved =
      state.project != before.project || state.conversation != before.conversation
      || state.path != before.path
    if hasMoved || state.sheet != nil { pendingSheet = nil }
    if state.conversation != before.conversation { known = try? present() }
    report(state)
  }

  /// What is stored has the sheet that waits: an end between the two steps of a restore does not lose it.
  private func report(_ state: SceneState<Route, Sheet>) {
    var place = state
    place.sheet = state.sheet ?? pendingSheet
    guard
      case .cleared(let content, let opening) = client.scenes.change(
        id, to: SceneContent(place), opening: opening)
    else { return }
    self.opening = opening
    (pendingSheet, notice, first, openingProblem) = (nil, nil, nil, nil)
    isFollowing = true
    self.state = content.state() ?? SceneState()
    isFollowing = false
  }
}
