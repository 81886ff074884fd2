#if os(Linux)
  import CommandFixtures
  import Foundation
  import Processes
  import Testing

  @testable import holdfast_lab

  /// The real kernel, in a network namespace where the test is root. One virtual cable has two ends: `near`, which
  /// has the default route, and `far`.
  @Suite struct NetworkNamespaceTests {
    /// A command, and the line that follows it. Nil when no line may follow.
    private static let story: [(commands: [String], line: String?)] = [
      (["ip link set lo up", "ip link add near type veth peer name far"], nil),
      (["ip link set far up", "ip addr add 10.9.0.2/24 dev near", "ip link set near up"], nil),
      (["ip route add default via 10.9.0.1"], "up other"),
      (["ip link set near down"], "down"),
      // The kernel has removed the route with the link, and does not announce it.
      (["ip link set near up"], nil),
      (["ip route add default via 10.9.0.1"], "up other"),
      // The cable is unplugged at the other end.
      (["ip link set far down"], "down"),
      (["ip link set far up"], "up other"),
      (["ip route del default"], "down"),
      (["ip route add default via 10.9.0.1"], "up other"),
      // The last address removes the route as well, and the kernel does not announce that either.
      (["ip addr del 10.9.0.2/24 dev near"], "down"),
      (["ip -6 route add default dev near"], "up other"),
      (["ip -6 route del default dev near"], "down"),
      (["ip addr add 10.9.0.2/24 dev near", "ip route add unreachable default metric 9"], nil),
      (["ip route add default dev lo"], nil),
      (["ip route add 0.0.0.0/1 via 10.9.0.1"], "up other"),
      (["ip link del near"], "down"),
    ]

    // N1.1, N1.4
    @Test(.enabled(if: isPermitted, "this machine permits no network namespaces"), .timeLimit(.minutes(10)))
    func `the path follows links, carriers and routes, IPv4 and IPv6`() async throws {
      let child = try ChildProcess(
        executable: URL(filePath: "/usr/bin/env"), arguments: Self.namespace + ["sh"],
        environment: ["PATH": Self.folders])
      // The shell reads the end of its input, and ends the watcher.
      defer { child.closeInput() }
      var lines = child.events.compactMap(Self.text).makeAsyncIterator()

      child.send(Data("run() { \"$@\" || echo \"failed: $*\"; }".utf8))
      child.send(Data("'\(Self.holdfast.path)' watch-path & trap \"kill $!\" EXIT".utf8))
      #expect(await lines.next() == "down")
      for step in Self.story {
        for command in step.commands { child.send(Data("run \(command) </dev/null".utf8)) }
        if step.line == nil { child.send(Data("sleep 0.2; echo nothing".utf8)) }
        let line = await lines.next()
        try #require(line == step.line ?? "nothing", "after \(step.commands)")
      }
    }

    /// `ip` is in a folder that only root has in its path.
    private static let folders = "/usr/sbin:/sbin:/usr/bin:/bin"
    private static let namespace = ["unshare", "--user", "--map-root-user", "--net"]

    /// SwiftPM puts it beside the tests.
    private static let holdfast = Bundle.main.bundleURL.appending(path: "holdfast-lab")

    private static let isPermitted: Bool = {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = namespace + ["true"]
      process.standardError = FileHandle.nullDevice
      do { try process.run() } catch { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }()

    private static func text(_ event: ChildProcess.Event) -> String? {
      guard case .line(let line) = event else { return nil }
      return String(decoding: line, as: UTF8.self)
    }
  }
#endif
