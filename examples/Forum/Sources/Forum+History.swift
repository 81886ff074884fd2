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
      let before = URLQueryItem(name: "before", value: request.before?.rawValue)
      let page = url.appending(path: "rooms/\(request.conversation)/events").appending(queryItems: [before])
      let (status, retryAfter, body) = try await page.answer(to: "GET", nil, by: account)
      if status == 429 { throw HistoryPage.Refusal.notNow(after: retryAfter) }
      let events = try JSONDecoder().decode([Event].self, from: body)
      let place = events.count < Self.pageSize ? nil : events.first?.id
      return HistoryPage(
        items: events.compactMap(item), before: place.map(HistoryPlace.init(rawValue:)),
        beginsWithNewest: request.before == nil)
    }
  }
}
