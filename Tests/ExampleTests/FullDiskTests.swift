#if os(Linux)
  import Foundation
  import Testing

  /// A disk of three megabytes, in a mount namespace where the test is root.
  @Suite(.timeLimit(.minutes(10))) struct FullDiskTests {
    private static let namespace = ["unshare", "--user", "--map-root-user", "--mount"]

    private static let isPermitted: Bool = {
      (try? run(["mount", "-t", "tmpfs", "none", "/mnt"]).status) == 0
    }()

    private static func run(_ command: [String]) throws -> (status: Int32, output: String) {
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = namespace + command
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    // S4.2, S4.3
    @Test(.enabled(if: isPermitted, "this machine permits no mount namespaces"))
    func `on a disk that is full the last draft still fits, and there is a reserve again once there is room`()
      throws
    {
      let app = Bundle.main.bundleURL.appending(path: "DraftsOnly").path
      let script = """
        export SWIFT_BACKTRACE=enable=no
        mount -t tmpfs -o size=3m none /mnt && cd /mnt || exit 9
        echo "first words" | '\(app)' store
        ls store/reserve && echo "reserve made"
        cat /dev/zero > fill 2>/dev/null
        echo "and last words" | '\(app)' store
        ls store/reserve 2>/dev/null || echo "reserve given up"
        cat /dev/zero >> fill 2>/dev/null
        head -c 100000 /dev/zero | tr '\\0' 'x' | '\(app)' store > /dev/null 2>&1 || echo "no room"
        rm fill
        '\(app)' store < /dev/null
        echo "more" | '\(app)' store > /dev/null
        ls store/reserve && echo "reserve made again"
        """
      let (status, output) = try Self.run(["sh", "-c", script])
      #expect(status == 0, "\(output)")
      var rest = output[...]
      for part in [
        "reserve made", "reserve given up", "no room", "first words\nand last words", "reserve made again",
      ] {
        let found = try #require(rest.range(of: part), "\(part) in \(output)")
        rest = rest[found.upperBound...]
      }
    }
  }
#endif
