import HoldfastCommand

/// The program `holdfast`.
@main struct Program {
  static func main() async { await HoldfastCommand.main() }
}
