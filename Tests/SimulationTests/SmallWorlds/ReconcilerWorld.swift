import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

/// One conversation on a device, with receipts and pages that arrive late, twice, in any order, or forged.
///
/// The model is the server: a list of messages. Once the server has sent everything, the device shows each message
/// once, in the server's order, with the server's text.
struct ReconcilerWorld: SmallWorld {
  enum Event: CustomStringConvertible {
    case send(MessageID), fails(MessageID), cancel(MessageID), piece
    case serverTakes(MessageID), receipt(MessageID), arrives(MessageID)
    case forgeries(MessageID)

    var description: String {
      switch self {
      case .send(let id): "\(id) is sent"
      case .fails(let id): "\(id) fails"
      case .cancel(let id): "\(id) is cancelled"
      case .piece: "a piece of the answer arrives"
      case .serverTakes(let id): "the server takes \(id)"
      case .receipt(let id): "the receipt of \(id) arrives"
      case .arrives(let id): "\(id) arrives"
      case .forgeries(let id): "\(id) comes in every way that is forged"
      }
    }
  }

  struct Row: Hashable {
    var id: MessageID
    var sender: UserID
    var text: String
    var order: Int64?
    var place: Int64
    var isUnconfirmed = false
    var isStreaming = false
    /// The highest of the server's orders on the device when the message failed.
    var failedBehind: Int64?

    var isConfirmed: Bool { !isUnconfirmed && !isStreaming }
  }

  private static let conversation: ConversationID = "c"
  private static let mine: [MessageID] = ["m1", "m2"]
  private static let answer: MessageID = "answer"

  /// The device's rows in their order of arrival, and the server's list.
  private(set) var rows: [Row] = []
  private(set) var log: [MessageID] = []
  private var sent: Set<MessageID> = []

  func hash(into hasher: inout Hasher) {
    hasher.combine(log)
    hasher.combine(sent)
    for row in rows {
      hasher.combine(row.id)
      hasher.combine(row.place)
    }
  }

  var possibleEvents: [Event] {
    var events = log.map(Event.arrives)
    for id in Self.mine {
      let row = row(id)
      if !sent.contains(id) { events.append(.send(id)) }
      if let row, row.isUnconfirmed { events.append(.cancel(id)) }
      if let row, row.isUnconfirmed, row.failedBehind == nil { events.append(.fails(id)) }
      if log.contains(id) { events.append(.receipt(id)) }
    }
    if row(Self.answer) == nil { events.append(.piece) }
    for id in sent.sorted(by: { $0.rawValue < $1.rawValue }) + ["theirs", Self.answer]
    where !log.contains(id) { events.append(.serverTakes(id)) }
    return events + rows.map { .forgeries($0.id) }
  }

  private func row(_ id: MessageID) -> Row? { rows.first { $0.id == id } }
  private func sender(of id: MessageID) -> UserID { Self.mine.contains(id) ? "me" : "bob" }
  private func order(of id: MessageID) -> Int64? { log.firstIndex(of: id).map { Int64($0) + 1 } }

  /// A message with the server's text. Nobody can have sent another text for it.
  private func incoming(
    _ id: MessageID, in conversation: ConversationID = conversation, from sender: UserID? = nil,
    text: String? = nil, order: Int64?
  ) -> IncomingMessage {
    IncomingMessage(
      id: id, conversation: conversation, sender: sender ?? self.sender(of: id),
      content: MessageContent(text ?? "\(id), whole"),
      order: order, createdAt: .distantPast)
  }

  mutating func take(_ event: Event) throws {
    switch event {
    case .send(let id):
      sent.insert(id)
      rows.append(
        Row(
          id: id, sender: "me", text: "\(id), whole", place: TimelinePlace.underWay, isUnconfirmed: true))
    case .fails(let id):
      let place = TimelinePlace.failed(behind: lastConfirmedPlace)
      let last = rows.compactMap(\.order).max() ?? 0
      change(id) { ($0.place, $0.failedBehind) = (place, last) }
    case .cancel(let id): rows.removeAll { $0.id == id }
    case .piece:
      rows.append(
        Row(
          id: Self.answer, sender: "bob", text: "ans", place: TimelinePlace.underWay, isStreaming: true))
    case .serverTakes(let id): log.append(id)
    case .receipt(let id):
      receive(Receipt(id: id, conversation: Self.conversation, order: order(of: id), createdAt: .distantPast))
      if let row = row(id) { try require(row.isConfirmed, "a receipt confirms \(id)") }
    case .arrives(let id):
      receive(incoming(id, order: order(of: id)))
      // O6: the echo moves any state to delivered.
      try require(row(id)?.isConfirmed == true, "\(id) is confirmed once it has arrived")
    case .forgeries(let id): try forge(id)
    }
    try check()
  }

