#if !canImport(Darwin)
  import Foundation
  import Holdfast
  import NIOCore
  import Testing

  @testable import HoldfastWebSocket

  /// The WebSocket over TLS: the certificates that it accepts, and those that it refuses.
  @Suite(.timeLimit(.minutes(10))) struct WebSocketTLSTests {
    private func connect(
      to host: String, certificate: String, trusting trust: WebSocketConnector.Trust
    ) async throws {
      try await ScriptedServer.run(certificate: certificate) { peer in
        try await peer.upgrade(with: ScriptedPeer.frame(1, Array("private".utf8)))
        _ = try await peer.frame()
      } client: { port in
        let connector = WebSocketConnector(
          url: try #require(URL(string: "wss://\(host):\(port)/")), environment: ChatEnvironment(),
          trust: trust,
          // Reading the system's certificates takes more than the usual ten seconds in a build with a sanitizer.
          timeout: .seconds(120), token: { "wonderland" })
        try await connector.withChannel { channel in
          let frame = try await channel.receive()
          #expect(frame == Data("private".utf8))
        }
      }
    }

    private let authority = WebSocketConnector.Trust.file(Certificates.path("authority.pem"))
    private let stranger = WebSocketConnector.Trust.file(Certificates.path("stranger.pem"))

    // B11
    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a trusted server is talked to, by name and by address`(host: String) async throws {
      try await connect(to: host, certificate: "localhost", trusting: authority)
    }

    // B11.1
    @Test func `the whole transport speaks over TLS`() async throws {
      try await ScriptedServer.run(certificate: "localhost") { peer in
        try await peer.upgrade()
        let hello = try await peer.frame()
        #expect(String(decoding: hello.payload, as: UTF8.self) == #"{"type":"hello","version":1}"#)
        let welcome = #"{"type":"welcome","version":1,"account":"alice","maximumMessageBytes":1}"#
        try await peer.write(ScriptedPeer.frame(1, Array(welcome.utf8)))
        _ = try await peer.frame()
      } client: { port in
        let transport = WebSocketTransport(
          url: try #require(URL(string: "wss://localhost:\(port)/v1/connect")),
          trustedCertificates: Certificates.path("authority.pem"), token: { "wonderland" })
        try await transport.withConnection(resumingAfter: nil) { connection in
          let first = try await connection.receive()
          #expect(first == .ready)
        }
      }
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a certificate of another host is insecure`(host: String) async throws {
      let failure = await #expect(throws: ConnectionFailure.self) {
        try await connect(to: host, certificate: "elsewhere", trusting: authority)
      }
      #expect(failure?.reason == .insecure)
    }

    @Test func `a certificate of an unknown signer is insecure`() async throws {
      for trust in [stranger, .system] {
        let failure = await #expect(throws: ConnectionFailure.self) {
          try await connect(to: "localhost", certificate: "localhost", trusting: trust)
        }
        #expect(failure?.reason == .insecure)
      }
    }

    @Test func `a server without TLS is insecure`() async throws {
      let failure = await #expect(throws: ConnectionFailure.self) {
        try await ScriptedServer.run { peer in
          try await peer.write("HTTP/1.1 400 Bad Request", "", "")
          _ = try await peer.request()
        } client: { port in
          let url = try #require(URL(string: "wss://localhost:\(port)/"))
          try await WebSocketConnector(
            url: url, environment: ChatEnvironment(), trust: authority, token: { "wonderland" }
          ).withChannel { _ in }
        }
      }
      #expect(failure?.reason == .insecure)
    }
  }
#endif
