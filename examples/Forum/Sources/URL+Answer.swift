import Foundation
import Holdfast

#if !canImport(Darwin)
  import FoundationNetworking
#endif

extension URL {
  /// Sends a request, and returns the server's answer.
  ///
  /// - Throws: `URLError` when there is none; `ConnectionFailure` when the account is signed out.
  func answer(
    to method: String, _ body: Data?, by account: String
  ) async throws -> (status: Int, retryAfter: Duration?, body: Data) {
    var request = URLRequest(url: self)
    (request.httpMethod, request.httpBody, request.timeoutInterval) = (method, body, 5)
    request.setValue(account, forHTTPHeaderField: "Authorization")
    let (data, response) = try await request.answer()
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    if response.statusCode == 401 { throw ConnectionFailure(.unauthorized) }
    let seconds = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
    return (response.statusCode, seconds.map { .seconds($0) }, data)
  }
}

extension URLRequest {
  fileprivate func answer() async throws -> (Data, URLResponse?) {
    #if canImport(Darwin)
      return try await URLSession.shared.data(for: self)
    #else
      // On Linux, URLSession crashes now and then when a request is cancelled (swift-corelibs-foundation, issue 5469), and
      // waits for a lost answer on a connection that it uses again. So each request has its own, and ends by itself.
      let session = URLSession(configuration: .ephemeral)
      defer { session.finishTasksAndInvalidate() }
      return try await withCheckedThrowingContinuation { continuation in
        session.dataTask(with: self) { body, response, error in
          continuation.resume(with: error.map { .failure($0) } ?? .success((body ?? Data(), response)))
        }.resume()
      }
    #endif
  }
}
