import FlyingFox
import Foundation
import Synchronization

/// The forum's server, small and in memory: what a test has in place of a server that nobody can change.
///
/// ```
///   PUT    /rooms/ROOM                      a room with its members, unless it is there
///   POST   /rooms/ROOM/posts                a new post, each time: a nonce is kept, and not looked at
///   GET    /rooms/ROOM/events?before=EVENT  the fifty events before that one, or the newest
///   PATCH  /posts/POST                      another text
///   DELETE /posts/POST
///   PUT    /posts/POST/reactions/VALUE      DELETE takes it back
///   PUT    /posts/POST/read                 the room is read up to here
///   POST   /files                           a file's bytes, under a name that the server gives. GET /files/NAME
///   GET    /rooms                           the account's rooms, each with its last event
///   GET    /feed?after=EVENT                a WebSocket: what has happened since, and what happens
/// ```
///
/// An account is its name, in the field `Authorization`. Nobody but a room's members sees it, and only a post's author
/// changes it.
final class ForumServer: Sendable {
  /// Whether the feed tells what has happened since. Otherwise it tells only what happens while it is open.
  let replays: Bool

  init(replays: Bool = true) { self.replays = replays }

  struct Post: Sendable {
    var id, room, author, text: String
    var nonce: String?
    var isDeleted = false
    var reactions: [(value: String, by: String)] = []
    var files: [String] = []
  }

  /// What the server does wrong, for a test.
  enum Fault: Sendable {
    /// Answers with this status, and carries nothing out.
    case refuse(Int)
    /// Carries the request out, and answers as a proxy does that has lost the answer.
    case loseAnswer
  }

  fileprivate struct State {
    var rooms: [String: [String]] = [:]
    var removed: Set<String> = []
    var posts: [Post] = []
    var readMarks: [String: [String: String]] = [:]
    var events: [Forum.Event] = []
    var files: [String: Data] = [:]
    var listeners: [Int: (account: String, feed: AsyncStream<WSMessage>.Continuation)] = [:]
    var connections = 0
    var faults: [Fault] = []
    var busyUntil: ContinuousClock.Instant?
    var expired: Set<String> = []
  }

  private let state = Mutex(State())

  /// The posts of a room, in the order in which they came. A removed room has none.
  func posts(in room: String) -> [Post] {
    state.withLock { state in
      state.removed.contains(room) ? [] : state.posts.filter { $0.room == room }
    }
  }

  /// The post up to which each member has read.
  func readMarks(in room: String) -> [String: String] { state.withLock { $0.readMarks[room] ?? [:] } }

  /// The bytes of a post's files.
  func files(of post: Post) -> [Data] {
    state.withLock { state in post.files.map { state.files[$0] ?? Data() } }
  }

  /// Lets the next posts fail.
  func fail(_ fault: Fault, times: Int) {
    state.withLock { $0.faults += Array(repeating: fault, count: times) }
  }

  /// Takes no post for some time.
  func beBusy(for time: Duration) { state.withLock { $0.busyUntil = .now + time } }

  /// Removes a room, and tells its members.
  func remove(_ room: String) {
    state.withLock { state in
      state.tell("gone", in: room, by: "", Forum.Post())
      state.removed.insert(room)
    }
  }

  /// Knows an account no longer.
  func expire(_ account: String) { state.withLock { _ = $0.expired.insert(account) } }

  func behave() { state.withLock { ($0.faults, $0.busyUntil, $0.expired) = ([], nil, []) } }

