import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

extension ChatServer {
  /// Makes these the accounts that may connect, and no others. New ones are made. An account that is not among them
  /// loses its token, and its connections end with `unauthorized`, as do those of an account whose token is another
  /// one. Accounts with the same token as before notice nothing.
  ///
  /// ```swift
  /// let server = try ChatServer(folder: folder)
  /// try await server.setAccounts(["alice": token])
  /// ```
  ///
  /// An account that is gone keeps its messages, and its place among the members of its conversations. It has all of
  /// them again when it comes back.
  ///
  /// All of it is one transaction: after an error or a crash, the accounts are those of before. Accounts may exchange
  /// their tokens. Tokens are stored as ``register(_:token:)`` stores them.
  ///
  /// - Throws: ``ServerError`` with `invalidAccount`, `tokenTaken` when two accounts have the same token,
  ///   `storageFailed` or `stopped`. No account has changed then.
  public func setAccounts(_ tokens: [UserID: String]) throws {
    guard !isStopped else { throw ServerError.stopped }
    guard tokens.allSatisfy({ $0.key.isWellFormed && !$0.value.isEmpty }) else {
      throw ServerError.invalidAccount
    }
    let digests = tokens.mapValues { Data(SHA256Sum(of: Data($0.utf8)).bytes) }
    let ended = try throwingServerError {
      try database.write { db in
        let accounts = Accounts(db: db)
        let ended = try accounts.digests().filter { $0.value != digests[$0.key] }.keys
        // The old tokens go first, so that another account may have one of them.
        for account in ended { try accounts.retire(account) }
        for (account, token) in tokens { _ = try accounts.register(account, token: token) }
        return ended.sorted { $0.rawValue < $1.rawValue }
      }
    }
    for account in ended {
      for connection in sessions.connections(of: account) {
        fail(connection, .unauthorized, "The account is closed, or has a new token.")
      }
    }
  }

  /// The number of accounts that may connect.
  ///
  /// - Throws: ``ServerError`` with `storageFailed` or `stopped`.
  package func accountCount() throws -> Int {
    guard !isStopped else { throw ServerError.stopped }
    return try throwingServerError { try database.read { try Accounts(db: $0).count() } }
  }
}
