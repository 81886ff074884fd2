import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// The parts of the engine that belong to the client's executor: each one once, connected to those that it calls.
///
/// ```
///   ChatClient ── run() ──► Link ── a connection ──► Inbox ──► Outbox, Replies
///        │                                             └── what was stored ──► followers
///        │                                           Outbox ──► OutcomeLookup, Uploads
///        │                                           HistoryFetches, ServerSearches, Fetches
///        ├── handles ──► Deletions, Retries, Questions, Replies
///        └── any thread ──► EngineSharedStates
/// ```
struct EngineParts {
  let outbox: Outbox
  let outcomes: OutcomeLookup
  let uploads: Uploads
  let fetches: Fetches
  let replies: Replies
  let inbox: Inbox
  let history: HistoryFetches
  let searches: ServerSearches
  let link: Link
  let drainLock: DrainLock
  let deletions: Deletions
  let retries: Retries
  let unsent: UnsentMessages
  let others: OtherProcesses
  let maintenance: Maintenance
  /// The parts that follow commits, in this order.
  let followers: [any InboxFollower]

  init(_ context: EngineContext, _ sharedStates: EngineSharedStates) throws(ChatError) {
    let (drafts, unsent, requests) = (sharedStates.drafts, sharedStates.unsent, sharedStates.requests)
    let replies = Replies(
      context, sharedState: sharedStates.replies, requests: requests, wakeOutbox: sharedStates.outbox.wake)
    let drainLock = try DrainLock(context, replies: replies)
    let outcomes = OutcomeLookup(context)
    let uploads = Uploads(context, progress: sharedStates.transfers)
    let outbox = Outbox(
      context, sharedState: sharedStates.outbox, uploads: uploads, outcomes: outcomes, replies: replies)
    let link = Link(context, sharedState: sharedStates.link, drainLock: drainLock)
    let erasing = ErasingTask(
      context.store, context.environment, undoable: sharedStates.deletions,
      sharedState: sharedStates.maintenance)
    let history = HistoryFetches(context, sharedState: sharedStates.history)
    let followers: [any InboxFollower] = [history, erasing, replies, outbox, sharedStates.fetches]

    (self.replies, self.drainLock, self.outcomes, self.uploads) = (replies, drainLock, outcomes, uploads)
    (self.outbox, self.link, self.history, self.unsent) = (outbox, link, history, unsent)
    self.followers = followers
    fetches = Fetches(context, sharedState: sharedStates.fetches, progress: sharedStates.transfers)
    searches = ServerSearches(context, sharedState: sharedStates.searches)
    deletions = Deletions(context, drafts: drafts, replies: replies, requests: requests, erasing: erasing)
    retries = Retries(unsent, outbox, link)
    others = OtherProcesses(
      context, drafts: drafts, held: sharedStates.held, link: link, followers: followers)
    inbox = Inbox(
      context, drafts: drafts, outbox: outbox, replies: replies, link: link, held: sharedStates.held,
      followers: followers)
    maintenance = Maintenance(
      Self.maintenance(context, erasing, sharedStates.history), sharedState: sharedStates.maintenance,
      hub: context.store.changes,
      environment: context.environment)
  }

  private static func maintenance(
    _ context: EngineContext, _ erasing: ErasingTask, _ history: HistoryFetches.SharedState
  ) -> [any MaintenanceTask] {
    let (store, limits) = (context.store, context.configuration.history)
    let always: [any MaintenanceTask] = [
      erasing, JournalTask(store, context.logger), IndexingTask(store, context.logger),
    ]
    return limits.isLimited ? always + [EvictionTask(store, limits) { history.readBack }] : always
  }
}
