import Foundation
import Holdfast

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// One line on the terminal that says how far long work is. Nothing where there is no terminal, so that logs stay clean.
final class ProgressBar {
  private let isShown: Bool
  private let unit: (Int64) -> String
  private var shown = ""

  /// - Parameter unit: as it writes a number.
  init(isWanted: Bool, _ unit: @escaping (Int64) -> String) {
    isShown = isWanted && isatty(STDERR_FILENO) == 1
    self.unit = unit
  }

  func show(_ progress: InterchangeProgress) {
    guard isShown else { return }
    let line = Self.line(progress, unit)
    guard line != shown else { return }
    shown = line
    write("\r" + line)
  }

  /// What is printed next begins at the line's beginning.
  func clear() {
    guard !shown.isEmpty else { return }
    write("\r" + String(repeating: " ", count: shown.count) + "\r")
    shown = ""
  }

  static func line(_ progress: InterchangeProgress, _ unit: (Int64) -> String) -> String {
    let share = progress.total > 0 ? Double(progress.completed) / Double(progress.total) : 1
    let filled = Int(max(0, min(1, share)) * 30)
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled)
    let percent = String(format: "%3d %%", Int(max(0, min(1, share)) * 100))
    let line = "[\(bar)] \(percent)  \(unit(progress.completed)) of \(unit(progress.total))"
    // A shorter line must cover the one before.
    return line.padding(toLength: max(line.count, 72), withPad: " ", startingAt: 0)
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
