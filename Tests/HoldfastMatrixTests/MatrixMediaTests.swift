import Foundation
import HoldfastCore
import HoldfastHTTP
import HoldfastTransport
import Synchronization
import Testing

@testable import HoldfastMatrix

/// Files in the server's media repository (rules O13, B8).
@Suite(.timeLimit(.minutes(10))) struct MatrixMediaTests {
  private static let file = ChatAttachment(
    checksum: ChatAttachment.Checksum(rawValue: String(repeating: "a", count: 64)), name: "notes & more.txt",
    mediaType: "text/plain", byteCount: 5)

  /// Fetches the file, and returns its bytes from `offset` on.
  private func download(
    from server: PlayedHomeserver, _ addresses: [String], offset: Int64 = 0
  ) async throws -> String {
    let bytes = Mutex(Data())
    try await MatrixMedia(server.client()).download(
      ChatAttachment.Download(Self.file, serverIDs: addresses, from: offset) { data in
        bytes.withLock { $0 += data }
      })
    return String(decoding: bytes.withLock { $0 }, as: UTF8.self)
  }

  @Test func `a file that nobody has under one address comes from the next`() async throws {
    let server = PlayedHomeserver { request, _ in
      request.line.hasSuffix("/good") ? .init("hello") : .refused(404, "M_NOT_FOUND")
    }
    #expect(try await download(from: server, ["mxc://b/gone", "mxc://b/good"]) == "hello")
    #expect(server.requests == ["GET /v1/media/download/b/gone", "GET /v1/media/download/b/good"])
  }

  // A member may say that somebody else's file is elsewhere.
  @Test func `a file that was damaged comes from another address the next time`() async throws {
    let server = PlayedHomeserver { request, _ in .init(request.line.hasSuffix("/lie") ? "no" : "hello") }
    let media = MatrixMedia(server.client())
    let download = ChatAttachment.Download(
      Self.file, serverIDs: ["mxc://b/lie", "mxc://b/true"], from: 0
    ) { _ in }
    await #expect(throws: ChatAttachment.Refusal.damaged) { try await media.download(download) }
    try await media.download(download)
    #expect(server.requests.last == "GET /v1/media/download/b/true")
  }

  @Test func `what is here already is passed over`() async throws {
    let server = PlayedHomeserver { _, _ in .init("hello") }
    #expect(try await download(from: server, ["mxc://b/good"], offset: 3) == "lo")
  }

  @Test(arguments: ["hell", "hello, and more"])
  func `a file of another size is damaged`(body: String) async throws {
    let server = PlayedHomeserver { _, _ in .init(body) }
    await #expect(throws: ChatAttachment.Refusal.damaged) {
      _ = try await download(from: server, ["mxc://b/good"])
    }
  }

  @Test(arguments: ["https://evil/x", "mxc://b", "mxc://b/../x", "mxc://b/", "mxc:///x", "mxc://./x", ""])
  func `an invalid address is not asked for`(address: String) async throws {
    let server = PlayedHomeserver { _, _ in .init("hello") }
    await #expect(throws: ChatAttachment.Refusal.self) { _ = try await download(from: server, [address]) }
    #expect(server.requests.isEmpty)
  }

  @Test func `a login that ended while a file is fetched is renewed`() async throws {
    let server = PlayedHomeserver { request, _ in
      switch (request.line, request.headers["Authorization"]) {
      case ("POST /v3/refresh", _): .init("{\"access_token\":\"second\"}")
      case (_, "Bearer second"): .init(request.line.hasSuffix("/good") ? "hello" : "{}")
      default: .refused(401, "M_UNKNOWN_TOKEN", ",\"soft_logout\":true")
      }
    }
    #expect(try await download(from: server, ["mxc://b/good"]) == "hello")
  }

  @Test func `a file leaves whole, with its name and type, and comes back with its address`() async throws {
    let server = PlayedHomeserver { request, _ in
      request.line == "GET /v1/media/config"
        ? .init("{\"m.upload.size\":1000}") : .init("{\"content_uri\":\"mxc://b/new\"}")
    }
    let place = FileManager.default.temporaryDirectory.appending(path: "media-\(UUID())")
    try Data("hello".utf8).write(to: place)
    defer { try? FileManager.default.removeItem(at: place) }
    let reported = Mutex<[Int64]>([])
    let address = try await MatrixMedia(server.client()).upload(
      ChatAttachment.Upload(Self.file, file: place) { bytes in reported.withLock { $0.append(bytes) } })
    #expect(address == "mxc://b/new")
    #expect(reported.withLock { $0 } == [0, 5])
    #expect(server.bodies[1] == "hello")
    #expect(server.headers[1]["Content-Type"] == "text/plain")
  }

  @Test func `a file that the server does not take is not sent at all`() async throws {
    let server = PlayedHomeserver { _, _ in .init("{\"m.upload.size\":4}") }
    await #expect(throws: ChatAttachment.Refusal.self) {
      _ = try await MatrixMedia(server.client()).upload(
        ChatAttachment.Upload(Self.file, file: URL(fileURLWithPath: "/nowhere")) { _ in })
    }
    #expect(server.requests == ["GET /v1/media/config"])
  }

  @Test(arguments: ["", "a caption", "notes & more.txt"])
  func `a message comes back with its files and exactly its text`(text: String) throws {
    let other = ChatAttachment(
      checksum: ChatAttachment.Checksum(rawValue: String(repeating: "b", count: 64)), name: "b.png",
      mediaType: "image/png", byteCount: 7)
    for files in [[Self.file], [Self.file, other]] {
      let sent = OutgoingMessage(
        id: "m1", conversation: "!room", content: MessageContent(text), createdAt: Date(),
        attachments: files.map { .init($0, serverID: "mxc://b/\($0.name.first!)") }, transmission: 1)
      let fields = MatrixMessage.fields(of: sent, in: "!room", by: "@bob:example.org")
      let json = String(decoding: try JSONEncoder().encode(JSONValue.object(fields)), as: UTF8.self)
      let items = try read(event("$1", json))?.items(in: "!room", for: "@alice:example.org")
      guard case .message(let received)? = items?.first else {
        Issue.record("It is a message.")
        return
      }
      #expect((received.text, received.attachments) == (text, files))
      #expect(received.attachmentServerIDs[Self.file.checksum] == "mxc://b/n")
      // Other clients show one file as such, and the names of several.
      #expect(json.contains(files.count == 1 ? "\"msgtype\":\"m.file\"" : "b.png"))
    }
  }
}
