import Foundation
import HoldfastCore
import HoldfastHTTP

/// Sends requests in the name of a login, and renews its token where the server asks for that.
struct MatrixClient: Sendable {
  let tokens: MatrixTokens
  let httpClient: any HTTPClient
  let environment: ChatEnvironment

  /// Sends a request. With a new token once more, when the server no longer takes the last one.
  ///
  /// - Throws: as ``MatrixRequest/answer(from:token:httpClient:in:)``, and what the app's closures throw.
  func send(_ request: MatrixRequest) async throws -> MatrixAnswer {
    let login = try await tokens.login()
    do {
      return try await answer(to: request, as: login)
    } catch let refusal as MatrixRefusal where MatrixVerdict(refusal) == .unauthorized {
      guard let renewed = try await tokens.renewed(after: login, by: renew) else { throw refusal }
      return try await answer(to: request, as: renewed)
    }
  }

  /// Begins a request whose answer is read piece by piece.
  func start(_ request: MatrixRequest) async throws -> any HTTPTask {
    let login = try await tokens.login()
    return httpClient.send(try request.http(to: login.server, token: try await Self.token(of: login)))
  }

  private func answer(to request: MatrixRequest, as login: MatrixLogin) async throws -> MatrixAnswer {
    try await request.answer(
      from: login.server, token: try await Self.token(of: login), httpClient: httpClient, in: environment)
  }

  private static func token(of login: MatrixLogin) async throws -> String {
    try await BearerToken.value { login.accessToken }
  }

  /// Asks for a new access token
  /// ([`POST /refresh`](https://spec.matrix.org/v1.15/client-server-api/#post_matrixclientv3refresh)). Nil when the server gives none.
  private func renew(_ login: MatrixLogin) async throws -> MatrixLogin? {
    guard let token = login.refreshToken else { return nil }
    let request = MatrixRequest("POST", ["v3", "refresh"], body: ["refresh_token": .text(token)])
    do {
      let fields = try await request.answer(
        from: login.server, token: nil, httpClient: httpClient, in: environment
      ).fields()
      guard let access = fields.word("access_token") else { return nil }
      var renewed = login
      renewed.accessToken = access
      renewed.refreshToken = fields.word("refresh_token") ?? token
      return renewed
    } catch let refusal as MatrixRefusal where [.unauthorized, .denied].contains(MatrixVerdict(refusal)) {
      return nil
    }
  }
}

extension MatrixClient {
  /// An event by its name
  /// ([`GET /event`](https://spec.matrix.org/v1.15/client-server-api/#get_matrixclientv3roomsroomideventeventid)).
  func event(_ event: String, in room: String) async throws -> MatrixEvent? {
    MatrixEvent(try await send(MatrixRequest("GET", ["v3", "rooms", room, "event", event])).fields())
  }

  /// The events that refer to a message in this way
  /// ([`GET /relations`](https://spec.matrix.org/v1.15/client-server-api/#get_matrixclientv1roomsroomidrelationseventidreltype)).
  func related(to target: String, _ relation: String, in room: String) async throws -> [MatrixEvent] {
    var (found, from): ([MatrixEvent], String?) = ([], nil)
    repeat {
      var query = ["limit": "100"]
      query["from"] = from
      let path = ["v1", "rooms", room, "relations", target, relation]
      let fields = try await send(MatrixRequest("GET", path, query: query)).fields()
      found += fields.objects("chunk").compactMap(MatrixEvent.init)
      let next = fields.word("next_batch")
      from = next == from ? nil : next
    } while from != nil
    return found
  }
}

/// The login that requests are sent with, and its renewal, which several requests may ask for at once.
actor MatrixTokens {
  private let read: @Sendable () async throws -> MatrixLogin
  private let write: @Sendable (MatrixLogin) async throws -> Void
  private var present: MatrixLogin?
  private var isRenewing = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(
    read: @escaping @Sendable () async throws -> MatrixLogin,
    write: @escaping @Sendable (MatrixLogin) async throws -> Void
  ) {
    (self.read, self.write) = (read, write)
  }

  func login() async throws -> MatrixLogin {
    if let present { return present }
    let kept = try await kept()
    present = kept
    return kept
  }

  /// A login whose access token is another than that of `used`. Nil when no such login exists.
  func renewed(
    after used: MatrixLogin, by renew: @Sendable (MatrixLogin) async throws -> MatrixLogin?
  ) async throws -> MatrixLogin? {
    while isRenewing { await withCheckedContinuation { waiting.append($0) } }
    if let present, present.accessToken != used.accessToken { return present }
    isRenewing = true
    defer {
      isRenewing = false
      for waiter in waiting { waiter.resume() }
      waiting = []
    }
    // Another process of the app, or the app itself, may have renewed it.
    let kept = try await kept()
    if kept.accessToken != used.accessToken {
      present = kept
      return kept
    }
    guard let renewed = try await renew(kept) else { return nil }
    // The server forgets the old tokens when it sees a new one, so that the new ones are kept first.
    try await write(renewed)
    present = renewed
    return renewed
  }

  private func kept() async throws -> MatrixLogin {
    do { return try await read() } catch let failure as ConnectionFailure { throw failure } catch {
      try Task.checkCancellation()
      // The app's error may quote a token, so only its type is named.
      throw ConnectionFailure(.unauthorized, detail: "no login (\(type(of: error)))")
    }
  }
}