  private mutating func forge(_ id: MessageID) throws {
    let before = rows
    let isForeignStream = row(id).map { $0.isStreaming && $0.sender != "me" } ?? false
    receive(incoming(id, from: "mallory", text: "theirs", order: 7))
    if isForeignStream {
      // The server has the message, so the pieces belonged to none.
      try require(
        row(id)?.isConfirmed == true && row(id)?.sender == "mallory", "a stream yields to a message")
      rows = before
    } else {
      try agree("the rows after a foreign sender", machine: rows, model: before)
      receive(incoming(id, in: "elsewhere", text: "forged", order: 7))
      try agree("the rows after a foreign conversation", machine: rows, model: before)
    }
    receive(incoming(id, text: "forged", order: 0))
    try agree("the rows after the order 0", machine: rows, model: before)
    receive(Receipt(id: id, conversation: "elsewhere", order: 7, createdAt: .distantPast))
    try agree("the rows after a foreign receipt", machine: rows, model: before)
    receive(Receipt(id: id, conversation: Self.conversation, order: 0, createdAt: .distantPast))
    try agree("the rows after a receipt with the order 0", machine: rows, model: before)
  }

  /// Carries out the reconciler's decision, as the store does.
  private mutating func receive(_ message: IncomingMessage) {
    let place = message.order.map(TimelinePlace.confirmed) ?? TimelinePlace.next(behind: lastConfirmedPlace)
    switch Reconciler.decide(
      known: known(message.id), incoming: message, in: key(of: message.conversation), user: "me")
    {
    case .insert:
      rows.append(
        Row(
          id: message.id, sender: message.sender, text: message.text, order: message.order, place: place))
    case .confirm: confirm(message.id, order: message.order, place: place)
    case .finish:
      confirm(message.id, order: message.order, place: place)
      change(message.id) { $0.text = message.text }
    case .replace:
      rows.removeAll { $0.id == message.id }
      rows.append(
        Row(
          id: message.id, sender: message.sender, text: message.text, order: message.order, place: place))
    case .update, .ignore, .refuse: break
    }
  }

  private mutating func receive(_ receipt: Receipt) {
    guard
      Reconciler.decide(known: known(receipt.id), receipt: receipt, in: key(of: receipt.conversation))
        == .confirm
    else { return }
    let place = receipt.order.map(TimelinePlace.confirmed) ?? TimelinePlace.next(behind: lastConfirmedPlace)
    confirm(receipt.id, order: receipt.order, place: place)
  }

  private func key(of name: ConversationID) -> ConversationKey { ConversationKey(rawValue: name.rawValue) }

  private func known(_ id: MessageID) -> KnownMessage? {
    row(id).map {
      KnownMessage(
        conversation: key(of: Self.conversation), sender: $0.sender, isUnconfirmed: $0.isUnconfirmed,
        isStreaming: $0.isStreaming, mayHaveArrived: true)
    }
  }

  private var lastConfirmedPlace: Int64 {
    rows.map(\.place).filter { $0 < TimelinePlace.underWay }.max() ?? 0
  }

  private mutating func confirm(_ id: MessageID, order: Int64?, place: Int64) {
    change(id) {
      ($0.isUnconfirmed, $0.isStreaming, $0.failedBehind) = (false, false, nil)
      ($0.order, $0.place) = (order, place)
    }
  }

  private mutating func change(_ id: MessageID, _ body: (inout Row) -> Void) {
    for index in rows.indices where rows[index].id == id { body(&rows[index]) }
  }

  private func check() throws {
    let timeline = rows.enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }
      .map(\.element)
    try require(Set(rows.map(\.id)).count == rows.count, "nothing twice")
    // H11
    let confirmed = timeline.filter(\.isConfirmed)
    try agree(
      "the server's order", machine: confirmed.map(\.id), model: log.filter { row($0)?.isConfirmed == true })
    for row in confirmed {
      try agree("the text of \(row.id)", machine: row.text, model: "\(row.id), whole")
      try agree("the order of \(row.id)", machine: row.order, model: order(of: row.id))
      try agree("the sender of \(row.id)", machine: row.sender, model: sender(of: row.id))
    }
    // O2, O8
    for (index, row) in timeline.enumerated() where !row.isConfirmed {
      let behind = timeline[(index + 1)...].compactMap(\.order)
      let before = timeline[..<index].compactMap(\.order)
      let last = row.failedBehind ?? .max
      try require(
        behind.allSatisfy { $0 > last } && before.allSatisfy { $0 <= last },
        "\(row.id) is at the bottom, or where it failed: \(timeline.map(\.id))")
    }
  }

  /// A page with all messages of the server.
  mutating func comeToRest() throws {
    for id in log { try take(.arrives(id)) }
    try agree("all of the server's list", machine: Set(rows.filter(\.isConfirmed).map(\.id)), model: Set(log))
  }
}

extension SmallWorlds {
  @Suite struct ReconcilerTests {
    // O2.6, O6.2, O6.4, H11.1, H11.2
    @Test func `every order of 7 events of a conversation with receipts, echoes and forgeries`() async {
      let walk = await EveryOrder.walked(from: ReconcilerWorld(), depth: 7)
      #expect(walk.surprise == nil, "\(walk)")
      #expect(walk.orders == 1_120_332, "\(walk)")
      #expect(walk.ends.contains { $0.log.count == 4 })
      #expect(walk.ends.contains { $0.rows.count(where: \.isConfirmed) == 3 })
    }
  }
}
