#if Firestore
  import Foundation
  import HoldfastCore

  /// The address of a database, and the names of its contents.
  struct FirestoreDatabase: Sendable, Hashable {
    /// The collections of the data model.
    enum Collection: String, CaseIterable {
      case conversations, messages, readMarks
    }

    let project: String
    let name: String
    /// Nil for Google's.
    let server: URL?

    /// The database's resource name.
    var path: String { "projects/\(project)/databases/\(name)" }
    /// The parent of the collections.
    var documents: String { path + "/documents" }

    func document(_ id: DocumentID, in collection: Collection) -> String {
      "\(documents)/\(collection.rawValue)/\(id.rawValue)"
    }

    /// The host and the port, and whether the connection is encrypted.
    func endpoint() throws(ConnectionFailure) -> (host: String, port: Int, isSecure: Bool) {
      guard let server else { return ("firestore.googleapis.com", 443, true) }
      guard let host = server.host(percentEncoded: false), !host.isEmpty,
        let scheme = server.scheme?.lowercased(),
        ["http", "https"].contains(scheme)
      else {
        throw ConnectionFailure(.incompatible, detail: "the server's address is neither http nor https")
      }
      let isSecure = scheme == "https"
      guard isSecure || isOnThisMachine else {
        throw ConnectionFailure(
          .insecure, detail: "the server's address is not encrypted, and leads to another machine: use https")
      }
      return (host, server.port ?? (isSecure ? 443 : 80), isSecure)
    }

    /// Whether a stream can resume from a token. Google's emulator resumes no stream: with a token it sends
    /// everything again after each change, and misses commits in between.
    var takesTokens: Bool { server == nil }

    var isOnThisMachine: Bool { HostName(server?.host(percentEncoded: false) ?? "").isThisMachine }
  }

  /// The ID of a document: the ID of a message or conversation, with the few characters escaped that Firestore does
  /// not allow. See [Firestore's limits](https://firebase.google.com/docs/firestore/quotas#limits).
  struct DocumentID: RawRepresentable, Hashable, Sendable {
    let rawValue: String

    init(rawValue: String) { self.rawValue = rawValue }

    /// Percent-encodes `/` and `%`, and the first character of `.`, `..` and `__…__`.
    init(of text: String) {
      var escaped = text.replacing("%", with: "%25").replacing("/", with: "%2F")
      if escaped == "." || escaped == ".." {
        escaped = "%2E" + escaped.dropFirst()
      } else if escaped.hasPrefix("__") {
        escaped = "%5F" + escaped.dropFirst()
      }
      rawValue = escaped
    }

    /// The unescaped ID. Nil when this is not its canonical form: another form would let someone else use the ID
    /// (rule E1).
    var text: String? {
      rawValue.removingPercentEncoding.flatMap { DocumentID(of: $0) == self ? $0 : nil }
    }
  }
#endif
