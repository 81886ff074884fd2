import HoldfastCore
import HoldfastHTTP

/// Events of one room between two places.
struct MatrixPage: Sendable {
  /// In the order in which they happened.
  var events: [MatrixEvent]
  /// The place at which the next page begins. Nil: there is no other.
  var end: String?
  /// Whether the server gave no event.
  var isEmpty: Bool

  private static let filter = "{\"types\":\(MatrixEvent.list(of: MatrixEvent.timelineTypes))}"

  static func read(
    _ room: String, from: String?, to: String? = nil, isBackwards: Bool, limit: Int, _ client: MatrixClient
  ) async throws -> MatrixPage {
    var query = ["dir": isBackwards ? "b" : "f", "limit": String(limit), "filter": filter]
    (query["from"], query["to"]) = (from, to)
    let request = MatrixRequest("GET", ["v3", "rooms", room, "messages"], query: query)
    let fields = try await client.send(request).fields()
    let chunk = fields.objects("chunk")
    let events = chunk.compactMap(MatrixEvent.init)
    return MatrixPage(
      events: isBackwards ? events.reversed() : events, end: fields.word("end"), isEmpty: chunk.isEmpty)
  }
}
