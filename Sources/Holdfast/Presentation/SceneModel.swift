import HoldfastCore
import HoldfastStore
import Observation

/// The navigation state of one window, for its view. The model restores the state when it is made, and stores it
/// automatically (rule R1).
///
/// ```swift
/// enum Sheet: Codable, Hashable, Identifiable {
///   case settings, info(MessageID)
///   var id: Self { self }
/// }
///
/// struct SceneView: View {
///   @State private var scene: SceneModel<Route, Sheet>
///   …
///   var body: some View {
///     NavigationStack(path: $scene.state.path) {
///       …
///     }
///     .sheet(item: $scene.state.sheet) { sheet in SheetView(sheet: sheet) }
///     .task { await scene.run() }
///     .task {
///       await projects.load()  // the second step of a restore
///       scene.resolve(project: projects.contains, sheet: { $0 })
///     }
///   }
/// }
/// ```
///
/// The app's sheets are `Identifiable` for `.sheet(item:)`, which shows another sheet when the ID changes. The sheet
/// that was open at the end comes back with ``resolve(project:route:sheet:)``, and closing it stores that none is
/// open.
///
/// A change is stored 700 ms after the last change, and every 10 s while changes continue. ``ChatClient/hardSave()``
/// stores it at once. After a crash, the window has the state that was stored last.
@MainActor @Observable
public final class SceneModel<Route: Codable & Hashable & Sendable, Sheet: Codable & Hashable & Sendable> {
  public let id: SceneID
  /// The window's navigation state. Any part of it can be changed. Selecting a conversation costs a read of one row.
  /// All other changes cost no access to the disk.
  ///
  /// The sheet that was open at the end of the last launch is not in the state before
  /// ``resolve(project:route:sheet:)``.
  public var state: SceneState<Route, Sheet> { didSet { changed(from: oldValue) } }
  /// The notice to show about the state. Nil when the state was restored whole, and after the user has dismissed the
  /// notice.
  public private(set) var notice: SceneNotice?
  /// The reason why the state could not be read or stored. Nil when there is no problem. The window works in either
  /// case.
  public private(set) var problem: ChatError?

  @ObservationIgnored private let client: ChatClient
  @ObservationIgnored private var opening: Int
  /// The sheet that waits for the app's models (rule R4).
  @ObservationIgnored private var pendingSheet: Sheet?
  /// The open conversation, once it was seen in the store. A conversation that the app is about to make does not count
  /// as deleted.
  @ObservationIgnored private var known: ConversationID?
  /// The open conversation's first frame, until it is asked for.
  @ObservationIgnored private var first: (timeline: ConversationSnapshot, span: TimelineSpan)?
  @ObservationIgnored private var openingProblem: ChatError?
  @ObservationIgnored private var isFollowing = false
  /// Whether the state was read from the store. A store that is suspended, locked or busy is read later.
  @ObservationIgnored private var isRead: Bool
  /// The second step of a restore, for a state that is read after it. Nil once the state was read.
  @ObservationIgnored private var resolveAgain: (() -> Void)?

  /// Restores the window's navigation state as it was stored last. The same read gives the drafts and the rows of
  /// ``openedConversation()``. Nothing is awaited.
  ///
  /// While the client is suspended, or its store is locked or busy, the state cannot be read: ``problem`` says so,
  /// and the window begins empty. The stored state stays as it is. It is read as soon as that works, by
  /// ``ChatClient/run()`` or the next save, and joined with what was done meanwhile (rule R1).
  ///
  /// - Parameters:
  ///   - client: the client whose store keeps the window's state.
  ///   - id: the window's ID, the same at each launch.
  ///   - version: the version of the app's routes and sheets. Raise it when they change in such a way that they cannot
  ///     read a stored state.
  ///   - migrations: one migration from each earlier version. A state that cannot be migrated or read is cleared,
  ///     logged without its contents, and reported by ``problem``. The same happens to a state that a newer version of
  ///     the app stored.
  public init(_ client: ChatClient, _ id: SceneID, version: Int = 1, migrations: [SceneMigration] = []) {
    let opened: OpenedScene<Route, Sheet> = client.reader.openScene(
      id, version: version, migrations: migrations)
    self.client = client
    self.id = id
    var state = opened.state
    (pendingSheet, state.sheet) = (state.sheet, nil)
    self.state = state
    opening = opened.opening
    notice = opened.notice
    openingProblem = opened.problem
    problem = opened.problem
    isRead = opened.isRead
    known = state.conversation
    first = opened.timeline.map { ($0, opened.span) }
  }

  /// Makes the models of the open conversation: its timeline, around the line where the reader was, and its composer
  /// with the draft. Returns nil when no conversation is open.
  ///
  /// ```swift
  /// if let (timeline, composer) = scene.openedConversation() { show(timeline, composer) }
  /// ```
  ///
  /// The first call after a launch costs no access to the disk, because everything was read together with the state.
  public func openedConversation() -> (timeline: ConversationModel, composer: ComposerModel)? {
    guard let conversation = state.conversation else { return nil }
    defer { first = nil }
    let composer = ComposerModel(client, conversation)
    if let first, first.timeline.id == conversation {
      return (ConversationModel(client, first.timeline, first.span), composer)
    }
    let anchor = state.scroll[timeline: conversation]?.message
    return (ConversationModel(client, conversation, around: anchor), composer)
  }

