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
///        └── any thread ──► EngineDoors
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
  let questions: Questions
  let unsent: UnsentMessages
  let others: OtherProcesses
  let chores: Chores
  /// The parts that follow commits, in this order.
  let followers: [any InboxFollower]

  init(_ context: EngineContext, _ doors: EngineDoors) throws(ChatError) {
    let (drafts, unsent, requests) = (doors.drafts, doors.unsent, doors.requests)
    let replies = Replies(
      context, door: doors.replies, requests: requests, wakeOutbox: doors.outbox.wake)
    let drainLock = try DrainLock(context, replies: replies)
    let outcomes = OutcomeLookup(context)
    let uploads = Uploads(context, progress: doors.transfers)
    let outbox = Outbox(context, door: doors.outbox, uploads: uploads, outcomes: outcomes, replies: replies)
    let link = Link(context, door: doors.link, drainLock: drainLock)
    let erasing = ErasingChore(
      context.store, context.environment, offers: doors.deletions, door: doors.chores)
    let history = HistoryFetches(context, door: doors.history)
    let followers: [any InboxFollower] = [history, erasing, replies, outbox, doors.fetches]

    (self.replies, self.drainLock, self.outcomes, self.uploads) = (replies, drainLock, outcomes, uploads)
    (self.outbox, self.link, self.history, self.unsent) = (outbox, link, history, unsent)
    self.followers = followers
    fetches = Fetches(context, door: doors.fetches, progress: doors.transfers)
    searches = ServerSearches(context, door: doors.searches)
    deletions = Deletions(context, drafts: drafts, replies: replies, requests: requests, erasing: erasing)
    retries = Retries(unsent, outbox, link)
    questions = Questions(doors.sender, replies)
    others = OtherProcesses(context, drafts: drafts, held: doors.held, link: link, followers: followers)
    inbox = Inbox(
      context, drafts: drafts, outbox: outbox, replies: replies, link: link, held: doors.held,
      followers: followers)
    chores = Chores(
      Self.chores(context, erasing, doors.history), door: doors.chores, hub: context.store.changes,
      environment: context.environment)
  }

  private static func chores(
    _ context: EngineContext, _ erasing: ErasingChore, _ history: HistoryFetches.Door
  ) -> [any Chore] {
    let (store, limits) = (context.store, context.configuration.history)
    let always: [any Chore] = [
      erasing, JournalChore(store, context.logger), IndexingChore(store, context.logger),
    ]
    return limits.isLimited ? always + [EvictionChore(store, limits) { history.readBack }] : always
  }
}
