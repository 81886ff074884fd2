import ArgumentParser
import FlyingFox
import Foundation
import Holdfast

/// `holdfast demo`: a relay and two phones, each a process of its own, and a page that shows them.
struct Demo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Two phones and a relay to play with in a browser, with buttons to kill each of them."
  )

  @Option(help: "The page's port on 127.0.0.1.")
  var port: UInt16 = 8181

  @Option(help: "Where the phones and the relay keep their data, also between runs.", completion: .directory)
  var data: String?

  @Flag(help: "Delete what an earlier demo left in the folder first.")
  var fresh = false

  func run() async throws {
    // Writing to a child that is gone must not end this process.
    signal(SIGPIPE, SIG_IGN)
    let signals = terminationSignals()
    let folder: DemoFolder
    do {
      let url = try data.map { URL(filePath: $0, directoryHint: .isDirectory) } ?? DemoFolder.standard()
      folder = try DemoFolder(at: url, accounts: DemoStage.phones.map(\.account), isFresh: fresh)
    } catch let problem as DemoFolder.Problem {
      throw ValidationError(problem.description)
    }
    let stage = DemoStage(folder: folder, environment: ChatEnvironment())
    try await stage.run(port: port, until: signals) {
      print(
        """
        Alice, Bob and the relay are running, each as a process of its own.
        Their data is in \(folder.url.path) and stays there; --fresh starts again.
        Open this page, and stop everything with Control-C:
        http://127.0.0.1:\(port)/?session=\(folder.session)
        """)
      // A pipe is buffered in blocks, and a reader that waits for the address must not wait for a full block.
      fflush(nil)
    }
  }
}
