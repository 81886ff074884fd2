import Foundation
import Holdfast
import NIOCore
import NIOHTTP1

/// Serves pages over HTTP to this machine only. Each connection has one request.
///
/// The bounds are those of ``ServerSockets``. The time limit applies to a request's head, then to each further piece
/// of its body, and to each piece of the response: a file may take any time as long as it makes progress.
package struct PageServer: Sendable {
  let sockets: ServerSockets
  private let answer: @Sendable (PageRequest) async -> PageAnswer

  private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

  /// - Parameter answer: answers a request.
  package init(
    atMost maximumSockets: Int = 200, environment: ChatEnvironment,
    answer: @escaping @Sendable (PageRequest) async -> PageAnswer
  ) {
    sockets = ServerSockets(atMost: maximumSockets, environment: environment)
    self.answer = answer
  }

  /// Serves until the task is cancelled, which ends every request.
  ///
  /// - Parameters:
  ///   - port: 0 means any free port.
  ///   - onListening: called once, with the port.
  /// - Throws: `IOError` when the port cannot be used.
  package func run(on port: Int, onListening: (Int) -> Void) async throws {
    let address = try SocketAddress(ipAddress: "127.0.0.1", port: port)
    let listener = try await sockets.listen(on: address) { channel in
      try channel.pipeline.syncOperations.addHandlers([
        HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder()), HTTPServerProtocolErrorHandler(),
      ])
      return try Connection(wrappingChannelSynchronously: channel)
    }
    onListening(listener.channel.localAddress?.port ?? port)
    // A failing connection does not affect others.
    try await sockets.serve(listener) { try? await serve($0) }
  }

  private func serve(_ connection: Connection) async throws {
    try await connection.executeThenClose { parts, _ in
      var parts = parts.makeAsyncIterator()
      guard case .head(let head)? = try await parts.next() else { return }
      let pending = sockets.pending
      pending.extend(connection.channel)
      let request = PageRequest(head, parts, on: connection.channel, pending)
      if !request.hasBody { _ = try await request.nextPiece() }
      let answer = await answer(request)
      var headers = answer.headers
      headers.replaceOrAdd(name: "Connection", value: "close")
      if case .data(let data) = answer.body {
        headers.replaceOrAdd(name: "Content-Length", value: "\(data.count)")
      }
      pending.extend(connection.channel)
      try await write(
        .head(HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)), to: connection)
      switch answer.body {
      case .data(let data):
        var rest = data[...]
        while !rest.isEmpty {
          try await write(.body(.byteBuffer(ByteBuffer(bytes: rest.prefix(65_536)))), to: connection)
          rest = rest.dropFirst(65_536)
          pending.extend(connection.channel)
        }
        try await write(.end(nil), to: connection)
        // A socket that is closed with unread bytes is reset, and the response lost.
        if !request.isWhole { await request.untilClosed() }
      case .pieces(let pieces):
        pending.complete(connection.channel)
        await withTaskGroup { group in
          group.addTask {
            do {
              for await piece in pieces {
                try await write(.body(.byteBuffer(ByteBuffer(bytes: piece))), to: connection)
              }
              try await write(.end(nil), to: connection)
            } catch {
              // The browser has disconnected.
            }
            connection.channel.close(promise: nil)
          }
          // The browser has disconnected, or the pieces have ended.
          await request.untilClosed()
          group.cancelAll()
        }
      }
    }
  }

  /// Returns when the system has all bytes, so that unread data does not accumulate here.
  private func write(_ part: HTTPServerResponsePart, to connection: Connection) async throws {
    try await connection.channel.writeAndFlush(part).get()
  }
}

/// A request for a page. Its body is read piece by piece, by one task at a time.
package final class PageRequest {
  package let method: HTTPMethod
  /// The path without the query, undecoded.
  package let path: String
  package let query: [URLQueryItem]
  package let headers: HTTPHeaders
  /// Whether all of the body was read.
  private(set) var isWhole = false
  private var parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
  private let channel: any Channel
  private let pending: PendingSockets

  fileprivate init(
    _ head: HTTPRequestHead, _ parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator,
    on channel: any Channel, _ pending: PendingSockets
  ) {
    (method, headers, self.parts) = (head.method, head.headers, parts)
    (self.channel, self.pending) = (channel, pending)
    path = String(head.uri.prefix { $0 != "?" })
    query = URLComponents(string: head.uri)?.queryItems ?? []
  }

  /// The value of a query item. Nil when it is missing.
  package func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
  /// The value of a header field. Nil when it is missing.
  package func header(_ name: String) -> String? { headers.first(name: name) }

  /// The length of the body, from the request's header. Nil when it is missing.
  package var length: Int? { header("Content-Length").flatMap(Int.init) }

  fileprivate var hasBody: Bool { length ?? 0 != 0 || header("Transfer-Encoding") != nil }

  /// The next piece of the body. Nil after the last one.
  ///
  /// - Throws: `ChannelError` when the request ends before it is whole, and `CancellationError`.
  package func nextPiece() async throws -> Data? {
    guard !isWhole else { return nil }
    switch try await parts.next() {
    case .body(let piece):
      pending.extend(channel)
      return Data(piece.readableBytesView)
    case .end:
      isWhole = true
      // From here on the other side waits.
      pending.complete(channel)
      return nil
    case .head, nil: throw ChannelError.inputClosed
    }
  }

  /// The whole body. Nil when it does not arrive, or is longer than `limit`.
  package func body(atMost limit: Int) async -> Data? {
    var body = Data()
    while true {
      guard let piece = try? await nextPiece() else { return isWhole ? body : nil }
      body.append(piece)
      if body.count > limit { return nil }
    }
  }

  fileprivate func untilClosed() async {
    while let part = try? await parts.next() { _ = part }
  }
}

package struct PageAnswer: Sendable {
  package enum Body: Sendable {
    case data(Data)
    /// Pieces that arrive over time, until the browser disconnects.
    case pieces(any AsyncSequence<Data, Never> & Sendable)
  }

  package var status: HTTPResponseStatus
  package var headers: HTTPHeaders = [:]
  package var body = Body.data(Data())

  package init(status: HTTPResponseStatus, headers: HTTPHeaders = [:], body: Body = .data(Data())) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }
}
