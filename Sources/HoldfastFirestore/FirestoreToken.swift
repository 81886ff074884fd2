#if Firestore
  import Foundation
  import HoldfastCore
  import HoldfastTransport

  /// The ID token of Firebase Authentication, a JSON Web Token ([RFC 7519](https://www.rfc-editor.org/rfc/rfc7519)).
  /// Only the account's name is read from it; the server verifies it.
  enum FirestoreToken {
    private struct Claims: Decodable { var sub: String }

    /// The account that the token names.
    static func account(of token: @Sendable () async throws -> String) async throws -> UserID {
      let parts = try await BearerToken.value(of: token).split(
        separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 3, let payload = Data(base64URL: parts[1]),
        let claims = try? JSONDecoder().decode(Claims.self, from: payload), !claims.sub.isEmpty
      else { throw ConnectionFailure(.unauthorized, detail: "the token names no account") }
      return UserID(rawValue: claims.sub)
    }
  }

  extension Data {
    /// Decodes the alphabet for URLs, without padding ([RFC 4648](https://www.rfc-editor.org/rfc/rfc4648), section 5).
    fileprivate init?(base64URL text: Substring) {
      let plain = String(text).replacing("-", with: "+").replacing("_", with: "/")
      self.init(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4))
    }
  }
#endif