  /// Answers until the task is cancelled.
  ///
  /// - Parameter listening: called with the port.
  func run(port: UInt16, listening: @Sendable (UInt16) -> Void) async throws {
    let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: port), logger: .disabled)
    await server.appendRoute("GET /feed") { request in
      let account = request.headers[.authorization] ?? ""
      guard let feed = self.feed(of: account, after: request.query["after"] ?? "") else {
        return HTTPResponse(statusCode: .unauthorized)
      }
      return try await WebSocketHTTPHandler(handler: MessageFrameWSHandler(handler: Feed(feed: feed)))
        .handleRequest(request)
    }
    await server.appendRoute("*") { request in
      self.answer(
        to: request.method.rawValue, request.path.split(separator: "/").map(String.init),
        before: request.query["before"], by: request.headers[.authorization] ?? "",
        try await request.bodyData)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      try await server.waitUntilListening()
      guard case .ip4(_, let port) = await server.listeningAddress else { throw CancellationError() }
      listening(port)
      try await group.next()
    }
  }

  /// Ends all feeds, as the end of a process does.
  func hangUp() {
    let feeds = state.withLock { state in
      defer { state.listeners = [:] }
      return state.listeners.values.map(\.feed)
    }
    for feed in feeds { feed.finish() }
  }

  private struct Feed: WSMessageHandler {
    let feed: AsyncStream<WSMessage>

    func makeMessages(for client: AsyncStream<WSMessage>) async throws -> AsyncStream<WSMessage> { feed }
  }

  /// The feed has everything from before the server says yes. Nil for an account that it does not know.
  private func feed(of account: String, after event: String) -> AsyncStream<WSMessage>? {
    let (feed, continuation) = AsyncStream<WSMessage>.makeStream()
    return state.withLock { state in
      guard !state.expired.contains(account) else { return nil }
      state.connections += 1
      state.listeners[state.connections] = (account, continuation)
      for told in state.events
      where replays && told.id > event && state.rooms[told.room]?.contains(account) == true
        && (told.kind == "gone" || !state.removed.contains(told.room))
      {
        continuation.yield(told.frame)
      }
      return feed
    }
  }
}

/// Requests.
extension ForumServer {
  private func answer(
    to method: String, _ path: [String], before event: String?, by account: String, _ body: Data
  ) -> HTTPResponse {
    let sent = try? JSONDecoder().decode(Forum.Post.self, from: body)
    return state.withLock { state in
      if state.expired.contains(account) { return HTTPResponse(statusCode: .unauthorized) }
      return switch (method, path.first, path.count) {
      case ("POST", "files", 1): state.keep(body)
      case ("GET", "files", 2):
        HTTPResponse(
          statusCode: state.files[path[1]] == nil ? .notFound : .ok, body: state.files[path[1]] ?? Data())
      case ("GET", "rooms", 1): state.list(by: account)
      case ("PUT", "rooms", 2): state.makeRoom(path[1], sent?.members ?? [], by: account)
      case ("POST", "rooms", 3): state.post(sent ?? Forum.Post(), in: path[1], by: account)
      case ("GET", "rooms", 3): state.page(of: path[1], before: event ?? "", by: account)
      case (_, "posts", 2...): state.change(method, Array(path.dropFirst()), sent?.text, by: account)
      default: HTTPResponse(statusCode: .notFound)
      }
    }
  }
}

extension ForumServer.State {
  func isMember(_ account: String, of room: String) -> Bool {
    rooms[room]?.contains(account) == true && !removed.contains(room)
  }

  mutating func makeRoom(_ room: String, _ members: [String], by account: String) -> HTTPResponse {
    guard rooms[room] == nil else { return HTTPResponse(statusCode: .noContent) }
    rooms[room] = members
    tell("room", in: room, by: account, Forum.Post(members: members))
    return HTTPResponse(statusCode: .created)
  }

  mutating func keep(_ file: Data) -> HTTPResponse {
    let name = "f\(files.count + 1)"
    files[name] = file
    return HTTPResponse(
      statusCode: .created, body: (try? JSONEncoder().encode(Forum.Post(id: name))) ?? Data())
  }

  func list(by account: String) -> HTTPResponse {
    let rooms = rooms.filter { isMember(account, of: $0.key) }.map { room, members in
      Forum.Room(id: room, members: members, last: events.last { $0.room == room }?.id ?? "")
    }
    return HTTPResponse(statusCode: .ok, body: (try? JSONEncoder().encode(rooms)) ?? Data())
  }

