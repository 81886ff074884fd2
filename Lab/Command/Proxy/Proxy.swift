import ArgumentParser
import Foundation
import Holdfast
import HoldfastCommand

/// `holdfast-lab proxy`: a TCP proxy that fails on request.
struct Proxy: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Pass TCP connections on to a server, and fail when told to.",
    discussion: """
      Prints HOST:PORT once it listens. Each line of the standard input is an order, and "ok" answers it once it \
      is in force, or an error that begins with "error:":

      \(ProxyOrder.usage.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))

      ENDING is reset (the default), close or silent. lose, half and cut happen once: 300 ms after the bytes that \
      they wait for, every connection ends so. "done" is printed then, and everything passes again. The proxy \
      ends with its input.
      """)

  @Option(help: ArgumentHelp("The port to listen on. 0 chooses a free port.", valueName: "port"))
  var listen: Int = 0

  @Option(help: ArgumentHelp("The IPv4 or IPv6 address to listen on.", valueName: "address"))
  var host = "127.0.0.1"

  @Option(help: ArgumentHelp("The server.", valueName: "host:port"))
  var to: String

  func run() async throws {
    guard let target = Self.target(to) else { throw ValidationError("--to must be HOST:PORT.") }
    guard (0...65535).contains(listen) else { throw ValidationError("--listen must be a port, 0 to 65535.") }
    signal(SIGPIPE, SIG_IGN)
    let signals = terminationSignals()
    guard let proxy = try? ProxyServer(host: host, port: listen, to: { target }, report: Self.report) else {
      throw ValidationError("--host must be an IPv4 or IPv6 address.")
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await proxy.run() }
      group.addTask {
        for await _ in signals { break }
        proxy.stop()
      }
      group.addTask {
        for await line in LineReader.standardInput() {
          Self.obey(String(decoding: line, as: UTF8.self), proxy)
        }
        proxy.stop()
      }
      try await group.next()
      group.cancelAll()
      try await group.waitForAll()
    }
  }

  private static func obey(_ line: String, _ proxy: ProxyServer) {
    guard !line.allSatisfy(\.isWhitespace) else { return }
    if let order = ProxyOrder(line) { return proxy.obey(order) }
    report(.failed("unknown order; `holdfast help proxy` lists them."))
  }

  private static func report(_ event: ProxyServer.Event) {
    switch event {
    case .listening(let address): write(address)
    case .inForce: write("ok")
    case .carriedOut: write("done")
    case .failed(let reason): write("error: \(reason)")
    }
  }

  /// Writes unbuffered, because the process that started this one waits for the line.
  private static func write(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
  }

  /// The host and the port of `HOST:PORT`. An IPv6 address is in brackets.
  static func target(_ text: String) -> (host: String, port: Int)? {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (1...65535).contains(port)
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    return host.isEmpty ? nil : (String(host), port)
  }
}
