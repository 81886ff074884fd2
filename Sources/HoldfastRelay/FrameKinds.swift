import HoldfastCore

/// The kinds of frames. A frame's `type` gives its kind, as `docs/wire.md` says.
extension Wire {
  /// A frame from a client.
  package enum ClientFrame: Hashable, Sendable {
    case hello(Hello)
    case sync(Sync)
    case send(Send)
    case piece(Piece)
    case read(Read)
    case ask(Ask)
    case history(History)
    case search(Search)
    case upload(Upload)
    case fetch(Fetch)
    case ping
  }

  /// A frame from a server.
  package enum ServerFrame: Hashable, Sendable {
    case welcome(Welcome)
    case events(Events)
    case receipts(Receipts)
    case refused(Refused)
    case piece(Piece)
    case answer(Answer)
    case older(Older)
    case found(Found)
    case uploaded(Uploaded)
    case data(Bytes)
    case uploadRefused(TransferRefused)
    case fetchRefused(TransferRefused)
    case pong(Pong)
    case failure(Failure)
    /// A frame type of a later minor version. It is skipped.
    case unknown(String)
  }
}

private enum TypeKey: String, CodingKey { case type }

extension Wire.ClientFrame: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: TypeKey.self)
    switch try container.decode(String.self, forKey: .type) {
    case "hello": self = .hello(try .init(from: decoder))
    case "sync": self = .sync(try .init(from: decoder))
    case "send": self = .send(try .init(from: decoder))
    case "piece": self = .piece(try .init(from: decoder))
    case "read": self = .read(try .init(from: decoder))
    case "ask": self = .ask(try .init(from: decoder))
    case "history": self = .history(try .init(from: decoder))
    case "search": self = .search(try .init(from: decoder))
    case "upload": self = .upload(try .init(from: decoder))
    case "fetch": self = .fetch(try .init(from: decoder))
    case "ping": self = .ping
    default:
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: container, debugDescription: "unknown frame type")
    }
  }

  package func encode(to encoder: any Encoder) throws {
    let (type, payload): (String, (any Encodable)?) =
      switch self {
      case .hello(let payload): ("hello", payload)
      case .sync(let payload): ("sync", payload)
      case .send(let payload): ("send", payload)
      case .piece(let payload): ("piece", payload)
      case .read(let payload): ("read", payload)
      case .ask(let payload): ("ask", payload)
      case .history(let payload): ("history", payload)
      case .search(let payload): ("search", payload)
      case .upload(let payload): ("upload", payload)
      case .fetch(let payload): ("fetch", payload)
      case .ping: ("ping", nil)
      }
    var container = encoder.container(keyedBy: TypeKey.self)
    try container.encode(type, forKey: .type)
    try payload?.encode(to: encoder)
  }
}

extension Wire.ServerFrame: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: TypeKey.self)
    switch try container.decode(String.self, forKey: .type) {
    case "welcome": self = .welcome(try .init(from: decoder))
    case "events": self = .events(try .init(from: decoder))
    case "receipts": self = .receipts(try .init(from: decoder))
    case "refused": self = .refused(try .init(from: decoder))
    case "piece": self = .piece(try .init(from: decoder))
    case "answer": self = .answer(try .init(from: decoder))
    case "older": self = .older(try .init(from: decoder))
    case "found": self = .found(try .init(from: decoder))
    case "uploaded": self = .uploaded(try .init(from: decoder))
    case "data": self = .data(try .init(from: decoder))
    case "uploadRefused": self = .uploadRefused(try .init(from: decoder))
    case "fetchRefused": self = .fetchRefused(try .init(from: decoder))
    case "pong": self = .pong(try .init(from: decoder))
    case "failure": self = .failure(try .init(from: decoder))
    case let other: self = .unknown(other)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    let (type, payload): (String, (any Encodable)?) =
      switch self {
      case .welcome(let payload): ("welcome", payload)
      case .events(let payload): ("events", payload)
      case .receipts(let payload): ("receipts", payload)
      case .refused(let payload): ("refused", payload)
      case .piece(let payload): ("piece", payload)
      case .answer(let payload): ("answer", payload)
      case .older(let payload): ("older", payload)
      case .found(let payload): ("found", payload)
      case .uploaded(let payload): ("uploaded", payload)
      case .data(let payload): ("data", payload)
      case .uploadRefused(let payload): ("uploadRefused", payload)
      case .fetchRefused(let payload): ("fetchRefused", payload)
      case .pong(let payload): ("pong", payload)
      case .failure(let payload): ("failure", payload)
      case .unknown(let type): (type, nil)
      }
    var container = encoder.container(keyedBy: TypeKey.self)
    try container.encode(type, forKey: .type)
    try payload?.encode(to: encoder)
  }
}
