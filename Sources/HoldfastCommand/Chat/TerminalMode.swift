import Foundation

/// The mode of the terminal while a chat reads from it: keys arrive one by one, and pasted text arrives between
/// marks.
struct TerminalMode: Sendable {
  /// The terminal's settings at the start. Nil when the input or the output is no terminal.
  private let before: termios?

  /// Reads the terminal's settings, and changes nothing.
  init() {
    var mode = termios()
    before = isatty(1) == 1 && tcgetattr(0, &mode) == 0 ? mode : nil
  }

  /// Whether there is a terminal whose mode is changed.
  var isKeyboard: Bool { before != nil }

  /// Begins the mode. Called again after the chat was stopped, because a shell has changed the mode.
  func begin() {
    guard var mode = before else { return }
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
    mode.c_iflag &= ~tcflag_t(ICRNL)
    set(mode, marksPastes: true)
  }

  /// Restores the terminal's settings.
  func end() {
    if let before { set(before, marksPastes: false) }
  }

  private func set(_ mode: termios, marksPastes: Bool) {
    var mode = mode
    tcsetattr(0, TCSADRAIN, &mode)
    FileHandle.standardOutput.write(Data("\u{1B}[?2004\(marksPastes ? "h" : "l")".utf8))
  }
}
