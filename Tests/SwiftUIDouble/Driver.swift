// An app that runs without a screen. A test writes one command per line to it, and reads the shown contents whenever
// they change.
import AppKit
import Foundation
import UserNotifications

@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
  @MainActor @preconcurrency init()
}

@MainActor @preconcurrency public protocol Scene {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Scene {}

@resultBuilder public struct SceneBuilder {
  public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View>: Scene {
  nonisolated(unsafe) let content: () -> Content
  nonisolated public init(@ViewBuilder makeContent: @escaping () -> Content) { content = makeContent }
  public var body: Never { fatalError("A window has views, and no scene.") }
}

extension App {
  @MainActor @preconcurrency public static func main() {
    let app = Self()
    // An app keeps its states as a view does.
    let slot = Slot(Self.self)
    for (number, property) in Mirror(reflecting: app).children.enumerated() {
      (property.value as? any Kept)?.keep(in: slot, number)
    }
    guard let group = app.body as? any RootScene else { fatalError("\(Self.self) has no WindowGroup.") }
    let driver = Driver { WindowEngine(group.root, number: $0) }
    driver.begin()
    withExtendedLifetime((driver, slot)) { RunLoop.main.run() }
  }
}

@MainActor private protocol RootScene {
  var root: any View { get }
}

extension WindowGroup: RootScene {
  var root: any View { Deferred(content: content) }
}

/// Makes the views of a window within it, so that the values they read are tracked.
private struct Deferred<Content: View>: View {
  let content: () -> Content
  var body: some View { content() }
}

/// A command of a test, as one line of JSON.
private struct Command: Decodable {
  var act: String
  var label: String?
  var text: String?
  var row: String?
  var number: Int?
  var looks: Looks?
}

/// The appearance of a drawing.
struct Looks: Decodable {
  var isDark = false
  var isRightToLeft = false
  var isLarge = false
}

/// The shown contents, as one line of JSON.
private struct Shown: Encodable {
  struct Activity: Codable {
    var type: String
    var title: String?
    var userInfo: [String: String]?
    var webpageURL: URL?
  }
  struct Control: Encodable {
    var kind: String
    var label: String?
    var value: String?
    var cursor: Int?
    var isEnabled: Bool
  }
  var words: [String]
  var sheet: [String]?
  var controls: [Control]
  var rows: [String]
  var selected: String?
  var menus: [[String]]
  var activity: Activity?
  /// The addresses that were opened in a browser.
  var opened: [URL]
  /// The words of the links, and of the headings.
  var links: [String]
  var headings: [String]
  var clipboard: String?
  /// Whether the list of a split view is visible.
  var hasList: Bool?
  var isAtEnd: Bool?
  var isAtStart: Bool?
  /// The words of the uppermost visible row of the timeline.
  var top: [String]
  var problems: [String]
}

private struct Answer: Encodable {
  var problem: String?
  var drawing: String?
}

private struct Refusal: Error {
  var words: String
}

@MainActor private final class Driver {
  private let make: (Int) -> WindowEngine
  /// The open windows, by their numbers.
  private var windows: [Int: WindowEngine] = [:]
  /// The window in front.
  private var window: WindowEngine
  private var last: Data?
  private let encoder = JSONEncoder()

  init(_ make: @escaping (Int) -> WindowEngine) {
    (self.make, window) = (make, make(1))
    windows[1] = window
    encoder.outputFormatting = .sortedKeys
  }

  func begin() {
    bringToFront()
    let lines = AsyncStream<String> { continuation in
      // A separate thread waits for a line: nothing else wakes it.
      Thread.detachNewThread {
        while let line = readLine() { continuation.yield(line) }
        continuation.finish()
      }
    }
    Task {
      for await line in lines { answer(line) }
      exit(0)
    }
  }

  private func bringToFront() {
    let window = window
    window.onUpdate = { [weak self] in if window === self?.window { self?.show() } }
    window.update()
  }

