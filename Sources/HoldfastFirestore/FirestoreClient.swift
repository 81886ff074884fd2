#if Firestore
  import Foundation
  import GRPCCore
  import GRPCNIOTransportHTTP2Posix
  import HoldfastCore
  import HoldfastTransport
  import SwiftProtobuf

  /// Four calls of Firestore's API, on one gRPC connection.
  struct FirestoreClient: Sendable {
    typealias HTTP2 = HTTP2ClientTransport.Posix

    let database: FirestoreDatabase
    private let token: @Sendable () async throws -> String
    private let grpc: GRPCClient<HTTP2>

    /// The timeout of each call, except the listening one.
    static let timeout: Duration = .seconds(10)

    /// Calls `body` with a client, and ends all calls of the client when `body` ends.
    static func with(
      _ database: FirestoreDatabase, keepalive: Duration,
      token: @escaping @Sendable () async throws -> String,
      _ body: @escaping @Sendable (FirestoreClient) async throws -> Void
    ) async throws {
      let endpoint = try database.endpoint()
      let transport = try HTTP2(
        target: .dns(host: endpoint.host, port: endpoint.port),
        transportSecurity: endpoint.isSecure ? .tls : .plaintext,
        config: .defaults {
          // With `allowWithoutCalls: false` the transport stops its keepalive after the first call has ended.
          $0.connection.keepalive = .init(
            time: keepalive, timeout: keepalive / 3, allowWithoutCalls: true)
          $0.backoff.initial = .milliseconds(200)
          $0.backoff.max = .seconds(5)
        })
      let grpc = GRPCClient(transport: transport)
      let client = FirestoreClient(database: database, token: token, grpc: grpc)
      try await withThrowingTaskGroup(of: Void.self) { group in
        // Connections end only when their task is cancelled: a graceful shutdown would wait for the listening call.
        defer {
          grpc.beginGracefulShutdown()
          group.cancelAll()
        }
        group.addTask { try await grpc.runConnections() }
        group.addTask { try await body(client) }
        try await group.next()
      }
    }

    func commit(_ writes: [FSWrite]) async throws -> FSCommitResponse {
      let request = FSCommitRequest.with {
        $0.database = database.path
        $0.writes = writes
      }
      return try await FirestoreCall.run { [grpc] in
        try await grpc.unary(
          request: ClientRequest(message: request, metadata: try await metadata()),
          descriptor: Self.method("Commit"),
          serializer: Encoder<FSCommitRequest>(), deserializer: Decoder<FSCommitResponse>(),
          options: Self.options(Self.timeout)
        ) { try $0.message }
      }
    }

    /// The existing documents, by their names.
    func documents(_ names: [String]) async throws -> [String: FSDocument] {
      let request = FSBatchGetDocumentsRequest.with {
        $0.database = database.path
        $0.documents = names
      }
      return try await FirestoreCall.run { [grpc] in
        try await grpc.serverStreaming(
          request: ClientRequest(message: request, metadata: try await metadata()),
          descriptor: Self.method("BatchGetDocuments"), serializer: Encoder<FSBatchGetDocumentsRequest>(),
          deserializer: Decoder<FSBatchGetDocumentsResponse>(), options: Self.options(Self.timeout)
        ) { response in
          // Documents arrive in any order.
          var found: [String: FSDocument] = [:]
          for try await message in response.messages {
            if case .found(let document)? = message.result { found[document.name] = document }
          }
          return found
        }
      }
    }

    /// The documents of a query, in its order, and the server's read time.
    func query(_ query: FSStructuredQuery) async throws -> (documents: [FSDocument], readAt: Int64) {
      let request = FSRunQueryRequest.with {
        $0.parent = database.documents
        $0.structuredQuery = query
      }
      return try await FirestoreCall.run { [grpc] in
        try await grpc.serverStreaming(
          request: ClientRequest(message: request, metadata: try await metadata()),
          descriptor: Self.method("RunQuery"), serializer: Encoder<FSRunQueryRequest>(),
          deserializer: Decoder<FSRunQueryResponse>(), options: Self.options(Self.timeout)
        ) { response in
          var (found, readAt): ([FSDocument], Int64) = ([], 0)
          for try await message in response.messages {
            if message.hasDocument { found.append(message.document) }
            if message.hasReadTime { readAt = message.readTime.microseconds }
          }
          return (found, readAt)
        }
      }
    }

    /// Listens until the stream ends or fails.
    ///
    /// - Parameters:
    ///   - requests: the targets, as they become known. The stream ends when they end.
    ///   - take: called for each response, one after the other.
    func listen(
      _ requests: AsyncStream<FSListenRequest>,
      _ take: @escaping @Sendable (FSListenResponse) async throws -> Void
    ) async throws {
      let request = StreamingClientRequest(of: FSListenRequest.self, metadata: try await metadata()) {
        writer in
        for await request in requests { try await writer.write(request) }
      }
      try await grpc.bidirectionalStreaming(
        request: request, descriptor: Self.method("Listen"), serializer: Encoder<FSListenRequest>(),
        deserializer: Decoder<FSListenResponse>(), options: Self.options(nil)
      ) { response in
        for try await message in response.messages { try await take(message) }
      }
    }

    /// The headers of each call: its credentials, and its database.
    private func metadata() async throws -> Metadata {
      let path = database.path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? database.path
      return [
        "authorization": "Bearer \(try await BearerToken.value(of: token))",
        "google-cloud-resource-prefix": "\(database.path)",
        "x-goog-request-params": "database=\(path)",
      ]
    }

    private static let service = ServiceDescriptor(fullyQualifiedService: "google.firestore.v1.Firestore")

    private static func method(_ name: String) -> MethodDescriptor {
      MethodDescriptor(service: service, method: name)
    }

    /// An unreachable server fails the call at once.
    private static func options(_ timeout: Duration?) -> CallOptions {
      var options = CallOptions.defaults
      options.timeout = timeout
      options.waitForReady = false
      return options
    }
  }

  private struct Encoder<Message: SwiftProtobuf.Message>: MessageSerializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: Message) throws -> Bytes {
      Bytes(try message.serializedBytes() as [UInt8])
    }
  }

  private struct Decoder<Message: SwiftProtobuf.Message>: MessageDeserializer {
    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> Message {
      do {
        return try bytes.withUnsafeBytes { try Message(serializedBytes: Array($0)) }
      } catch {
        // The error may quote the message.
        throw ConnectionFailure(.incompatible, detail: "an answer makes no sense")
      }
    }
  }
#endif
