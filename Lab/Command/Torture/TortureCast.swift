import Foundation
import Holdfast
import Processes
import Simulator

/// The participating processes, and the locations of their files.
extension TortureStage {
  var relayFolder: URL { folder.appending(path: "relay", directoryHint: .isDirectory) }
  private var accounts: URL { folder.appending(path: "accounts") }

  func makeAccounts() throws -> [String: String] {
    let tokens = Dictionary(uniqueKeysWithValues: names.map { ($0, DemoFolder.makeToken()) })
    let lines = tokens.map { "\($0.key):\($0.value)\n" }.joined()
    try make(accounts, with: lines)
    return tokens
  }

  /// The error output of a process, over all of its launches.
  private func log(of name: String) throws -> FileHandle {
    let file = folder.appending(path: "\(name).log")
    if !FileManager.default.fileExists(atPath: file.path) { try make(file, with: "") }
    let log = try FileHandle(forWritingTo: file)
    try log.seekToEnd()
    return log
  }

  /// Makes a file that only its owner can read.
  private func make(_ file: URL, with text: String) throws {
    guard
      FileManager.default.createFile(
        atPath: file.path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
    else { throw CocoaError(.fileWriteUnknown) }
  }

  func makeRelay() -> HostedProcess {
    let stage = self
    return HostedProcess(
      makeChild: { _ in
        // Any free port at the first launch; later the port that the links know.
        try ChildProcess.holdfast(
          [
            "relay", "--quiet", "--host", "127.0.0.1", "--port", String(stage.relayAddress.port),
            "--data", stage.relayFolder.path, "--accounts-file", stage.accounts.path, "--exit-with-input",
          ], program: stage.program, errors: try stage.log(of: "relay"))
      },
      publish: { status, _, _ in
        guard status.phase == .stopped, let detail = status.detail else { return }
        stage.tally.fail(Violation(promise: "a process goes on", expected: "the relay to run", found: detail))
      })
  }

  func makePhone(_ name: String, token: String) throws -> TorturedPhone {
    let stage = self
    let link = try ProxiedNetwork { stage.relayAddress.port }
    let folder = folder.appending(path: name, directoryHint: .isDirectory)
    return TorturedPhone(name: name, folder: folder, link: link, tally: tally, environment: environment) {
      settings in
      try ChildProcess.holdfast(
        [
          "phone", "--name", name, "--data", folder.path,
          "--relay", "ws://\(link.address ?? "")/v1/connect",
          "--conversation", TortureUser.conversation.rawValue,
        ] + stage.names.flatMap { ["--member", $0] } + (settings.isAirplane ? ["--no-network"] : []),
        token: token, program: stage.program, errors: try stage.log(of: name))
    }
  }
}
