import HoldfastCore
import HoldfastStore
import Logging

/// The first frame of a window, from one snapshot of the store.
struct OpenedScene<Route: Codable & Hashable & Sendable, Sheet: Codable & Hashable & Sendable>: Sendable {
  var state = SceneState<Route, Sheet>()
  /// The number of the opening. A change with another number comes from a window that was closed or cleared since.
  var opening = 0
  var notice: SceneNotice?
  var problem: ChatError?
  /// Whether the state is that of the store, or of this process. False while the store cannot be read.
  var isRead = true
  /// Whether the conversation that the window showed was erased since. This is reported once.
  var isConversationLost = false
  /// The open conversation, around the line where its reader was. Nil when none is open.
  var timeline: ConversationSnapshot?
  var span = TimelineSpan()
}

extension SnapshotReader {
  /// Opens a window. One read gives the window's state, the rows around its anchor, and the drafts of its composer.
  func openScene<Route, Sheet>(
    _ id: SceneID, version: Int, migrations: [SceneMigration]
  ) -> OpenedScene<Route, Sheet> {
    var opened = OpenedScene<Route, Sheet>()
    guard id.isWellFormed else {
      opened.problem = ChatError(
        .malformedID, "A window's ID is 1 to 255 bytes without control characters. Nothing of it is stored.")
      return opened
    }
    return scenes.writing.withLock { _ in
      let remembered: SceneState<Route, Sheet>? = scenes.remembered(id)
      var stored = remembered ?? SceneState()
      var isRead = true
      do throws(ChatError) {
        (opened, stored) = try read(id, remembered, version, migrations)
      } catch {
        // The window continues with the state of this process. The stored state is read later, and not replaced.
        (opened.problem, opened.state) = (error.localized(with: configuration.texts), stored)
        isRead = remembered != nil
      }
      if opened.problem?.code == .sceneUnreadable { scenes.forget(id) }
      if opened.isConversationLost { scenes.noteLossShown(in: id) }
      opened.isRead = isRead
      opened.opening = scenes.register(
        id, stored: stored, present: opened.state, version: version,
        loading: isRead ? nil : lateReading(of: id, version, migrations, as: SceneState<Route, Sheet>.self))
      return opened
    }
  }

  /// Reads a window's stored state, once the store can be read.
  private func lateReading<Route, Sheet>(
    of id: SceneID, _ version: Int, _ migrations: [SceneMigration], as _: SceneState<Route, Sheet>.Type
  ) -> @Sendable () throws(ChatError) -> LateScene {
    { [store, scenes, logger] () throws(ChatError) in
      let (state, isLost, problem) = try store.read { db in
        try Self.stored(id, in: db, version: version, migrations: migrations, logger)
          as (SceneState<Route, Sheet>, Bool, ChatError?)
      }
      if problem != nil { scenes.forget(id) }
      if isLost { scenes.noteLossShown(in: id) }
      return LateScene(stored: SceneContent(state), isConversationLost: isLost, problem: problem)
    }
  }

  /// The window's state as the store has it, whether its conversation was erased, and why it could not be read.
  private static func stored<Route, Sheet>(
    _ id: SceneID, in db: Reading, version: Int, migrations: [SceneMigration], _ logger: Logger
  ) throws -> (SceneState<Route, Sheet>, Bool, ChatError?) {
    guard let row = try db.scenes.stored(id) else { return (SceneState(), false, nil) }
    do {
      let state: SceneState<Route, Sheet> = try SceneCoding.decode(
        row, version: version, migrations: migrations)
      return (state, row.isConversationLost, nil)
    } catch {
      logger.error(
        "place not readable",
        metadata: [
          "reason": "\(SceneCoding.reason(error))", "version": "\(row.version)",
          "bytes": "\(row.state?.count ?? -1)",
        ])
      return (
        SceneState(), row.isConversationLost,
        ChatError(.sceneUnreadable, "What this window showed last cannot be read. It starts anew.")
      )
    }
  }

  /// - Returns: the window, and its state as the store has it.
  private func read<Route, Sheet>(
    _ id: SceneID, _ remembered: SceneState<Route, Sheet>?, _ version: Int, _ migrations: [SceneMigration]
  ) throws(ChatError) -> (OpenedScene<Route, Sheet>, SceneState<Route, Sheet>) {
    let afterFailure = configuration.retry.afterFailure
    let logger = logger
    return try drafts.loading { () throws(ChatError) in
      let (streams, statuses, fetchable) = (
        sharedStates.replies.streams, sharedStates.history.statuses, fetchableBesides
      )
      let (scene, stored, reading, drafts) = try store.read { db in
        var scene = OpenedScene<Route, Sheet>()
        if let remembered {
          scene.state = remembered
        } else {
          (scene.state, scene.isConversationLost, scene.problem) = try Self.stored(
            id, in: db, version: version, migrations: migrations, logger)
        }
        let stored = scene.state
        var (reading, drafts): (TimelineReading?, [DraftKey: KeptDraft]) = (nil, [:])
        if let conversation = scene.state.conversation {
          if let present = try db.conversations.presentName(of: conversation) {
            let key = try db.key(of: present)
            scene.state.conversation = present
            let anchor = scene.state.scroll[timeline: conversation]?.message
            scene.span = anchor.map(TimelineSpan.init(around:)) ?? TimelineSpan()
            reading = try db.messages.timelineReading(
              of: key, in: scene.span, afterFailure: afterFailure, fetchingBesides: fetchable)
            for slot in [DraftSlot.new, .edit] {
              let draft = DraftKey(conversation: key, slot: slot)
              drafts[draft] = try db.drafts.kept(draft)
            }
          } else {
            scene.state.leaveConversation()
            scene.notice = SceneNotice(kind: .conversationNotFound).localized(with: configuration.texts)
          }
        }
        if scene.isConversationLost, scene.state.conversation == nil {
          scene.notice = SceneNotice(kind: .conversationNotFound).localized(with: configuration.texts)
        }
        scene.state.scroll = try scene.state.scroll.inPresentConversations(db.conversations.presentName)
        return (scene, stored, reading, drafts)
      }
      var opened = scene
      opened.timeline = reading.map { snapshot(of: $0, streams: streams, statuses) }
      return ((opened, stored), drafts)
    }
  }
}
