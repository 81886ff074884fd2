import Foundation
import HoldfastCore
import HoldfastTransport

/// Transfers attachments over the connection of the messages: one piece at a time, and the next after the response.
/// A message therefore waits behind one piece at most, and a slow server is not flooded.
///
/// ```
///   how much have you? ─► uploaded 0 ─► piece ─► uploaded 48 K ─► piece ─► … ─► uploaded all
/// ```
///
/// Each frame contains its piece's offset, and each response contains the number of bytes received. A frame that is
/// lost, duplicated or late causes another request, never a wrong file.
extension FrameConnection {
  /// The time to wait for a response. After it, the response was lost, or the connection is broken. The heartbeat
  /// finds out which.
  private static let patience: Duration = .seconds(20)
  /// The number of consecutive responses without progress after which the transfer fails. No working server sends so
  /// many.
  private static let maximumStandstills = 5

  func upload(_ upload: ChatAttachment.Upload) async throws -> String {
    let checksum = upload.attachment.checksum.rawValue
    let total = upload.attachment.byteCount
    let file: OpenFile
    do {
      file = try OpenFile(reading: upload.file)
    } catch {
      throw ChatAttachment.Refusal.damaged
    }
    uploadAnswers.clear()
    let question = Wire.Upload(checksum: checksum, total: total)
    var frame = question
    var have: Int64 = -1
    var standstills = 0
    while true {
      try await transmit(.upload(frame))
      let answer = try await answer(to: frame, beyond: have)
      if let answer {
        standstills = answer > have ? 0 : standstills + 1
        have = answer
        guard (0...total).contains(have) else {
          throw ConnectionFailure(.incompatible, detail: "the server confirmed an impossible number of bytes")
        }
        try await upload.progress(have)
        if have == total { return checksum }
        frame = Wire.Upload(
          checksum: checksum, total: total, offset: have, data: try piece(of: file, at: have))
      } else {
        standstills += 1
        frame = question
      }
      guard standstills < Self.maximumStandstills else {
        throw ConnectionFailure(.timedOut, detail: "an upload makes no progress")
      }
    }
  }

  /// The number of bytes that the server has now. Nil when no response arrived. The response to a piece exceeds the
  /// previous number. Any other response is a duplicate of an earlier one: continuing from it would send each piece
  /// twice.
  private func answer(to frame: Wire.Upload, beyond have: Int64) async throws -> Int64? {
    let deadline = environment.uptime() + Self.patience
    while true {
      switch try await uploadAnswers.next(about: frame.checksum, until: deadline, in: environment) {
      case .uploaded(let bytes) where bytes > have || frame.data == nil: return bytes
      case .refused(let refusal): throw refusal
      case .uploaded, .bytes: continue
      case nil: return nil
      }
    }
  }

  private func piece(of file: OpenFile, at offset: Int64) throws -> Data {
    let piece = try? file.read(Wire.maximumChunkBytes, at: offset)
    // The file has become shorter, or unreadable.
    guard let piece, !piece.isEmpty else { throw ChatAttachment.Refusal.damaged }
    return piece
  }

  func download(_ download: ChatAttachment.Download) async throws {
    let checksum = download.attachment.checksum.rawValue
    let total = download.attachment.byteCount
    var offset = download.offset
    fetchAnswers.clear()
    var standstills = 0
    while offset < total {
      try await transmit(.fetch(Wire.Fetch(checksum: checksum, offset: offset)))
      if let bytes = try await bytes(of: checksum, at: offset) {
        guard bytes.total == total, Int64(bytes.data.count) <= total - offset else {
          throw ChatAttachment.Refusal.damaged
        }
        standstills = 0
        offset += Int64(bytes.data.count)
        try await download.receive(bytes.data)
      } else {
        standstills += 1
      }
      guard standstills < Self.maximumStandstills else {
        throw ConnectionFailure(.timedOut, detail: "a download makes no progress")
      }
    }
  }

  /// The bytes from `offset` on. Nil when they did not arrive. Bytes at other offsets belong to earlier requests.
  private func bytes(of checksum: String, at offset: Int64) async throws -> Wire.Bytes? {
    let deadline = environment.uptime() + Self.patience
    while true {
      switch try await fetchAnswers.next(about: checksum, until: deadline, in: environment) {
      case .bytes(let bytes) where bytes.offset == offset && !bytes.data.isEmpty: return bytes
      case .refused(let refusal): throw refusal
      case .bytes, .uploaded: continue
      case nil: return nil
      }
    }
  }
}
