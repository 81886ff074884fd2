import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

extension ChatServer {
  /// Sets the accounts that may connect, and makes the new ones. An account that is missing from `tokens` loses its
  /// token, and its connections end with `unauthorized`. The connections of an account with a changed token end too.
  /// Accounts with an unchanged token are unaffected.
  ///
  /// ```swift
  /// let server = try ChatServer(folder: folder)
  /// try await server.setAccounts(["alice": token])
  /// ```
  ///
  /// A removed account keeps its messages, and its place among the members of its conversations. It has all of them
  /// again when it returns.
  ///
  /// The change is one transaction: after an error or a crash, the accounts are unchanged. Accounts may swap tokens.
  /// Tokens are stored as ``register(_:token:)`` stores them.
  ///
  /// - Throws: ``ServerError`` with `invalidAccount`, `tokenTaken` when two accounts have the same token,
  ///   `storageFailed` or `stopped`. The accounts are then unchanged.
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
        // Old tokens are removed first, so that another account may get one of them.
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
