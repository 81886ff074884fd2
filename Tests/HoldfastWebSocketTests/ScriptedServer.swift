#if !canImport(Darwin)
  import Foundation
  import NIOCore
  import NIOEmbedded
  import NIOHTTP1
  import NIOPosix
  import NIOSSL
  import NIOWebSocket

  /// A server that sends exactly the bytes of a test, on a free port. It can send bytes that a correct library
  /// never sends.
  enum ScriptedServer {
    static func run(
      certificate: String? = nil,
      script: @escaping @Sendable (ScriptedPeer) async throws -> Void,
      client: @Sendable (_ port: Int) async throws -> Void
    ) async throws {
      let tls = try certificate.map(context)
      // A client that the script never serves is dropped when the test ends. A plain channel allows that, and a
      // wrapped one does not. Each channel is therefore wrapped when its turn comes, and is not read before.
      let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .childChannelOption(.autoRead, value: false)
        .bind(host: "127.0.0.1", port: 0) { $0.eventLoop.makeSucceededFuture($0) }
      try await server.executeThenClose { connections in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            for try await channel in connections {
              let wrapped = channel.eventLoop.submit {
                if let tls {
                  try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                }
                return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
              }
              guard let connection = try? await wrapped.get() else { continue }
              try? await channel.setOption(.autoRead, value: true).get()
              // The client may disconnect in the middle of the script, and often should.
              try? await connection.executeThenClose { inbound, outbound in
                try await script(ScriptedPeer(inbound: inbound, outbound: outbound))
              }
            }
          }
          try await client(server.channel.localAddress?.port ?? 0)
          group.cancelAll()
        }
      }
    }

    private static func context(certificate name: String) throws -> NIOSSLContext {
      let chain = try NIOSSLCertificate.fromPEMFile(Certificates.path(name + ".pem"))
      let key = try NIOSSLPrivateKey(file: Certificates.path(name + ".key"), format: .pem)
      return try NIOSSLContext(
        configuration: .makeServerConfiguration(
          certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key)))
    }
  }

  enum Certificates {
    static func path(_ name: String) -> String {
      Bundle.module.resourceURL?.appendingPathComponent("Certificates/" + name).path ?? name
    }
  }

  /// One client, from its server's view. Used by one task.
  final class ScriptedPeer {
    private var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var unread: [UInt8] = []
    /// The opcode of the last frame.
    private(set) var mask: [UInt8] = []

    init(
      inbound: NIOAsyncChannelInboundStream<ByteBuffer>, outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
      iterator = inbound.makeAsyncIterator()
      self.outbound = outbound
    }

    func write(_ bytes: some Sequence<UInt8>) async throws {
      try await outbound.write(ByteBuffer(bytes: Array(bytes)))
    }

    func write(_ lines: String...) async throws {
      try await write(lines.map { $0 + "\r\n" }.joined().utf8)
    }

    /// The request's lines.
    func request() async throws -> [String] {
      let end = Array("\r\n\r\n".utf8)
      while !unread.suffix(4).elementsEqual(end) { unread += try await more() }
      defer { unread = [] }
      return String(decoding: unread, as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    /// Answers a request for a WebSocket, with `frames` in the same packet.
    @discardableResult
    func upgrade(with frames: [UInt8] = []) async throws -> [String] {
      let lines = try await request()
      let name = "sec-websocket-key: "
      let key = lines.first { $0.lowercased().hasPrefix(name) }?.dropFirst(name.count) ?? ""
      let head = [
        "HTTP/1.1 101 Switching Protocols", "Connection: upgrade", "Upgrade: websocket",
        "Sec-WebSocket-Accept: \(try Self.acceptance(of: String(key)))", "", "",
      ]
      try await write(Array(head.joined(separator: "\r\n").utf8) + frames)
      return lines
    }

    /// The response to a client's key, as computed by NIO's own server.
    private static func acceptance(of key: String) throws -> String {
      let upgrader = NIOWebSocketServerUpgrader(
        shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
        upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() })
      let request = HTTPRequestHead(
        version: .http1_1, method: .GET, uri: "/",
        headers: ["Sec-WebSocket-Key": key, "Sec-WebSocket-Version": "13"])
      let headers = try upgrader.buildUpgradeResponse(
        channel: EmbeddedChannel(), upgradeRequest: request, initialResponseHeaders: [:]
      ).wait()
      return headers.first(name: "Sec-WebSocket-Accept") ?? ""
    }

    struct Frame: Equatable {
      var opcode: UInt8
      var payload: [UInt8]
      var isMasked: Bool
    }

    func frame() async throws -> Frame {
      let head = try await take(2)
      var length = Int(head[1] & 0x7F)
      if length >= 126 {
        length = try await take(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
      }
      let isMasked = head[1] & 0x80 != 0
      mask = isMasked ? try await take(4) : [0, 0, 0, 0]
      let payload = try await take(length).enumerated().map { $1 ^ mask[$0 % 4] }
      return Frame(opcode: head[0] & 0x0F, payload: payload, isMasked: isMasked)
    }

    private func take(_ count: Int) async throws -> [UInt8] {
      while unread.count < count { unread += try await more() }
      defer { unread.removeFirst(count) }
      return Array(unread.prefix(count))
    }

    private func more() async throws -> [UInt8] {
      guard let bytes = try await iterator.next() else { throw ChannelError.eof }
      return Array(bytes.readableBytesView)
    }

    /// A server's frame, which is not masked.
    static func frame(_ opcode: UInt8, _ payload: some Collection<UInt8>, isFinal: Bool = true) -> [UInt8] {
      let first = opcode | (isFinal ? 0x80 : 0)
      let length: [UInt8] =
        payload.count < 126
        ? [UInt8(payload.count)] : [126, UInt8(payload.count >> 8 & 0xFF), UInt8(payload.count & 0xFF)]
      return [first] + length + payload
    }
  }
#endif
