// The declarations used by the blocks about Firestore. The module is empty without its trait; its tests call these
// members too.
import Foundation
import HoldfastTransport

struct FirestoreTransport: Transport {
  init(project: String, server: URL? = nil, token: @escaping @Sendable () async throws -> String) {}
  func withConnection(
    resumingAfter cursor: SyncCursor?, _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {}
}

/// As in Firebase Authentication.
final class Auth: Sendable {
  struct User: Sendable {
    let uid: String
    func getIDToken() async throws -> String { some() }
  }
  static func auth() -> Auth { some() }
  var currentUser: User? { some() }
}
