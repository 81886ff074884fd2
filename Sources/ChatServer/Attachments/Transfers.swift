import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay
import HoldfastStore

/// Receives and sends attachments, one piece at a time. Every function here runs without suspending. The last piece
/// of a file takes longest, because the file is then read once more to be verified.
///
/// ```
///            piece at its end                 all of it            checksum is right
/// (nothing) ─────────────────► part ──┐  ─────────────────► verify ────────────────► whole ─► in a message
///                                ▲────┘                       └─ wrong ─► (nothing)
/// ```
extension ChatServer {
  func accept(_ upload: Wire.Upload, from session: Session) {
    let checksum = ChatAttachment.Checksum(rawValue: upload.checksum)
    func refuse(_ code: Wire.TransferRefused.Code, _ explanation: String, retryAfter: Duration? = nil) {
      send(.uploadRefused(.init(upload.checksum, code, explanation, retryAfter)), to: session.id)
    }
    guard checksum.isWellFormed, upload.total >= 0, upload.offset >= 0, upload.offset <= upload.total,
      Int64(upload.data?.count ?? 0) <= upload.total - upload.offset
    else { return refuse(.malformed, "The piece does not fit the attachment's size.") }
    guard upload.total <= limits.maximumAttachmentBytes else {
      return refuse(.tooLarge, "This attachment is larger than the server accepts.")
    }
    guard upload.data?.count ?? 0 <= limits.maximumChunkBytes else {
      return refuse(.tooLarge, "A piece may have \(limits.maximumChunkBytes) bytes at most.")
    }
    if let wait = chargeTransfer(session.account) {
      return refuse(.busy, "The account sends too fast.", retryAfter: wait)
    }
    do {
      switch try store(upload, checksum, from: session.account) {
      case .bytes(let bytes):
        send(.uploaded(.init(checksum: upload.checksum, bytes: bytes)), to: session.id)
      case .wrongChecksum: refuse(.wrongChecksum, "The bytes that arrived are not this attachment.")
      case .otherSize: refuse(.malformed, "This attachment was announced with another size before.")
      case .noRoom:
        refuse(.tooLarge, "You have stored as much as the server keeps for you. Delete some messages first.")
      }
    } catch {
      logStorage(error)
      guard !isStopped else { return }
      refuse(.busy, "The server's storage failed.", retryAfter: limits.storageRetryAfter)
    }
  }

  private enum Progress {
    case bytes(Int64)
    case wrongChecksum, otherSize, noRoom
  }

  private func store(
    _ upload: Wire.Upload, _ checksum: ChatAttachment.Checksum, from account: UserID
  ) throws -> Progress {
    let known = try database.read { try Uploads(db: $0).find(checksum, of: account) }
    if let known, known.byteCount != upload.total {
      // A complete upload keeps its size. For an incomplete one, it is unknown which of the two sizes is right.
      if !known.isWhole { try forget(known) }
      return .otherSize
    }
    if let known, known.isWhole { return .bytes(known.byteCount) }
    if known == nil {
      try makeRoom(for: upload.total, of: account)
      let stored = try database.read { try Accounts(db: $0).storedBytes(of: account) }
      guard upload.total <= limits.maximumStoredBytes - stored else { return .noRoom }
      try database.write { try Uploads(db: $0).begin(checksum, byteCount: upload.total, of: account) }
    }
    var bytes = try attachments.byteCount(of: checksum, from: account)
    guard bytes <= upload.total else {
      attachments.removePart(of: checksum, from: account)
      return .bytes(0)
    }
    // A piece at any other offset than the end follows a lost response, or is a duplicate. The response says where
    // the end is.
    if let data = upload.data, !data.isEmpty, upload.offset == bytes {
      try attachments.append(data, at: bytes, to: checksum, from: account)
      bytes += Int64(data.count)
    }
    guard bytes == upload.total else { return .bytes(bytes) }
    guard try attachments.finishUpload(of: checksum, from: account) else {
      attachments.removePart(of: checksum, from: account)
      return .wrongChecksum
    }
    try database.write { try Uploads(db: $0).noteWhole(checksum, of: account) }
    return .bytes(bytes)
  }

  /// Limits the uploaded attachments of an account that no sent message has. The oldest is deleted first.
  private func makeRoom(for bytes: Int64, of account: UserID) throws {
    var unsent = try database.read { try Uploads(db: $0).unsent(of: account) }
    while let oldest = unsent.first,
      unsent.count >= max(1, limits.maximumUnsentAttachments)
        || unsent.reduce(bytes, { $0 + $1.byteCount })
          > max(limits.maximumUnsentBytes, limits.maximumAttachmentBytes)
    {
      try forget(oldest)
      unsent.removeFirst()
    }
  }

  /// The row is deleted first, so that a crash in between leaves no row without its file.
  private func forget(_ upload: Uploads.Upload) throws {
    let isNeeded = try database.write { db in
      try Uploads(db: db).remove(upload.checksum, of: upload.account)
      return try Uploads(db: db).needs(upload.checksum)
    }
    attachments.removePart(of: upload.checksum, from: upload.account)
    if !isNeeded { attachments.remove(upload.checksum) }
  }

  func give(_ fetch: Wire.Fetch, to session: Session) {
    let checksum = ChatAttachment.Checksum(rawValue: fetch.checksum)
    func refuse(_ code: Wire.TransferRefused.Code, _ explanation: String, retryAfter: Duration? = nil) {
      send(.fetchRefused(.init(fetch.checksum, code, explanation, retryAfter)), to: session.id)
    }
    guard checksum.isWellFormed, fetch.offset >= 0 else {
      return refuse(.malformed, "This offset is not in an attachment.")
    }
    if let wait = chargeTransfer(session.account) {
      return refuse(.busy, "The account asks too fast.", retryAfter: wait)
    }
    do {
      let total = try database.read { try Uploads(db: $0).byteCount(of: checksum, for: session.account) }
      guard let total else { return refuse(.unknown, "There is no such attachment for this account.") }
      guard fetch.offset <= total else {
        return refuse(.malformed, "The attachment ends before this offset.")
      }
      let count = min(Int64(limits.maximumChunkBytes), total - fetch.offset)
      let data = count == 0 ? Data() : try attachments.read(Int(count), of: checksum, at: fetch.offset)
      send(
        .data(.init(checksum: fetch.checksum, offset: fetch.offset, total: total, data: data)),
        to: session.id)
    } catch let error as POSIXError where error.code == .ENOENT {
      refuse(.unknown, "The server has lost this attachment.")
    } catch {
      logStorage(error)
      guard !isStopped else { return }
      refuse(.busy, "The server's storage failed.", retryAfter: limits.storageRetryAfter)
    }
  }

  /// Pieces have a rate limit of their own, so that a large file delays no message.
  private func chargeTransfer(_ account: UserID) -> Duration? {
    transferBuckets.charge(account, now: environment.uptime())
  }
}

extension Wire.TransferRefused {
  fileprivate init(_ checksum: String, _ code: Code, _ explanation: String, _ retryAfter: Duration?) {
    self.init(
      checksum: checksum, code: code, explanation: explanation, retryAfter: retryAfter?.wireMilliseconds)
  }
}
