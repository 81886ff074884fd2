import Foundation
import HoldfastCore
import Synchronization

#if !canImport(Darwin)
  import FoundationNetworking
#endif

/// Sends requests over `URLSession`, each over its own session and connection. On Linux a reused connection whose
/// response is lost waits for its whole time-out, and sends a request without a body twice.
package struct URLSessionHTTPClient: HTTPClient {
  package init() {}

  package func send(_ request: HTTPRequest) -> any HTTPTask { URLSessionHTTPTask(request) }
}

/// A request over its own session.
private final class URLSessionHTTPTask: NSObject, HTTPTask, URLSessionDataDelegate {
  /// The high-water mark of unread bytes, above which the connection is paused.
  private static let high = 1 << 20
  /// The low-water mark of unread bytes, below which the connection is resumed.
  private static let low = 1 << 18
  /// The most unread bytes. On Linux a suspended task cannot be resumed, so none is suspended.
  private static let most = 64 << 20

  private struct State {
    var head: HTTPHead?
    var pieces: [Data] = []
    var bytes = 0
    var end: Result<Void, HTTPFailure>?
    var isResting = false
    var task: URLSessionDataTask?
  }
  private let state = Mutex(State())
  private let signal = Signal()

  init(_ request: HTTPRequest) {
    super.init()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    let task = session.dataTask(with: Self.urlRequest(request))
    state.withLock { $0.task = task }
    task.resume()
    // The session, which retains its delegate, ends with its only task.
    session.finishTasksAndInvalidate()
  }

  private static func urlRequest(_ request: HTTPRequest) -> URLRequest {
    var urlRequest = URLRequest(url: request.url)
    urlRequest.httpMethod = request.method
    urlRequest.httpBody = request.body
    for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
    // The reader has its own limits.
    urlRequest.timeoutInterval = 86_400
    return urlRequest
  }

  func head() async throws -> HTTPHead {
    while true {
      try Task.checkCancellation()
      let (head, end) = state.withLock { ($0.head, $0.end) }
      if let head { return head }
      if let end {
        try end.get()
        throw HTTPFailure(.unreachable)
      }
      await signal.wait()
    }
  }

  func next() async throws -> Data? {
    while true {
      try Task.checkCancellation()
      let (piece, end) = state.withLock { state -> (Data?, Result<Void, HTTPFailure>?) in
        guard !state.pieces.isEmpty else { return (nil, state.end) }
        let piece = state.pieces.removeFirst()
        state.bytes -= piece.count
        if state.isResting, state.bytes < Self.low {
          state.isResting = false
          state.task?.resume()
        }
        return (piece, nil)
      }
      if let piece { return piece }
      if let end {
        try end.get()
        return nil
      }
      await signal.wait()
    }
  }

  func cancel() {
    let task = state.withLock { state in
      state.pieces = []
      return state.task
    }
    task?.cancel()
  }

  private func finish(_ end: Result<Void, HTTPFailure>) {
    state.withLock { state in
      if state.end == nil { state.end = end }
      state.task = nil
    }
    signal.raise()
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let response = response as? HTTPURLResponse
    // An informational response, such as 103 (RFC 9110, section 15.2).
    guard response.map({ $0.statusCode >= 200 }) != false else { return completionHandler(.allow) }
    let headers = (response?.allHeaderFields ?? [:]).reduce(into: [String: String]()) { headers, field in
      if let name = field.key as? String, let value = field.value as? String { headers[name] = value }
    }
    state.withLock { $0.head = HTTPHead(status: response?.statusCode ?? 0, headers: headers) }
    signal.raise()
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isOverrun = state.withLock { state in
      guard state.end == nil else { return false }
      state.pieces.append(data)
      state.bytes += data.count
      #if canImport(Darwin)
        if !state.isResting, state.bytes > Self.high {
          state.isResting = true
          dataTask.suspend()
        }
      #endif
      return state.bytes > Self.most
    }
    if isOverrun {
      finish(.failure(HTTPFailure(.overrun)))
      dataTask.cancel()
    }
    signal.raise()
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    finish(error.map { .failure(HTTPFailure($0)) } ?? .success(()))
  }

  /// A redirect is not followed: a key must not go to another server.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}

extension HTTPFailure {
  fileprivate init(_ error: any Error) {
    let code = (error as? URLError)?.code
    let kind: Kind =
      switch code {
      case .cannotFindHost, .dnsLookupFailed: .unknownHost
      case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
        .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot, .clientCertificateRejected,
        .clientCertificateRequired:
        .untrusted
      default: .unreachable
      }
    self.init(kind, code: (error as NSError).code)
  }
}
