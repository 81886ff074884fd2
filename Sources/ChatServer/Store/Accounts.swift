import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay
import HoldfastStore

/// The accounts that may connect. Tokens are stored as SHA-256 digests, so that a copy of the file grants no access.
struct Accounts {
  let db: Database

  /// The account with this token. Nil when no account has it.
  ///
  /// The row is found by the first half of the digest and compared as a whole, in constant time, so that the
  /// response time reveals nothing about the rest of a stored digest.
  func find(token: String) throws -> UserID? {
    let digest = SHA256Sum(of: Data(token.utf8))
    let bytes = Data(digest.bytes)
    var floor = bytes.prefix(16)
    var ceiling = floor
    floor.append(Data(repeating: 0x00, count: 16))
    ceiling.append(Data(repeating: 0xFF, count: 16))
    let rows = try Row.fetchAll(
      db.cachedStatement(
        sql: "SELECT id, tokenDigest FROM account WHERE tokenDigest BETWEEN ? AND ?"),
      arguments: [Data(floor), Data(ceiling)])
    var found: UserID?
    for row in rows where digest.isEqualInConstantTime(to: row["tokenDigest"]) {
      found = UserID(rawValue: row["id"])
    }
    return found
  }

  func exists(_ account: UserID) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM account WHERE id = ?)"),
      arguments: [account.rawValue]) ?? false
  }

  /// The bytes that count against ``Limits/maximumStoredBytes``.
  func storedBytes(of account: UserID) throws -> Int64 {
    try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT storedBytes FROM account WHERE id = ?"), arguments: [account.rawValue])
      ?? 0
  }

  /// The outcome of ``register(_:token:)``.
  enum Registration: Sendable { case unchanged, added, tokenChanged }

  func register(_ account: UserID, token: String) throws -> Registration {
    if let owner = try find(token: token) {
      guard owner == account else {
        throw ServerError(.tokenTaken, "Another account has this token. Choose another token.")
      }
      return .unchanged
    }
    let known = try exists(account)
    try db.execute(
      sql: """
        INSERT INTO account (id, tokenDigest) VALUES (?, ?)
        ON CONFLICT (id) DO UPDATE SET tokenDigest = excluded.tokenDigest
        """,
      arguments: [account.rawValue, Data(SHA256Sum(of: Data(token.utf8)).bytes)])
    return known ? .tokenChanged : .added
  }

  /// The accounts that have a token, each with its digest.
  func digests() throws -> [UserID: Data] {
    let rows = try Row.fetchAll(db, sql: "SELECT id, tokenDigest FROM account WHERE \(Self.hasToken)")
    return Dictionary(uniqueKeysWithValues: rows.map { (UserID(rawValue: $0["id"]), $0["tokenDigest"]) })
  }

  /// The number of accounts that have a token.
  func count() throws -> Int {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM account WHERE \(Self.hasToken)") ?? 0
  }

  /// Removes the account's token. References to the account stay valid.
  func retire(_ account: UserID) throws {
    // No token has a digest that begins with 16 zeros. The rest differs by account, because no two digests may be
    // equal.
    let digest = Data(count: 16) + SHA256Sum(of: Data(account.rawValue.utf8)).bytes.prefix(16)
    try db.cachedStatement(sql: "UPDATE account SET tokenDigest = ? WHERE id = ?")
      .execute(arguments: [digest, account.rawValue])
  }

  /// An account without a token has a digest that begins with 16 zeros.
  static let hasToken = "substr(tokenDigest, 1, 16) <> zeroblob(16)"
}
