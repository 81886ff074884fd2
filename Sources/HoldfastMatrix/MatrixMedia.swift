import Foundation
import HoldfastCore
import HoldfastHTTP
import HoldfastTransport
import Synchronization

/// Brings files to the server's media repository, and fetches them from there
/// ([content repository](https://spec.matrix.org/v1.15/client-server-api/#content-repository)).
final class MatrixMedia: Sendable {
  /// A file on a slow network takes long.
  private static let limit: Duration = .seconds(900)
  /// The time between two pieces of a file.
  private static let silence: Duration = .seconds(60)

  private let client: MatrixClient
  /// The largest file that the server takes, once it was asked. Zero: it names none.
  private let largest = Mutex<Int64?>(nil)
  /// How often each file was asked for on this connection.
  private let requests = Mutex<[ChatAttachment.Checksum: Int]>([:])

  init(_ client: MatrixClient) { self.client = client }

  /// Uploads a file as a whole, because the server cannot resume.
  ///
  /// - Returns: its address, such as `mxc://example.org/abc`.
  func upload(_ upload: ChatAttachment.Upload) async throws -> String {
    do {
      let most = try await largestFile()
      let file = upload.attachment
      guard most == 0 || file.byteCount <= most else { throw ChatAttachment.Refusal.tooLarge }
      try await upload.progress(0)
      var request = MatrixRequest(
        "POST", ["v3", "upload"], query: ["filename": file.name], area: "media", limit: Self.limit)
      request.file = (try Data(contentsOf: upload.file, options: .mappedIfSafe), file.mediaType)
      guard let address = try await client.send(request).fields().word("content_uri") else {
        throw ConnectionFailure(.incompatible, detail: "an uploaded file has no address")
      }
      try await upload.progress(file.byteCount)
      return address
    } catch {
      throw try refusal(error, .notTaken)
    }
  }

  /// A server resets a connection that brings more than this, without a word.
  private func largestFile() async throws -> Int64 {
    if let known = largest.withLock({ $0 }) { return known }
    let answer = try await client.send(MatrixRequest("GET", ["v1", "media", "config"]))
    let most = max(0, try answer.fields().number("m.upload.size") ?? 0)
    largest.withLock { $0 = most }
    return most
  }

  /// Fetches a file from the first of its addresses that has it. The server cannot begin in the middle, so what is here already is
  /// passed over. Each time it begins with another address: the engine asks again when the bytes were not the file's.
  func download(_ download: ChatAttachment.Download) async throws {
    var failure: any Error = ChatAttachment.Refusal.gone
    let addresses = download.serverIDs.compactMap(Self.path)
    let earlier = requests.withLock { requests in
      defer { requests[download.attachment.checksum, default: 0] += 1 }
      return requests[download.attachment.checksum] ?? 0
    }
    for number in addresses.indices {
      let address = addresses[(number + earlier) % addresses.count]
      do { return try await fetch(address, download) } catch let refusal as MatrixRefusal
        where [.denied, .invalid].contains(MatrixVerdict(refusal))
      {
        failure = ChatAttachment.Refusal.gone
      } catch {
        throw try refusal(error, .gone)
      }
    }
    throw failure
  }

  private func fetch(_ path: [String], _ download: ChatAttachment.Download) async throws {
    var task = try await client.start(MatrixRequest("GET", path))
    defer { task.cancel() }
    var status = try await head(task)
    if status == 401 {
      // The request that has an answer renews the login.
      _ = try await client.send(MatrixRequest("GET", ["v3", "account", "whoami"]))
      task.cancel()
      task = try await client.start(MatrixRequest("GET", path))
      status = try await head(task)
    }
    guard status == 200 else { throw try await refusal(of: task, status) }
    try await pass(task, download)
  }

  private func head(_ task: any HTTPTask) async throws -> Int {
    guard let head = try await client.environment.within(Self.silence, { try await task.head() }) else {
      throw MatrixSilence()
    }
    return head.status
  }

  private func refusal(of task: any HTTPTask, _ status: Int) async throws -> MatrixRefusal {
    var body: [UInt8] = []
    while body.count < 65_536, let piece = try await task.next() { body += piece }
    return MatrixRefusal(
      HTTPResponse(HTTPHead(status: status), body), now: client.environment.now())
  }

  private func pass(_ task: any HTTPTask, _ download: ChatAttachment.Download) async throws {
    var (here, total) = (download.offset, Int64(0))
    while let piece = try await next(task) {
      total += Int64(piece.count)
      guard total <= download.attachment.byteCount else { throw ChatAttachment.Refusal.damaged }
      guard total > here else { continue }
      try await download.receive(piece.suffix(Int(total - here)))
      here = total
    }
    guard total == download.attachment.byteCount else { throw ChatAttachment.Refusal.damaged }
  }

  private func next(_ task: any HTTPTask) async throws -> Data? {
    // Nil is the end of the body, and of patience.
    let piece = try await client.environment.within(Self.silence) { () -> Data?? in
      .some(try await task.next())
    }
    guard let piece else { throw MatrixSilence() }
    return piece ?? nil
  }

  /// What an error says about one file.
  private func refusal(_ error: any Error, _ final: ChatAttachment.Refusal) throws -> any Error {
    try Task.checkCancellation()
    guard error is MatrixRefusal || error is MatrixSilence || error is HTTPFailure else { return error }
    switch MatrixVerdict(error) {
    case .unreached, .unauthorized: return try ConnectionFailure(matrix: error)
    case .notNow(let delay), .outcomeUnknown(let delay): return ChatAttachment.Refusal.notNow(after: delay)
    case .tooLarge: return ChatAttachment.Refusal.tooLarge
    case .invalid, .denied: return final
    }
  }

  /// The request's path for an address. Nil when it is no valid address.
  private static func path(_ address: String) -> [String]? {
    guard address.hasPrefix("mxc://") else { return nil }
    let parts = address.dropFirst("mxc://".count).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else { return nil }
    return ["v1", "media", "download"] + parts.map(String.init)
  }
}

extension ChatAttachment.Refusal {
  fileprivate static let tooLarge = Self.rejected("The file is larger than the server takes.")
  fileprivate static let notTaken = Self.rejected("The server did not accept this file.")
  fileprivate static let gone = Self.rejected("The server does not have this file.")
}
