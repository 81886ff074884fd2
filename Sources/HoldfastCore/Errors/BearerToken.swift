/// The token that an app gives a transport for the `Authorization` header
/// ([RFC 6750](https://www.rfc-editor.org/rfc/rfc6750), section 2.1).
package enum BearerToken {
  /// Asks the app for its token.
  ///
  /// - Throws: ``ConnectionFailure`` with `.unauthorized` when there is no token, or none that a header can carry;
  ///   `CancellationError`; and a ``ConnectionFailure`` of the app's.
  package static func value(of token: @Sendable () async throws -> String) async throws -> String {
    let value: String
    do {
      value = try await token()
    } catch let failure as ConnectionFailure {
      throw failure
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      // The app's error may quote the token, so only its type is named.
      throw ConnectionFailure(.unauthorized, detail: "no token (\(type(of: error)))")
    }
    // A line break would let the token write other headers.
    guard !value.isEmpty, value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw ConnectionFailure(.unauthorized, detail: "the token is empty, or not a bearer token")
    }
    return value
  }
}
