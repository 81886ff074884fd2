import Foundation
import Holdfast
import HoldfastTransport

/// Files. The server knows a file's bytes by a name of its own, and no checksum. With each post it keeps what the client says
/// of the post's files, and tells it again.
extension Forum {
  struct File: Codable {
    var id, name, type, checksum: String, size: Int64

    init(_ sent: OutgoingMessage.SentAttachment) {
      let file = sent.attachment
      (id, name, type) = (sent.serverID, file.name, file.mediaType)
      (checksum, size) = (file.checksum.rawValue, file.byteCount)
    }

    var sent: OutgoingMessage.SentAttachment {
      let checksum = ChatAttachment.Checksum(rawValue: checksum)
      let file = ChatAttachment(checksum: checksum, name: name, mediaType: type, byteCount: size)
      return OutgoingMessage.SentAttachment(file, serverID: id)
    }
  }

  func withFiles(_ transport: RequestTransport) -> RequestTransport {
    transport.uploads { upload in
      let body = try Data(contentsOf: upload.file, options: .mappedIfSafe)
      let answer = try await url.appending(path: "files").answer(to: "POST", body, by: account)
      try Self.check(answer.status, answer.retryAfter, "The server did not take the file.")
      try await upload.progress(upload.attachment.byteCount)
      return try JSONDecoder().decode(Post.self, from: answer.body).id ?? ""
    } downloads: { download in
      let file = url.appending(path: "files/\(download.serverIDs.first ?? "")")
      let answer = try await file.answer(to: "GET", nil, by: account)
      try Self.check(answer.status, answer.retryAfter, "The server does not have the file.")
      // It gives a file only from its beginning. What is here already is passed over.
      try await download.receive(answer.body.dropFirst(Int(download.offset)))
    }
  }

  /// What is no answer of 200 to 299. A 401 has been thrown by then, as ``ConnectionFailure/Reason/unauthorized``: the file
  /// waits for new credentials, as a message does.
  private static func check(_ status: Int, _ retryAfter: Duration?, _ sentence: String) throws {
    switch status {
    case 200..<300: return
    case 408, 425, 429, 500...: throw ChatAttachment.Refusal.notNow(after: retryAfter)
    default: throw ChatAttachment.Refusal.rejected(sentence)
    }
  }
}
