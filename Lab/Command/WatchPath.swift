import ArgumentParser
import Foundation
import Holdfast
import HoldfastNetwork

/// `holdfast-lab watch-path`: prints the system's network state, a line for each change. The line is "up wifi", "up"
/// when the system does not name the interface, or "down". A state that is not known yet is also "down".
struct WatchPath: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print each change of the system's network.", shouldDisplay: false)

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
