#if (HTTPClient || Tools) && os(Linux)
  import AsyncHTTPClient
  import Foundation
  import HoldfastCore
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import NIOSSL

  /// Sends requests over async-http-client, on pooled connections. On Linux a request of `URLSession` that waits for
  /// its response keeps a processor busy, which a bot with a hundred of them cannot afford.
  package final class PooledHTTPClient: HTTPClient {
    private let client: AsyncHTTPClient.HTTPClient

    package init() {
      var configuration = AsyncHTTPClient.HTTPClient.Configuration()
      // A key must not go to another server.
      configuration.redirectConfiguration = .disallow
      configuration.timeout.connect = .seconds(20)
      // Each waiting request has its own connection.
      configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 4_096
      // Servers close idle connections after a minute or more.
      configuration.connectionPool.idleTimeout = .seconds(20)
      configuration.connectionPool.retryConnectionEstablishment = false
      client = AsyncHTTPClient.HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit { client.shutdown { _ in } }

    package func send(_ request: HTTPRequest) -> any HTTPTask { PooledHTTPTask(request, client) }
  }

  /// A request in flight. Unchecked, because the response's iterator is not `Sendable`: one task at a time reads it,
  /// and it is cancelled when nobody reads it.
  private final class PooledHTTPTask: HTTPTask, @unchecked Sendable {
    private let request: HTTPRequest
    private let client: AsyncHTTPClient.HTTPClient
    private var body: HTTPClientResponse.Body.AsyncIterator?

    init(_ request: HTTPRequest, _ client: AsyncHTTPClient.HTTPClient) {
      (self.request, self.client) = (request, client)
    }

    func head() async throws -> HTTPHead {
      var sent = HTTPClientRequest(url: request.url.absoluteString)
      sent.method = HTTPMethod(rawValue: request.method)
      for (name, value) in request.headers { sent.headers.replaceOrAdd(name: name, value: value) }
      if let bytes = request.body { sent.body = .bytes(ByteBuffer(bytes: bytes)) }
      do {
        // The reader has its own limits.
        let response = try await client.execute(sent, deadline: .distantFuture)
        body = response.body.makeAsyncIterator()
        return HTTPHead(
          status: Int(response.status.code),
          headers: Dictionary(response.headers.map { ($0.name, $0.value) }) { first, _ in first })
      } catch {
        throw try HTTPFailure(error)
      }
    }

    func next() async throws -> Data? {
      do {
        guard let piece = try await body?.next() else { return nil }
        return Data(piece.readableBytesView)
      } catch {
        throw try HTTPFailure(error)
      }
    }

    func cancel() { body = nil }
  }

  extension HTTPFailure {
    /// - Throws: `CancellationError` when the task is cancelled.
    fileprivate init(_ error: any Error) throws {
      try Task.checkCancellation()
      switch error {
      case is CancellationError: throw error
      case let error as HTTPClientError where error == .cancelled: throw CancellationError()
      case let error as NIOConnectionError:
        // No address was found, or none responded: the request was not sent.
        let isUnknown = error.connectionErrors.isEmpty
        self.init(isUnknown ? .unknownHost : .unreachable, code: isUnknown ? -1003 : -1004)
      case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: self.init(.untrusted)
      case let error as HTTPClientError where error == .connectTimeout: self.init(.unreachable, code: -1004)
      case let error as IOError: self.init(.unreachable, code: Int(error.errnoCode))
      default: self.init(.unreachable)
      }
    }
  }
#endif
