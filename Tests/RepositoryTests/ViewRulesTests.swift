import Foundation
import Testing

/// Code that is known to fail in SwiftUI, and that no view contains (docs/decisions/0059).
@Suite struct ViewRulesTests {
  /// One rule: the code that no line may contain, and the place where it failed.
  struct Rule: Sendable, CustomTestStringConvertible {
    let name: String
    let why: String
    let sample: String
    let isBroken: @Sendable (String) -> Bool

    var testDescription: String { name }

    init(_ name: String, _ why: String, sample: String, _ isBroken: @escaping @Sendable (String) -> Bool) {
      (self.name, self.why, self.sample, self.isBroken) = (name, why, sample, isBroken)
    }

    init(without words: String..., why: String, sample: String) {
      self.init("without \(words.joined(separator: ", "))", why, sample: sample) { line in
        words.contains(where: line.contains)
      }
    }
  }

  static let rules = [
    Rule(
      "no selection apart from its text",
      "A selection of another text traps on iOS 18 to 26 (expo/expo#47434). ComposerModel.cursor fits its text.",
      sample: "text: $text, selection: $selection,"
    ) { $0.contains("selection: $") && !$0.contains("List(") && !$0.contains("ConversationList(") },
    Rule(
      without: "LazyVStack", "LazyHStack",
      why: "Rows that come in above make it jump, and rows of many heights hang macOS 26.",
      sample: "LazyVStack {"),
    Rule(
      without: "defaultScrollAnchor", "scrollPosition",
      why: "One overrides the other when the keyboard opens (iOS 26).",
      sample: ".defaultScrollAnchor(.bottom)"),
    Rule(
      without: "scenePhase",
      why: "In a view it is that scene's, and in an app the aggregate. ChatSession follows the phases.",
      sample: "@Environment(\\.scenePhase) var phase"),
    Rule(
      without: "confirmationDialog", why: "It may be anchored at the view that carries it.",
      sample: ".confirmationDialog(Text(verbatim: title), isPresented: $asks) {"),
    Rule(
      without: "AnyView", "Representable", why: "A row in it is made again as a whole.",
      sample: "AnyView(row)"),
    Rule(
      without: "onSubmit", why: "It never comes from a field of several lines.",
      sample: ".onSubmit { send() }"),
    Rule(
      "texts from the catalogue",
      "A key in a package is looked up in the app's bundle. An attributed text has no key.",
      sample: "Text(\"Send\")"
    ) { line in
      line.matches(of: /\bText\((?!verbatim: |attributed\)|[a-zA-Z.]+, style: )/).isEmpty == false
    },
    Rule(
      "no words of its own", "An app translates the catalogue, and nothing else.",
      sample: "Text(verbatim: \"No messages\")"
    ) { line in
      let literals = line.matches(of: /"((?:[^"\\]|\\.)*)"/).map { String($0.1) }
      return literals.contains { literal in
        let isName =
          literal.wholeMatch(of: /[a-z.]+/) != nil
          && (line.contains("systemName:") || line.contains("@SceneStorage("))
        let words = literal.replacing(/\\\([^)]*\)/, with: "")
        return !isName && words.contains(where: \.isLetter)
      }
    },
    Rule(
      "no life of the engine in a task",
      "A task ends when its view disappears: a tab, a pushed page, a closed window.",
      sample: ".task { await client.run() }"
    ) { line in
      guard let task = line.firstMatch(of: /\.task(?:\([^)]*\))? \{(.*)/) else { return false }
      let runs = [
        "model.run()", "list.run()", "actions.run()", "actionQueue.run()", "scene.run()", "search.run()",
        "session.run()", "window.run()",
      ]
      return !runs.contains { task.1.contains("await \($0)") }
    },
    Rule(
      without: "Task {", "Task(", why: "No task is without an owner.",
      sample: "Button { Task { await send() } }"),
    Rule(
      "no rule of what can be done",
      "What can be done with a row and how it looks is decided by the presenters.",
      sample: "if row.status.state == .failed {"
    ) { line in [".status", ".actions", ".isUnsent", "Calendar"].contains(where: line.contains) },
  ]

  private static let layer = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Sources/HoldfastSwiftUI")

  /// The lines of the views, without comments.
  private static func lines() throws -> [(place: String, line: String)] {
    let files = try FileManager.default.contentsOfDirectory(at: layer, includingPropertiesForKeys: nil)
    return try files.filter { $0.pathExtension == "swift" }.flatMap { file in
      try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated().map { ("\(file.lastPathComponent):\($0.offset + 1)", String($0.element)) }
        .filter { !$0.1.drop(while: \.isWhitespace).hasPrefix("//") }
    }
  }

  // V2.4
  @Test(arguments: rules) func `the views keep the rule, and a line that breaks it is found`(_ rule: Rule)
    throws
  {
    #expect(rule.isBroken(rule.sample))
    for (place, line) in try Self.lines() {
      #expect(!rule.isBroken(line), "\(place) breaks “\(rule.name)”: \(rule.why) \(line)")
    }
  }

  // SwiftUI requires a label where a control has no words.
  @Test func `each picture has a label, or is left out for who hears`() throws {
    let lines = try Self.lines()
    for (index, (place, line)) in lines.enumerated() where line.contains("Image(systemName:") {
      let around = lines[index...].prefix(8).map(\.line).joined()
      #expect(around.contains("accessibility"), "\(place) shows a picture without a label.")
    }
  }

  @Test
  func
    `each file is for the systems that have SwiftUI's windows, and only the modifiers are used that are looked at`()
    throws
  {
    let allowed: Set = [
      "accessibilityAddTraits", "accessibilityElement", "accessibilityHidden", "accessibilityLabel", "alert",
      "animation", "attachesDrops", "background", "bold", "buttonStyle", "contextMenu", "disabled",
      "environment", "fileImporter", "focused", "font", "foregroundStyle", "frame", "gridColumnAlignment",
      "heldQuestion", "id", "italic", "labelStyle", "lineLimit", "menuIndicator", "menuStyle", "messageMenu",
      "messageSheets", "multilineTextAlignment", "navigationTitle", "onAppear", "onChange",
      "onContinueUserActivity", "onDisappear", "onGeometryChange", "onKeyPress", "onOpenURL",
      "onScrollGeometryChange", "onScrollPhaseChange", "onScrollTargetVisibilityChange", "opacity", "padding",
      "quickLookPreview", "scaledToFit", "scrollTargetLayout", "searchable", "sheet", "swipeActions", "tag",
      "task", "transition", "userActivity",
    ]
    for (place, line) in try Self.lines() {
      guard let name = line.firstMatch(of: /^\s+\.(\w+)[\( ]/)?.1 else {
        if place.hasSuffix(":1") { #expect(line == "#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)") }
        continue
      }
      // They do nothing outside a List before iOS 27.
      #expect(name != "swipeActions" || place.hasPrefix("ConversationList"), "\(place) has no List.")
      #expect(allowed.contains(String(name)), "\(place) uses .\(name), which nobody has looked at.")
    }
    let screen = try String(
      contentsOf: Self.layer.appendingPathComponent("ConversationScreen.swift"), encoding: .utf8)
    #expect(
      screen.replacing(/\s/, with: "").contains(".id(conversation.id)"),
      "State keeps the first conversation's models.")
  }
}
