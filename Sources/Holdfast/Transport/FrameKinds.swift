/// The kinds of frames, and how each is told from the others: by its `type`, as `docs/wire.md` says.
extension Wire {
  /// What a client says.
  package enum ClientFrame: Hashable, Sendable {
    case hello(Hello)
    case sync(Sync)
    case send(Send)
    case piece(Piece)
    case upload(Upload)
    case fetch(Fetch)
    case ping
  }

  /// What a server says.
  package enum ServerFrame: Hashable, Sendable {
    case welcome(Welcome)
    case events(Events)
    case receipts(Receipts)
    case refused(Refused)
    case piece(Piece)
    case uploaded(Uploaded)
    case data(Bytes)
    case uploadRefused(TransferRefused)
    case fetchRefused(TransferRefused)
    case pong(Pong)
    case failure(Failure)
    /// A type of a later minor change, to be passed over.
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
    case "upload": self = .upload(try .init(from: decoder))
    case "fetch": self = .fetch(try .init(from: decoder))
    case "ping": self = .ping
    default:
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: container, debugDescription: "unknown frame type")
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: TypeKey.self)
    switch self {
    case .hello(let payload):
      try container.encode("hello", forKey: .type)
      try payload.encode(to: encoder)
    case .sync(let payload):
      try container.encode("sync", forKey: .type)
      try payload.encode(to: encoder)
    case .send(let payload):
      try container.encode("send", forKey: .type)
      try payload.encode(to: encoder)
    case .piece(let payload):
      try container.encode("piece", forKey: .type)
      try payload.encode(to: encoder)
    case .upload(let payload):
      try container.encode("upload", forKey: .type)
      try payload.encode(to: encoder)
    case .fetch(let payload):
      try container.encode("fetch", forKey: .type)
      try payload.encode(to: encoder)
    case .ping: try container.encode("ping", forKey: .type)
    }
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
    var container = encoder.container(keyedBy: TypeKey.self)
    switch self {
    case .welcome(let payload):
      try container.encode("welcome", forKey: .type)
      try payload.encode(to: encoder)
    case .events(let payload):
      try container.encode("events", forKey: .type)
      try payload.encode(to: encoder)
    case .receipts(let payload):
      try container.encode("receipts", forKey: .type)
      try payload.encode(to: encoder)
    case .refused(let payload):
      try container.encode("refused", forKey: .type)
      try payload.encode(to: encoder)
    case .piece(let payload):
      try container.encode("piece", forKey: .type)
      try payload.encode(to: encoder)
    case .uploaded(let payload):
      try container.encode("uploaded", forKey: .type)
      try payload.encode(to: encoder)
    case .data(let payload):
      try container.encode("data", forKey: .type)
      try payload.encode(to: encoder)
    case .uploadRefused(let payload):
      try container.encode("uploadRefused", forKey: .type)
      try payload.encode(to: encoder)
    case .fetchRefused(let payload):
      try container.encode("fetchRefused", forKey: .type)
      try payload.encode(to: encoder)
    case .pong(let payload):
      try container.encode("pong", forKey: .type)
      try payload.encode(to: encoder)
    case .failure(let payload):
      try container.encode("failure", forKey: .type)
      try payload.encode(to: encoder)
    case .unknown(let type): try container.encode(type, forKey: .type)
    }
  }
}
