import HoldfastCore
import HoldfastStore

/// The first frame of a window, from one snapshot of the store.
struct OpenedScene<Route: Codable & Hashable & Sendable, Sheet: Codable & Hashable & Sendable>: Sendable {
  var state = SceneState<Route, Sheet>()
  /// The number of the opening. A change with another number comes from a window that was closed or cleared since.
  var opening = 0
  var notice: SceneNotice?
  var problem: ChatError?
  /// The open conversation, around the line where its reader was. Nil when none is open.
  var timeline: ConversationSnapshot?
  var window = TimelineWindow()
}

extension ChatClient {
  /// Opens a window. One read gives the window's state, the rows around its anchor, and the drafts of its composer.
  nonisolated func openScene<Route, Sheet>(
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
      do throws(ChatError) {
        (opened, stored) = try read(id, remembered, version, migrations)
      } catch {
        opened.problem = error
      }
      if opened.problem?.code == .sceneUnreadable { scenes.forget(id) }
      opened.opening = scenes.register(id, stored: stored, present: opened.state, version: version)
      return opened
    }
  }

  /// - Returns: the window, and its state as the store has it.
  private nonisolated func read<Route, Sheet>(
    _ id: SceneID, _ remembered: SceneState<Route, Sheet>?, _ version: Int, _ migrations: [SceneMigration]
  ) throws(ChatError) -> (OpenedScene<Route, Sheet>, SceneState<Route, Sheet>) {
    let behindFailed = configuration.retry.behindFailed
    let logger = logger
    return try drafts.loading { () throws(ChatError) in
      let (scene, stored, reading, drafts) = try store.read { db in
        var scene = OpenedScene<Route, Sheet>()
        if let remembered {
          scene.state = remembered
        } else if let row = try db.scene(id) {
          do {
            scene.state = try SceneCoding.decode(row, version: version, migrations: migrations)
          } catch {
            logger.error(
              "place not readable",
              metadata: [
                "reason": "\(SceneCoding.reason(error))", "version": "\(row.version)",
                "bytes": "\(row.state?.count ?? -1)",
              ])
            scene.problem = ChatError(
              .sceneUnreadable, "What this window showed last cannot be read. It starts anew.")
          }
        }
        let stored = scene.state
        var (reading, drafts): (TimelineReading?, [DraftKey: KeptDraft]) = (nil, [:])
        if let conversation = scene.state.conversation {
          if let present = try db.presentConversation(conversation) {
            scene.state.conversation = present
            let anchor = scene.state.scroll[timeline: conversation]?.message
            scene.window = anchor.map(TimelineWindow.init(around:)) ?? TimelineWindow()
            reading = try db.timelineReading(of: present, in: scene.window, behindFailed: behindFailed)
            for slot in [DraftSlot.new, .edit] {
              let key = DraftKey(conversation: present, slot: slot)
              drafts[key] = try db.kept(key)
            }
          } else {
            scene.state.leaveConversation()
            scene.notice = SceneNotice(kind: .conversationNotFound).worded(with: configuration.texts)
          }
        }
        scene.state.scroll = try scene.state.scroll.inPresentConversations(db.presentConversation)
        return (scene, stored, reading, drafts)
      }
      var opened = scene
      opened.timeline = reading.map(snapshot(of:))
      return ((opened, stored), drafts)
    }
  }
}
