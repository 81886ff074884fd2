import ArgumentParser

/// `holdfast relay`: the reference server on a WebSocket.
struct Relay: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serve chats over WebSockets, as docs/wire.md describes.",
    discussion: """
        holdfast relay --data ~/relay --port 8080 --accounts-file ~/accounts

      Prints its address on a line of its own once it listens. The relay has no TLS. On any interface except the \
      loopback interface, put a proxy with TLS in front of it, as docs/relay.md shows.

      The accounts are those of the file and of --account together. Any other account loses its token, keeps its \
      messages, and has them again when it comes back. With neither option, the accounts are those of the last time.

      SIGHUP makes the relay read the accounts file again: new accounts get in, and the connections of an account that \
      is gone or has another token end. A file that is wrong or has no account changes nothing, and the standard error \
      says why.

      GET /healthz is answered with 200 when the database answers. The standard error has a line for each connection, \
      for each refusal and for each end, with the connection's number, and without names and contents.
      """)

  @OptionGroup var service: RelayService

  func run() async throws { try await service.run() }
}
