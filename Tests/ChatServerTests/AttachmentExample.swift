import Foundation
import Holdfast
import HoldfastRelay

@testable import ChatServer

/// Files, and messages with these files.
enum AttachmentExample {
  static let file = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

  static func checksum(_ data: Data) -> String { ChatAttachment.Checksum(SHA256Sum(of: data)).rawValue }

  static func item(_ data: Data, name: String = "a.png", mediaType: String = "image/png")
    -> Wire.AttachmentItem
  {
    .init(checksum: checksum(data), name: name, mediaType: mediaType, bytes: Int64(data.count))
  }

  static func message(
    _ id: String, _ attachments: Wire.AttachmentItem..., members: [String] = ["alice", "bob"]
  )
    -> Wire.Outgoing
  {
    var message = eg(id, members: members)
    message.attachments = attachments
    return message
  }

  static func operation(_ kind: String, of target: String, id: String, body: String = "") -> Wire.Outgoing {
    var operation = eg(id)
    operation.members = nil
    operation.text = body
    operation.operation = .init(kind: kind, target: target)
    return operation
  }
}

extension Client {
  /// Sends one piece, and returns the server's response.
  func bring(
    _ data: Data, at offset: Int64, of file: Data, as name: String? = nil,
    total: Int64? = nil
  ) async -> [Wire.ServerFrame] {
    await say(
      .upload(
        .init(
          checksum: name ?? AttachmentExample.checksum(file), total: total ?? Int64(file.count),
          offset: offset, data: data)))
  }

  func upload(_ file: Data) async -> [Wire.ServerFrame] {
    var answer = await say(
      .upload(.init(checksum: AttachmentExample.checksum(file), total: Int64(file.count))))
    var offset = 0
    while offset < file.count {
      let piece = file[offset..<min(offset + 40_000, file.count)]
      answer = await bring(piece, at: Int64(offset), of: file)
      offset += piece.count
    }
    return answer
  }

  func fetch(_ file: Data) async -> Data? {
    var data = Data()
    while true {
      let answer = await say(
        .fetch(.init(checksum: AttachmentExample.checksum(file), offset: Int64(data.count))))
      guard case .data(let bytes) = answer.first, bytes.offset == data.count else { return nil }
      data += bytes.data
      if data.count >= bytes.total { return data }
    }
  }
}

extension Bench {
  func attachmentParts() throws -> [String] {
    try attachmentListing().filter { $0.hasSuffix(".part") }
  }

  func attachmentNames() throws -> Set<String> {
    Set(try attachmentListing().filter { !$0.hasSuffix(".part") })
  }

  private func attachmentListing() throws -> [String] {
    let path = folder.appending(path: "attachments").path
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: path)
  }
}
