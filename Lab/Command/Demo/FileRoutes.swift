import Foundation
import Holdfast
import HoldfastCommand
import HoldfastRescue

/// The routes for files between a browser and a phone. A picked file goes to the phone's app, and a file on the
/// phone's screen goes back.
///
/// No path comes from the browser. A picked file is stored under a name of the demo's own until the app has copied
/// it. A requested file is looked up by its checksum among the files on the screen.
extension DemoServer {
  /// More than the phone's app accepts, so that the app reports a file that is too large.
  private static let maximumFileBytes = 64 * 1024 * 1024
  /// A history may be larger than the memory.
  private static let maximumHistoryBytes = 4 * 1024 * 1024 * 1024
  /// The media types that a browser shows and does not run (WHATWG MIME Sniffing, section 6.1). Files of all other
  /// types are saved.
  private static let shownTypes: Set = ["image/png", "image/jpeg", "image/gif", "image/webp"]

  /// Passes the file in a request to the app. The required type of the request's body is one that a foreign page may
  /// not send without permission.
  func attach(_ request: PageRequest) async -> PageAnswer {
    guard let conversation = request.value("conversation") else {
      return text("This conversation does not exist.", .badRequest)
    }
    return await bring(request, Self.maximumFileBytes) { handset, file, name in
      defer { remove(file) }
      let type = request.value("type").flatMap { $0.isEmpty ? nil : $0 }
      return await handset.perform(
        PhoneIntent(
          type: .attach, window: request.value("window").flatMap(Int.init), conversation: conversation,
          file: file.path, name: name, mediaType: type))
    }
  }

  /// Passes a history, a queue or drafts to the app. The app reads the file after this request is answered, and
  /// removes it.
  func importHistory(_ request: PageRequest) async -> PageAnswer {
    await bring(request, Self.maximumHistoryBytes) { handset, file, name in
      let outcome = await handset.perform(PhoneIntent(type: .importHistory, file: file.path, name: name))
      if case .noApp = outcome { remove(file) }
      return outcome
    }
  }

  /// Writes the file in a request to a location that the app can read.
  private func bring(
    _ request: PageRequest, _ limit: Int, _ body: (Handset, URL, _ name: String) async -> Handset.Outcome
  ) async -> PageAnswer {
    guard request.header("Content-Type") == "application/octet-stream" else {
      return text("Send a file as application/octet-stream.", .unsupportedMediaType)
    }
    guard let part = request.value("part"), let handset = handsets[part], let name = request.value("name")
    else { return text("This phone does not exist.", .badRequest) }
    guard let length = request.length, length <= limit else {
      return text("The file is too large for the phone. Choose a smaller file.", .payloadTooLarge)
    }
    // The name of a file can mark its messages as unsent.
    let end = AttachmentName.sanitized(name).cut(toBytes: 100)
    let file = picked.appending(path: "\(DemoFolder.makeToken()) \(end)")
    do {
      try await write(request, to: file)
    } catch {
      remove(file)
      return text("The file could not be copied to the phone. Try again.", .internalServerError)
    }
    return response(to: await body(handset, file, name))
  }

  private func remove(_ file: URL) { do { try FileManager.default.removeItem(at: file) } catch {} }

  private func write(_ request: PageRequest, to file: URL) async throws {
    try FileManager.default.createDirectory(
      at: picked, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    guard
      FileManager.default.createFile(
        atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
    else { throw CocoaError(.fileWriteUnknown) }
    let handle = try FileHandle(forWritingTo: file)
    while let piece = try await request.nextPiece() { try handle.write(contentsOf: piece) }
    try handle.close()
  }

  /// Sends a file that is on the phone's screen.
  func give(_ request: PageRequest) -> PageAnswer {
    guard let part = request.value("part"), let checksum = request.value("checksum"),
      let shown = ShownFiles(in: board.part(part)?.snapshot).row(checksum, name: request.value("name")),
      let file = shown.file, let body = try? Data(contentsOf: file, options: .mappedIfSafe)
    else { return text("This page does not exist.", .notFound) }
    let attachment = shown.attachment
    let isShown = Self.shownTypes.contains(attachment.mediaType)
    var headers = headers(isShown ? attachment.mediaType : "application/octet-stream")
    headers.add(
      name: "Content-Disposition",
      value: "\(isShown ? "inline" : "attachment"); filename*=UTF-8''\(Self.encoded(attachment.name))")
    // A file that is opened on its own has no more rights than an image needs.
    headers.replaceOrAdd(name: "Content-Security-Policy", value: "default-src 'none'; sandbox")
    return PageAnswer(status: .ok, headers: headers, body: .data(body))
  }

  /// The name in the form for a header field's value (RFC 8187, section 3.2.1).
  private static func encoded(_ name: String) -> String {
    let plain = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&+-.^_`|~")
    return name.addingPercentEncoding(withAllowedCharacters: plain) ?? "file"
  }
}

/// The files on a phone's screen, according to its newest line.
struct ShownFiles: Sendable {
  private struct Holder: Decodable { var attachments: [AttachmentRow] }
  private struct Conversation: Decodable { var rows: [Holder] }
  private struct Window: Decodable {
    var conversation: Conversation?
    var composer: Holder?

    var rows: [AttachmentRow] {
      (conversation?.rows ?? []).flatMap(\.attachments) + (composer?.attachments ?? [])
    }
  }
  private struct Second: Decodable { var second: Window? }

  private let rows: [AttachmentRow]

  init(in snapshot: Data?) {
    let decoder = JSONDecoder()
    guard let snapshot, let first = try? decoder.decode(Window.self, from: snapshot) else {
      rows = []
      return
    }
    rows = first.rows + ((try? decoder.decode(Second.self, from: snapshot))?.second?.rows ?? [])
  }

  /// The row of a file that is on the phone, with `name` if possible: the same file may be there under several
  /// names. Nil when there is no such file.
  func row(_ checksum: String, name: String?) -> AttachmentRow? {
    let same = rows.filter { $0.attachment.checksum.rawValue == checksum && $0.file != nil }
    return same.first { $0.attachment.name == name } ?? same.first
  }
}
