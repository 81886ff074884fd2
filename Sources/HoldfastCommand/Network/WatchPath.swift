import ArgumentParser
import Foundation
import Holdfast
import HoldfastNetwork

/// `holdfast watch-path`: what the system tells about the network, a line for each change: "up wifi", "up" where
/// it does not tell over what, or "down", which also stands for what is not known yet.
struct WatchPath: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows when the system's network comes and goes.", shouldDisplay: false)

  func run() async throws {
    let path = NetworkPath(isUp: false)
    let signal = Signal()
    let subscription = path.subscribe(signal)
    defer { path.unsubscribe(subscription) }
    async let _ = path.followSystem()
    var last: String?
    while !Task.isCancelled {
      let state = path.isUp ? "up \(path.interface?.rawValue ?? "")" : "down"
      let line = state.trimmingCharacters(in: .whitespaces)
      if line != last { try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) }
      last = line
      await signal.wait()
    }
  }
}
