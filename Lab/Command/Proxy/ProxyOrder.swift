import Foundation

/// An order to the proxy: one line of its input.
enum ProxyOrder: Sendable, Equatable {
  /// The ending of connections when an order is carried out.
  enum Ending: String, Sendable, CaseIterable {
    /// Both ends get a TCP reset.
    case reset
    /// Both ends see the end of the stream.
    case close
    /// The connections stay open, and never pass anything again.
    case silent
  }

  /// Everything passes. It ends every other order.
  case pass
  /// The port does not listen. A new connection is refused, and open ones continue.
  case refuse
  /// Every open connection is reset now, once.
  case reset
  /// Nothing passes until another order, and nothing is lost: it continues with `pass`. New connections are
  /// accepted.
  case hole
  /// Everything goes up and nothing comes down: the server carries out a request whose response is lost. Once.
  case lose(Ending)
  /// This many bytes go up, and no more: half a request. Once.
  case half(Int, Ending)
  /// This many bytes come down, and no more: half a response. Once.
  case cut(Int, Ending)
  /// Bytes are delayed in each direction.
  case delay(milliseconds: Int)

  static let usage = """
    pass                 everything passes; this ends every other order
    refuse               the port is closed, and open connections go on
    reset                every open connection is reset now
    hole                 nothing passes, and nothing is lost
    lose [ENDING]        the next bytes go up, and no answer comes down
    half BYTES [ENDING]  so many bytes go up, and no more
    cut BYTES [ENDING]   so many bytes come down, and no more
    delay MILLISECONDS   bytes pass later, each way
    """

  /// The order in a line. Nil when the line is not an order.
  init?(_ line: String) {
    let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
    let ending = { (index: Int) -> Ending? in
      switch words.count {
      case index: .reset
      case index + 1: Ending(rawValue: words[index])
      default: nil
      }
    }
    let number = words.count > 1 ? Int(words[1]).flatMap { $0 >= 0 ? $0 : nil } : nil
    switch (words.first, words.count, number) {
    case ("pass", 1, _): self = .pass
    case ("refuse", 1, _): self = .refuse
    case ("reset", 1, _): self = .reset
    case ("hole", 1, _): self = .hole
    case ("lose", _, _):
      guard let ending = ending(1) else { return nil }
      self = .lose(ending)
    case ("half", _, let bytes?):
      guard let ending = ending(2) else { return nil }
      self = .half(bytes, ending)
    case ("cut", _, let bytes?):
      guard let ending = ending(2) else { return nil }
      self = .cut(bytes, ending)
    case ("delay", 2, let milliseconds?) where milliseconds <= 600_000:
      self = .delay(milliseconds: milliseconds)
    default: return nil
    }
  }
}