  /// The last events before one, or the newest, in their order.
  func page(of room: String, before event: String, by account: String) -> HTTPResponse {
    guard isMember(account, of: room) else { return HTTPResponse(statusCode: .forbidden) }
    let page = events.filter { $0.room == room && (event.isEmpty || $0.id < event) }.suffix(Forum.pageSize)
    return HTTPResponse(statusCode: .ok, body: (try? JSONEncoder().encode(Array(page))) ?? Data())
  }

  mutating func post(_ post: Forum.Post, in room: String, by account: String) -> HTTPResponse {
    guard isMember(account, of: room) else { return HTTPResponse(statusCode: .forbidden) }
    if let busyUntil, busyUntil > .now {
      let seconds = Int(((busyUntil - .now) / .seconds(1)).rounded(.up))
      return HTTPResponse(
        statusCode: .tooManyRequests, headers: HTTPHeaders([HTTPHeader("Retry-After"): String(seconds)]))
    }
    let fault = faults.isEmpty ? nil : faults.removeFirst()
    if case .refuse(let status) = fault {
      return HTTPResponse(statusCode: HTTPStatusCode(status, phrase: ""))
    }
    let id = "p\(posts.count + 1)"
    posts.append(
      ForumServer.Post(
        id: id, room: room, author: account, text: post.text ?? "", nonce: post.nonce,
        files: post.files?.map(\.id) ?? []))
    var told = post
    told.id = id
    let event = tell("post", in: room, by: account, told)
    if case .loseAnswer = fault { return HTTPResponse(statusCode: .badGateway) }
    return HTTPResponse(statusCode: .created, body: (try? JSONEncoder().encode(event.post)) ?? Data())
  }

  mutating func change(_ method: String, _ path: [String], _ text: String?, by account: String)
    -> HTTPResponse
  {
    guard let index = posts.firstIndex(where: { $0.id == path[0] }),
      isMember(account, of: posts[index].room)
    else { return HTTPResponse(statusCode: .notFound) }
    let isAuthor = posts[index].author == account
    guard !posts[index].isDeleted else {
      return HTTPResponse(statusCode: method == "PATCH" ? .gone : .noContent)
    }
    var kind: String
    switch (method, path.dropFirst().first) {
    case ("PATCH", nil) where isAuthor: (kind, posts[index].text) = ("edit", text ?? "")
    case ("DELETE", nil) where isAuthor:
      kind = "delete"
      (posts[index].isDeleted, posts[index].text, posts[index].reactions) = (true, "", [])
      posts[index].files = []
    case (_, "reactions") where path.count == 3:
      kind = method == "PUT" ? "react" : "unreact"
      posts[index].reactions.removeAll { $0 == (path[2], account) }
      if method == "PUT" { posts[index].reactions.append((path[2], account)) }
    case ("PUT", "read"):
      kind = "read"
      readMarks[posts[index].room, default: [:]][account] = path[0]
    default: return HTTPResponse(statusCode: .forbidden)
    }
    let told = Forum.Post(id: path[0], text: path.count == 3 ? path[2] : text)
    let event = tell(kind, in: posts[index].room, by: account, told)
    return HTTPResponse(
      statusCode: .ok, body: (try? JSONEncoder().encode(Forum.Post(at: event.post.at))) ?? Data())
  }

  /// Notifies the members of what happened. No two events have the same time.
  @discardableResult
  mutating func tell(_ kind: String, in room: String, by account: String, _ post: Forum.Post) -> Forum.Event {
    var post = post
    post.at = max(Int(Date().timeIntervalSince1970 * 1000), (events.last?.post.at ?? 0) + 1)
    let event = Forum.Event(
      id: String(format: "e%09d", events.count + 1), kind: kind, room: room, by: account, post: post)
    events.append(event)
    for (number, listener) in listeners where rooms[room]?.contains(listener.account) == true {
      if case .terminated = listener.feed.yield(event.frame) { listeners[number] = nil }
    }
    return event
  }
}

extension Forum.Event {
  fileprivate var frame: WSMessage {
    .text(String(decoding: (try? JSONEncoder().encode(self)) ?? Data(), as: UTF8.self))
  }
}
