import Foundation
import Holdfast
import HoldfastTransport

extension Forum {
  /// The number of events in a page.
  static let pageSize = 50

  /// The same with older posts on demand: a room's events before the one at which the last page began. The server knows no
  /// other place, so that a first page begins with the newest event.
  var transportWithHistory: RequestTransport {
    transport.history { request in
      let events: [Event] = try await get(
        "rooms/\(request.conversation)/events", before: request.before?.rawValue)
      let place = events.count < Self.pageSize ? nil : events.first?.id
      return HistoryPage(
        items: events.compactMap(item), before: place.map(HistoryPlace.init(rawValue:)),
        beginsWithNewest: request.before == nil)
    }
  }

  func get<Value: Decodable>(_ path: String, before event: String? = nil) async throws -> Value {
    let page = url.appending(path: path).appending(queryItems: [URLQueryItem(name: "before", value: event)])
    let (status, retryAfter, body) = try await page.answer(to: "GET", nil, by: account)
    if status == 429 { throw HistoryPage.Refusal.notNow(after: retryAfter) }
    return try JSONDecoder().decode(Value.self, from: body)
  }
}
