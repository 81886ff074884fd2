import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// Everything in the engine that any thread may use. Some parts need no executor. The others belong to the client's
/// executor, and have their shared state here.
struct EngineSharedStates: Sendable {
  let drafts: Drafts
  let scenes: Scenes
  let saving: SavingLoop
  let sender: Sender
  let questions: Questions
  let editor: MessageEditor
  let unsent: UnsentMessages
  let held: HeldPrompt
  let requests: Requests
  let readMarks: ReadMarks

  let link: Link.SharedState
  let outbox = Outbox.SharedState()
  let replies: Replies.SharedState
  let deletions = ErasingTask.UndoableDeletions()
  let transfers: TransferProgress
  let fetches = Fetches.SharedState()
  let history: HistoryFetches.SharedState
  let searches = ServerSearches.SharedState()
  let maintenance = Maintenance.SharedState()

  init(_ context: EngineContext) {
    let (store, environment) = (context.store, context.environment)
    let (intervals, saved) = (context.configuration.saving, Signal())
    drafts = Drafts(
      store: store, environment: environment, intervals: intervals, wake: saved, session: context.session)
    scenes = Scenes(store: store, environment: environment, intervals: intervals, wake: saved)
    saving = SavingLoop([drafts, scenes], signal: saved, alarm: context.alarm, environment: environment)
    sender = Sender(context: context, drafts: drafts)
    replies = Replies.SharedState()
    questions = Questions(
      sender: sender, beginning: ReplyBeginning(context: context, sharedState: replies))
    editor = MessageEditor(context: context, sender: sender)
    unsent = UnsentMessages(context: context, drafts: drafts)
    link = Link.SharedState(
      LinkState(path: context.configuration.path, capabilities: context.transport.capabilities))
    held = HeldPrompt(context, link: link)
    requests = Requests(context)
    readMarks = ReadMarks(context)
    transfers = TransferProgress(store)
    history = HistoryFetches.SharedState(context)
    outbox.follow(store.changes)
  }
}