  /// Performs the second step of a restore, once the app's models are loaded (rule R4). Parts of the state that no
  /// longer exist are dropped silently. Call it again when projects have been deleted.
  ///
  /// - Parameters:
  ///   - project: returns whether the project exists. If it does not, its selection is cleared together with the
  ///     conversation, the path and the sheet (rule R5).
  ///   - route: returns the present form of the route. Nil when the route no longer exists: the path then ends before
  ///     it.
  ///   - sheet: returns the present form of the sheet. Nil when it is not to be opened again.
  public func resolve(
    project: @escaping (String) -> Bool = { _ in true }, route: @escaping (Route) -> Route? = { $0 },
    sheet: @escaping (Sheet) -> Sheet?
  ) {
    if !isRead {
      resolveAgain = { [weak self] in self?.resolve(project: project, route: route, sheet: sheet) }
    }
    var resolved = state
    resolved.sheet = state.sheet ?? pendingSheet
    if let selected = resolved.project, !project(selected) {
      resolved.leaveConversation()
      resolved.project = nil
    }
    resolved = resolved.map(route: route, sheet: sheet)
    pendingSheet = nil
    state = resolved
    // The stored state has the waiting sheet until now.
    report(state)
  }

  /// Opens the place that a link or an activity of another device names (rule R7). If the conversation does not exist,
  /// the window shows the list and the notice that it was not found. Nothing is made.
  public func open(_ activity: SceneActivity) {
    var place = state
    (place.project, place.conversation, place.path, place.sheet) = (
      activity.project, activity.conversation, [], nil
    )
    state = place
    // The app is not about to make this conversation. If it does not exist, it was deleted.
    known = activity.conversation
    follow()
  }

  /// Removes ``notice`` and ``problem`` after the user has read them. The problem of a failed save stays.
  public func dismissNotice() {
    (notice, openingProblem) = (nil, nil)
    problem = client.scenes.problem(of: id)?.localized(with: client.configuration.texts)
  }

  /// Follows the store until the task is cancelled. The model follows the open conversation when it is deleted or gets
  /// another ID, and the clearing of all windows. Each change of the list of conversations costs a read of one row.
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
    forgetHiddenTimelines()
    report(state)
    followConversation()
  }

  /// A deleted conversation has no scroll position, in no window (rule H5).
  private func forgetHiddenTimelines() {
    let (deletions, names) = (client.store.deletions.value, client.store.names)
    for timeline in state.scroll.timelines where deletions.isHidden(names.key(of: timeline.conversation)) {
      state.scroll[timeline: timeline.conversation] = nil
    }
  }

  private func followConversation() {
    let saving = client.scenes.problem(of: id)?.localized(with: client.configuration.texts)
    if problem != saving ?? openingProblem { problem = saving ?? openingProblem }
    guard let conversation = state.conversation else { return }
    let present: ConversationID?
    do throws(ChatError) {
      present = try self.present()
    } catch {
      // The shown state stays, with its path and its sheet; the next commit reads again.
      if problem == nil { problem = error.localized(with: client.configuration.texts) }
      return
    }
    if let present {
      known = present
      if present != conversation { rename(conversation, to: present) }
    } else if known == conversation {
      known = nil
      state.leaveConversation()
      notice = SceneNotice(kind: .conversationNotFound).localized(with: client.configuration.texts)
    }
  }

  /// The present ID of the open conversation. Nil when it does not exist, or when none is open.
  private func present() throws(ChatError) -> ConversationID? {
    guard let conversation = state.conversation else { return nil }
    return try client.store.read { try $0.conversations.presentName(of: conversation) }
  }

  private func rename(_ old: ConversationID, to new: ConversationID) {
    var place = state
    place.conversation = new
    place.scroll[timeline: new] = state.scroll[timeline: old]
    place.scroll[timeline: old] = nil
    // The window still shows the same conversation, so a waiting sheet continues to wait.
    let waiting = pendingSheet
    adopt(place)
    pendingSheet = waiting
    report(place)
  }

  private func changed(from before: SceneState<Route, Sheet>) {
    guard !isFollowing, state != before else { return }
    // A user who has moved on is not interrupted by a sheet of the earlier place.
    let hasMoved =
      state.project != before.project || state.conversation != before.conversation
      || state.path != before.path
    if hasMoved || state.sheet != nil { pendingSheet = nil }
    if state.conversation != before.conversation { known = try? present() }
    report(state)
  }

  /// The stored state includes the waiting sheet, so that an end between the two steps of a restore does not lose it.
  private func report(_ state: SceneState<Route, Sheet>) {
    var place = state
    place.sheet = state.sheet ?? pendingSheet
    switch client.scenes.change(id, to: SceneContent(place), opening: opening) {
    case .taken, .closed: break
    case .cleared(let content, let opening):
      (self.opening, isRead, resolveAgain) = (opening, true, nil)
      (pendingSheet, notice, first, openingProblem) = (nil, nil, nil, nil)
      adopt(content.state() ?? SceneState())
    case .joined(let content, let opening, let scene):
      (self.opening, isRead) = (opening, true)
      join(content.state() ?? self.state, scene)
    }
  }

  /// Takes over the state that was read late. Its sheet waits for the app's models, as after a launch.
  private func join(_ joined: SceneState<Route, Sheet>, _ scene: LateScene) {
    var place = joined
    if state.sheet == nil { (pendingSheet, place.sheet) = (joined.sheet, nil) }
    openingProblem = scene.problem
    known = place.conversation
    if scene.isConversationLost, place.conversation == nil {
      notice = SceneNotice(kind: .conversationNotFound).localized(with: client.configuration.texts)
    }
    adopt(place)
    let again = resolveAgain
    resolveAgain = nil
    again?()
    followConversation()
  }

  private func adopt(_ place: SceneState<Route, Sheet>) {
    isFollowing = true
    state = place
    isFollowing = false
  }
}
