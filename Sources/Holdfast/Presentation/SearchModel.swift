import HoldfastCore
import HoldfastStore
import Observation

/// A search field and its results, for a view. Where the server searches too
/// (``TransportCapabilities/carriesSearch``), its results come after those on this device. The model is a thin wrapper
/// around a value, and decides nothing.
///
/// ```swift
/// TextField("Search", text: $model.query)
/// List(model.snapshot.hits) { hit in Text(hit.excerpt.text) }.task { await model.run() }
/// if model.isLoading { Skeleton() }
/// if let words = model.problem?.message ?? model.snapshot.note { Text(words) }   // "Nothing found for “zeppelin”"
/// if let words = model.snapshot.serverNote { Text(words) }   // "Searching the server..."
/// ```
@MainActor @Observable public final class SearchModel {
  /// The results, for the view.
  public private(set) var snapshot = SearchSnapshot(of: "")
  /// The reason why the search failed. A typed query stays `searching` until a search succeeds. Nil without a
  /// failure.
  public private(set) var problem: ChatError?
  /// Whether the first results of the model are awaited, for a skeleton (rule H7). Later queries show the hits of the
  /// previous one in the meantime.
  public private(set) var isLoading = false
  @ObservationIgnored private var hasLooked = false
  @ObservationIgnored package let client: ChatClient
  @ObservationIgnored private let conversation: ConversationID?
  @ObservationIgnored private var limit = SearchModel.page
  @ObservationIgnored private let changed = Signal()
  /// The time from the last keystroke to the search.
  private static let pause: Duration = .milliseconds(150)
  private static let page = 50

  /// - Parameter client: the client whose messages are searched.
  /// - Parameter conversation: the conversation to search. Nil to search all.
  public init(_ client: ChatClient, in conversation: ConversationID? = nil) {
    self.client = client
    self.conversation = conversation
  }

  /// The query, for a text field. A new value is typed: ``search(_:)``.
  public var query: String {
    get { snapshot.query }
    set { search(newValue) }
  }

  /// Takes over the query that the user typed. The results arrive a moment after the last keystroke, while ``run()``
  /// runs. Until then the state is `searching`, with the hits of the previous query. An empty query ends the search
  /// at once.
  public func search(_ query: String) {
    guard !query.hasSameBytes(as: snapshot.query) else { return }
    var new = SearchSnapshot(of: query)
    if new.state == .searching {
      (new.hits, new.hasMore, new.progress) = (snapshot.hits, snapshot.hasMore, snapshot.progress)
    } else {
      client.sharedStates.searches.forget(changed)
    }
    snapshot = new
    isLoading = !hasLooked && new.state == .searching
    limit = Self.page
    changed.raise()
  }

  /// Asks the server again, when it did not answer: ``SearchSnapshot/server`` is `failed`.
  public func retry() {
    guard case .failed = snapshot.server else { return }
    client.sharedStates.searches.forget(changed)
    look()
  }

  /// Shows fifty more hits. The shown hits stay in their places, and more of the server's come after them.
  public func loadMore() {
    guard snapshot.hasMore else { return }
    limit += Self.page
    look()
  }

  /// Makes the searches, and repeats them when the messages change, until the task is cancelled.
  public func run() async {
    let subscription = client.store.changes.subscribe(changed) {
      $0.concernsTimelines || $0.list || $0.index || $0.link
    }
    defer {
      client.store.changes.unsubscribe(subscription)
      client.sharedStates.searches.forget(changed)
    }
    let environment = client.environment
    while !Task.isCancelled {
      await changed.wait()
      var query: String?
      // Each keystroke starts the pause from the beginning.
      while query?.hasSameBytes(as: snapshot.query) != true, !Task.isCancelled {
        query = snapshot.query
        try? await environment.sleep(environment.uptime() + Self.pause)
      }
      guard !Task.isCancelled else { return }
      look()
    }
  }

  private func look() {
    do throws(ChatError) {
      let found = try client.reader.search(snapshot.query, in: conversation, limit: limit, raising: changed)
      if found != snapshot { snapshot = found }
      if problem != nil { problem = nil }
    } catch {
      let shown = error.localized(with: client.configuration.texts)
      if problem != shown { problem = shown }
    }
    guard snapshot.state != .idle else { return }
    hasLooked = true
    if isLoading { isLoading = false }
  }
}