  private func answer(_ line: String) {
    do {
      let command = try JSONDecoder().decode(Command.self, from: Data(line.utf8))
      let drawing = try carryOut(command)
      window.update()
      write("answer", try? encoder.encode(Answer(drawing: drawing)))
    } catch {
      let words = (error as? Refusal)?.words ?? "\(error)"
      write("answer", try? encoder.encode(Answer(problem: words)))
    }
  }

  private func write(_ kind: String, _ json: Data?) {
    guard let json else { return }
    FileHandle.standardOutput.write(Data("\(kind) ".utf8) + json + Data("\n".utf8))
  }

  // The shown elements.

  private var root: Node { Node(.view, window.nodes) }
  private var covers: [Node] { root.all([.sheet, .alert]) }
  /// The part that can be touched: the uppermost sheet, or the screen.
  private var front: Node { covers.last ?? root }

  private var links: [(words: String, open: () -> Void)] { front.all([.text]).flatMap(\.links) }

  private func show() {
    let (root, covers) = (root, covers)
    let controls = front.shown([.button, .field, .image]).map { node in
      Shown.Control(
        kind: node.kind.rawValue, label: node.spokenHere, value: node.kind == .field ? node.text : nil,
        cursor: node.cursor,
        isEnabled: node.isEnabled)
    }
    let rows = root.all([.row])
    let scroller = root.all([.scroll]).compactMap(\.scroller).last
    let shown = Shown(
      words: root.words, sheet: covers.last?.words, controls: controls,
      rows: rows.map { $0.words.joined(separator: " ") },
      selected: rows.first(where: \.isSelected)?.words.joined(separator: " "),
      menus: root.all([.menu]).map { $0.all([.button]).compactMap(\.spokenHere) },
      activity: window.activity.map {
        Shown.Activity(
          type: $0.activityType, title: $0.title, userInfo: $0.userInfo as? [String: String],
          webpageURL: $0.webpageURL)
      }, opened: OpenURLAction.opened, links: links.map(\.words),
      headings: root.all([.box]).filter(\.isHeading).map { $0.words.joined(separator: " ") },
      clipboard: NSPasteboard.general.text, hasList: root.all([.split]).last?.isSelected,
      isAtEnd: scroller?.isAtEnd, isAtStart: scroller?.isAtStart, top: scroller?.top ?? [],
      problems: window.problems)
    guard let json = try? encoder.encode(shown), json != last else { return }
    last = json
    write("shown", json)
  }

  // The actions.

