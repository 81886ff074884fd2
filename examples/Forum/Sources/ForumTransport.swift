import Foundation
import Holdfast
import HoldfastTransport

/// A forum that knows nothing of Holdfast: REST to write, and a WebSocket that pushes. Its server names posts and tells their
/// times. It gives no order, and cannot be asked for our ID, but a post's nonce comes back.
struct Forum: Sendable {
  struct Post: Codable { var id, text, nonce, replyTo: String?, at: Int?, members: [String]?, files: [File]? }
  struct Event: Codable { var id, kind, room, by: String, post: Post }

  var url: URL
  var account: String
  var forgetsNonces = false
  var pingInterval = Duration.seconds(20)

  var transport: RequestTransport {
    RequestTransport(TransportCapabilities(fields: [.reply], placesByEvents: true)) { message in
      if !message.members.isEmpty {  // The server may not know the conversation.
        let answer = try await makeRoom(of: message)
        guard case .accepted = answer else { return answer }
      }
      let reply = message.serverIDs.replyTo
      let files = message.attachments.map(File.init)
      let post = Post(text: message.text, nonce: message.id.rawValue, replyTo: reply, files: files)
      return try await call("POST", "rooms/\(message.conversation)/posts", post)
    }
    .edits { try await call("PATCH", "posts/\($0.serverIDs.target ?? "")", Post(text: $0.text)) }
    .deletions { try await call("DELETE", "posts/\($0.serverIDs.target ?? "")") }
    .reactions {
      let method = $0.operation?.kind == .react ? "PUT" : "DELETE"
      return try await call(method, "posts/\($0.serverIDs.target ?? "")/reactions/\($0.text)")
    }
    .readMarks { mark in
      // What the server has taken comes back as an event. The engine repeats a mark that has not come back.
      let path = url.appending(path: "posts/\(mark.serverID ?? "")/read")
      let (status, retryAfter, _) = try await path.answer(to: "PUT", nil, by: account)
      if status == 429 || status >= 500 { throw ConnectionFailure(.unavailable, retryAfter: retryAfter) }
    }
    .receiving { cursor, sink in
      let place = URLQueryItem(name: "after", value: cursor?.rawValue)
      let feed = url.appending(path: "feed").appending(queryItems: [place])
      try await PushSocket(url: feed, account: account, pingInterval: pingInterval).open(opened: {
        sink.ready()
      }) { text in
        let event = try JSONDecoder().decode(Event.self, from: Data(text.utf8))
        try await sink([item(event)].compactMap(\.self), cursor: SyncCursor(rawValue: event.id))
      }
    }
  }

  /// Makes the room of a message. The post has not left, so that a lost answer leaves it in no doubt.
  private func makeRoom(of message: OutgoingMessage) async throws -> Answer {
    let room = Post(members: message.members.map(\.rawValue))
    do {
      let answer = try await call("PUT", "rooms/\(message.conversation)", room)
      guard case .refused(.outcomeUnknown(let wait)) = answer else { return answer }
      return .refused(.notNow(after: wait, mayHaveArrived: false))
    } catch let failure as ConnectionFailure {
      throw failure
    } catch {
      throw ConnectionFailure(.unreachable, detail: "\(type(of: error))")
    }
  }

  typealias Answer = RequestTransport.Answer
  private func call(_ method: String, _ path: String, _ post: Post? = nil) async throws -> Answer {
    let sent = try post.map { try JSONEncoder().encode($0) }
    let (status, retryAfter, body) = try await url.appending(path: path).answer(to: method, sent, by: account)
    // This server says 429 before it looks at a post.
    if status == 429 { return .refused(.notNow(after: retryAfter, mayHaveArrived: false)) }
    let answer = try Answer.status(status)
    guard case .accepted = answer, !body.isEmpty else { return answer }
    let told = try JSONDecoder().decode(Post.self, from: body)
    return .accepted(at: told.date, serverID: told.id)
  }

  func item(_ event: Event) -> IncomingItem? {
    let (room, user) = (ConversationID(rawValue: event.room), UserID(rawValue: event.by))
    let (post, name) = (event.post, MessageID(rawValue: event.post.id ?? ""))
    switch event.kind {
    case "room":
      let members = post.members?.map(UserID.init(rawValue:)) ?? []
      return .conversation(.init(id: room, title: nil, members: members))
    case "gone": return .removed(room)
    case "post":
      let id = forgetsNonces ? name : post.nonce.map(MessageID.init(rawValue:)) ?? name
      let content = MessageContent(post.text ?? "", replyTo: post.replyTo.map(MessageID.init(rawValue:)))
      let files = post.files?.map(\.sent) ?? []
      return .message(
        IncomingMessage(
          id: id, conversation: room, sender: user, content: content, order: nil, createdAt: post.date,
          attachments: files.map(\.attachment),
          attachmentServerIDs: Dictionary(files.map { ($0.attachment.checksum, $0.serverID) }) { $1 },
          serverID: post.id))
    case "read": return .readMark(.init(conversation: room, reader: user, message: name, order: nil))
    default:  // "edit", "delete", "react" and "unreact" are named as the engine names them.
      guard let kind = MessageOperation.Kind(rawValue: event.kind) else { return nil }
      let (change, text) = (MessageOperation(kind, of: name), MessageContent(post.text ?? ""))
      return .operation(.init(change, text, in: room, by: user, at: post.date, serverID: event.id))
    }
  }
}

extension Forum.Post { var date: Date { Date(timeIntervalSince1970: Double(at ?? 0) / 1000) } }
