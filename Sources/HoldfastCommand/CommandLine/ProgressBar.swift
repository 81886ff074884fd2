import Foundation
import Holdfast
import HoldfastRelay
import HoldfastRescue

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// The progress of long work, in one line on the terminal. Nothing is shown without a terminal, so that logs stay
/// clean.
final class ProgressBar {
  private let isShown: Bool
  private let unit: (Int64) -> String
  private let deed: String
  private var shown = ""

  /// Shows a bar for as long as `work` takes, and clears it afterwards.
  ///
  /// - Parameters:
  ///   - deed: the work as a participle, such as `imported`.
  ///   - unit: writes a number as text.
  static func during<Value, Failure>(
    isWanted: Bool, _ deed: String, _ unit: @escaping (Int64) -> String,
    _ work: (ProgressBar) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let bar = ProgressBar(isWanted: isWanted, deed, unit)
    defer { bar.clear() }
    return try work(bar)
  }

  private init(isWanted: Bool, _ deed: String, _ unit: @escaping (Int64) -> String) {
    isShown = isWanted && isatty(STDERR_FILENO) == 1
    (self.deed, self.unit) = (deed, unit)
  }

  func show(_ progress: InterchangeProgress) { show(progress.completed, of: progress.total) }

  func show(_ progress: BackupProgress) { show(progress.completed, of: progress.total) }

  func show(_ completed: Int64, of total: Int64) { show(Self.line(completed, of: total, deed, unit)) }

  /// Shows the current work, if the progress is unknown.
  func show(_ line: String) {
    // A shorter line must cover the previous line.
    let line = line.padding(toLength: max(line.count, 76), withPad: " ", startingAt: 0)
    guard isShown, line != shown else { return }
    shown = line
    write("\r" + line)
  }

  /// Clears the line, so that the next output begins at its start.
  private func clear() {
    guard !shown.isEmpty else { return }
    write("\r" + String(repeating: " ", count: shown.count) + "\r")
    shown = ""
  }

  static func line(
    _ completed: Int64, of total: Int64, _ deed: String, _ unit: (Int64) -> String
  ) -> String {
    let share = total > 0 ? Double(completed) / Double(total) : 1
    let filled = Int(max(0, min(1, share)) * 30)
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled)
    let percent = String(format: "%3d %%", Int(max(0, min(1, share)) * 100))
    return "[\(bar)] \(percent)  \(unit(completed)) of \(unit(total)) \(deed)"
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