  private func carryOut(_ command: Command) throws -> String? {
    switch command.act {
    case "tap": try act(on: find(.button, command.label))
    case "link":
      guard let link = links.first(where: { $0.words == command.label }) else {
        throw Refusal(words: "There is no link \(command.label ?? "") among \(links.map(\.words)).")
      }
      link.open()
    case "type":
      for character in command.text ?? "" {
        let field = try find(.field, command.label)
        field.write?(field.text + String(character))
        window.update()
      }
    case "clear": try find(.field, command.label).write?("")
    case "focus": try find(.field, command.label).focus?(command.number != 0)
    case "cursor": try find(.field, command.label).moveCursor?(command.number ?? 0)
    case "return":
      let field = try find(.field, command.label)
      let press = KeyPress(modifiers: command.text == "shift" ? .shift : [])
      if field.pressReturn?(press) != .handled { field.write?(field.text + "\n") }
    case "paste": try find(.field, command.label).write?(command.text ?? "")
    case "select":
      let rows = front.all([.row]).filter {
        $0.act != nil && $0.words.joined(separator: " ").contains(command.row ?? "")
      }
      try only(rows, "row", command.row).act?()
    case "swipe":
      let rows = front.all([.row]).filter { $0.words.joined(separator: " ").contains(command.row ?? "") }
      let items = try only(rows, "row", command.row).all([.swipe]).flatMap { $0.all([.button]) }
      try act(on: only(items.filter { $0.spokenHere == command.label }, "swipe action", command.label))
    case "choose":
      let bearers = front.all([.box]).filter { node in
        node.children.contains { $0.kind == .menu }
          && node.words.joined(separator: " ").contains(command.row ?? "")
      }
      // The innermost one: a menu of a row is within the row.
      let bearer = try only(bearers.suffix(1), "menu", command.row)
      let items = bearer.children.filter { $0.kind == .menu }.flatMap { $0.all([.button]) }
      try act(on: only(items.filter { $0.spokenHere == command.label }, "item", command.label))
    case "pick":
      let picker = try only(root.all([.picker]), "picker", nil)
      picker.pick?([URL(fileURLWithPath: command.text ?? "")])
    case "drop":
      // The innermost view that takes it, where the last field is.
      let takers = front.all([.box]).filter { $0.drop != nil }
      try only(takers.suffix(1), "view that takes files", nil).drop?(URL(fileURLWithPath: command.text ?? ""))
    case "clipboard":
      PasteButton.clipboard = command.text.map { URL(fileURLWithPath: $0) }
      window.redraw()
    case "close": try only(covers.suffix(1), "sheet", nil).close?()
    case "back": root.all([.screen]).last?.close?()
    case "scroll":
      root.all([.scroll]).compactMap(\.scroller).last?.scroll(command.label)
    case "leave":
      window.close()
      windows[window.number] = nil
    case "window":
      // A window that is not open is opened.
      let number = command.number ?? 1
      window = windows[number] ?? make(number)
      windows[number] = window
      bringToFront()
    case "columns": root.all([.split]).last?.act?()
    case "open":
      guard let url = URL(string: command.text ?? ""), let open = window.opensURL else {
        throw Refusal(words: "No view opens links.")
      }
      open(url)
    case "notification":
      let center = UNUserNotificationCenter.current()
      let push = try JSONDecoder().decode([String: String].self, from: Data((command.text ?? "").utf8))
      guard let delegate = center.delegate else { throw Refusal(words: "Nothing takes notifications.") }
      delegate.userNotificationCenter(center, didReceive: UNNotificationResponse(push)) {}
    case "continue":
      let activity = try JSONDecoder().decode(Shown.Activity.self, from: Data((command.text ?? "").utf8))
      guard let proceed = window.proceeds[activity.type] else {
        throw Refusal(words: "No view continues \(activity.type).")
      }
      let continued = NSUserActivity(activityType: activity.type)
      (continued.title, continued.userInfo) = (activity.title, activity.userInfo)
      continued.webpageURL = activity.webpageURL
      proceed(continued)
    case "draw": return Drawing(looks: command.looks ?? Looks()).page(root)
    default: throw Refusal(words: "There is no act \(command.act).")
    }
    return nil
  }

  private func act(on node: Node) throws {
    guard node.isEnabled else { throw Refusal(words: "\(node.spokenHere ?? "The button") is disabled.") }
    node.act?()
  }

  private func find(_ kind: Node.Kind, _ label: String?) throws -> Node {
    let all = front.shown([kind])
    return try only(
      all.filter { $0.spokenHere == label }, "\(kind.rawValue) among \(all.map { $0.spokenHere ?? "?" })",
      label)
  }

  private func only(_ found: some Collection<Node>, _ kind: String, _ label: String?) throws -> Node {
    guard let first = found.first else { throw Refusal(words: "There is no \(label ?? "") \(kind).") }
    guard found.count == 1 else {
      throw Refusal(words: "There are \(found.count) of \(label ?? "") \(kind).")
    }
    return first
  }
}

extension Node {
  /// The nodes of these kinds that are shown, each with the label of the boxes around it.
  func shown(_ kinds: Set<Kind>, label: String? = nil) -> [Node] {
    if kind == .menu || kind == .swipe || self.isHidden { return [] }
    let around = self.label ?? label
    var found: [Node] = []
    if kinds.contains(kind) {
      given = around
      found.append(self)
      // The contents of a button are its label.
      if kind == .button { return found }
    }
    let inner = kind == .box || kind == .view ? around : nil
    for child in children { found += child.shown(kinds, label: inner) }
    return found
  }

  var spokenHere: String? { given ?? spoken }
}
