import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

/// Two composers on one draft, and the engine that sends it.
///
/// The model: the text as a set of numbered keystrokes, the keystrokes that each composer shows, and the
/// destination of every keystroke that is no longer in the text.
struct TurnWorld: SmallWorld {
  enum Event: CustomStringConvertible {
    case types(Int), follows(Int), focuses(Int), blurs(Int), sends
    var description: String {
      switch self {
      case .types(let composer): "composer \(composer) is typed into"
      case .follows(let composer): "composer \(composer) follows"
      case .focuses(let composer): "composer \(composer) gets the focus"
      case .blurs(let composer): "composer \(composer) loses the focus"
      case .sends: "the text is sent"
      }
    }
  }

  private struct Shown: Hashable {
    var text: Set<Int> = []
    var revision = 0
  }

  private var turn = DraftTurn()
  private var keys = 0
  private var text: Set<Int> = []
  private var sent: Set<Int> = []
  private var setAside: Set<Int> = []
  private var shown = [Shown(), Shown()]
  private var focused: Int?
  private(set) var wasSetAside = false
  private(set) var wasWrittenOver = false

  func hash(into hasher: inout Hasher) {
    hasher.combine(text)
    hasher.combine(sent)
    hasher.combine(shown)
    hasher.combine(focused)
  }

  var possibleEvents: [Event] {
    let composers = [0, 1]
    return composers.map { .types($0) }
      + composers.filter { shown[$0].revision < turn.revision }.map { .follows($0) }
      + composers.map { focused == $0 ? .blurs($0) : .focuses($0) } + (text.isEmpty ? [] : [.sends])
  }

  mutating func take(_ event: Event) throws {
    switch event {
    case .types(let index): try type(into: index)
    case .follows(let index): follow(index)
    case .focuses(let index):
      turn.focus(ComposerID(number: index))
      focused = index
    case .blurs(let index):
      turn.blur(ComposerID(number: index))
      focused = nil
    case .sends:
      turn.end()
      sent.formUnion(text)
      text = []
    }
    try agree("who has the focus", machine: turn.focused?.number, model: focused)
    try require(
      Set(0..<keys).isSubset(of: text.union(sent).union(setAside)), "no keystroke is lost")
    try require(text.isDisjoint(with: sent), "a sent text is not in the composer again")
  }

  private mutating func type(into index: Int) throws {
    let composer = ComposerID(number: index)
    let typed = shown[index].text.union([keys])
    keys += 1
    let isNewest = shown[index].text == text && shown[index].revision == turn.revision
    let verdict = turn.verdict(on: composer, basedOn: shown[index].revision)
    switch verdict {
    case .write, .writeOver:
      try require(
        focused == nil || focused == index || isNewest, "nobody writes over the composer that has the focus")
      if verdict == .writeOver {
        setAside.formUnion(text)
        wasWrittenOver = true
      }
      turn.wrote(composer)
      text = typed
      shown[index] = Shown(text: text, revision: turn.revision)
    case .setAside:
      try require(!isNewest, "what is typed into the newest text is written")
      // As in the engine's drafts: a sent text is not stored again.
      setAside.formUnion(typed.subtracting(sent))
      wasSetAside = true
      follow(index)
    }
  }

  private mutating func follow(_ index: Int) { shown[index] = Shown(text: text, revision: turn.revision) }

  /// D13: once both have followed, both show the text.
  mutating func comeToRest() throws {
    for index in [0, 1] {
      follow(index)
      let before = text
      try type(into: index)
      try require(text.isSuperset(of: before), "the next keystroke goes on from there")
    }
  }
}

extension SmallWorlds {
  @Suite struct TurnTests {
    // D13.1, D13.3
    @Test func `every order of 7 events of two composers on one draft`() async {
      let walk = await EveryOrder.walked(from: TurnWorld(), depth: 7)
      #expect(walk.surprise == nil, "\(walk)")
      #expect(walk.orders == 103_040, "\(walk)")
      #expect(walk.ends.contains { $0.wasSetAside })
      #expect(walk.ends.contains { $0.wasWrittenOver })
    }
  }
}
