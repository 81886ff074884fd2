import Foundation

public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
  let text: String
  public init(_ value: String) { text = value }
  public init(stringLiteral value: String) { text = value }
}

public struct Text: DrawnView, Equatable, Sendable {
  let content: String
  var style = ""
  /// The text with its styles and links, if it has any.
  private var attributed: AttributedString?

  nonisolated public init(_ key: LocalizedStringKey) { content = key.text }
  @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ content: S) {
    self.content = String(content)
  }
  nonisolated public init(verbatim content: String) { self.content = content }

  @_disfavoredOverload nonisolated public init(_ attributedContent: AttributedString) {
    (content, attributed) = (String(attributedContent.characters), attributedContent)
  }

  /// A moment, as shown in drawings: always in the same words.
  nonisolated public init(_ date: Date, style: DateStyle) { content = style.isDate ? "1 March 2026" : "9:41" }

  public struct DateStyle: Sendable {
    let isDate: Bool
    public static let time = DateStyle(isDate: false)
    public static let date = DateStyle(isDate: true)
  }

  nonisolated public func bold() -> Text { styled("font-weight:bold") }
  nonisolated public func italic() -> Text { styled("font-style:italic") }

  nonisolated private func styled(_ style: String) -> Text {
    var text = self
    text.style += style + ";"
    return text
  }

  func draw(in place: Place) -> [Node] {
    [
      Node(.text) { node in
        node.text = content
        node.style = [style]
        let openURL = place.window.environment.openURL
        for run in attributed?.runs ?? AttributedString().runs {
          let words = String(attributed![run.range].characters)
          node.spans.append((words, Self.css(run.inlinePresentationIntent ?? [], isLink: run.link != nil)))
          if let link = run.link { node.links.append((words, { openURL(link) })) }
        }
      }
    ]
  }
}

extension Text {
  private static func css(_ intent: InlinePresentationIntent, isLink: Bool) -> String {
    [
      intent.contains(.emphasized) ? "font-style:italic" : "",
      intent.contains(.stronglyEmphasized) ? "font-weight:bold" : "",
      intent.contains(.code) ? "font-family:monospace" : "",
      intent.contains(.strikethrough) || isLink
        ? "text-decoration:\(isLink ? "underline" : "line-through")" : "",
      isLink ? "color:var(--accent)" : "",
    ].filter { !$0.isEmpty }.joined(separator: ";")
  }
}

public struct Image: DrawnView, Equatable, Sendable {
  let symbol: String
  var file: URL?
  nonisolated public init(systemName: String) { symbol = systemName }

  init(file: URL) { (symbol, self.file) = ("", file) }

  public func resizable() -> Image { self }

  func draw(in place: Place) -> [Node] {
    [
      Node(.image) { node in
        (node.name, node.file) = (symbol, file)
      }
    ]
  }
}

/// An image of a file, which is loaded at once.
public struct AsyncImage<Content: View>: DrawnView {
  let url: URL?
  nonisolated(unsafe) let content: (AsyncImagePhase) -> Content

  nonisolated public init(
    url: URL?, transaction: Transaction, @ViewBuilder content: @escaping (AsyncImagePhase) -> Content
  ) {
    (self.url, self.content) = (url, content)
  }

  func draw(in place: Place) -> [Node] {
    let file = url.flatMap { FileManager.default.isReadableFile(atPath: $0.path) ? $0 : nil }
    return content(file.map { .success(Image(file: $0)) } ?? .empty).nodes(in: place)
  }
}

public enum AsyncImagePhase: Sendable {
  case empty
  case success(Image)
  public var image: Image? { if case .success(let image) = self { image } else { nil } }
}

public struct Transaction {
  nonisolated public init() {}
}

public struct ProgressView<Label: View, CurrentValueLabel: View>: DrawnView {
  let fraction: Double?
  nonisolated public init() where Label == EmptyView, CurrentValueLabel == EmptyView { fraction = nil }
  nonisolated public init(value: Double?) where Label == EmptyView, CurrentValueLabel == EmptyView {
    fraction = value
  }
  func draw(in place: Place) -> [Node] {
    [Node(.progress) { $0.text = fraction.map { "\(Int($0 * 100)) %" } ?? "" }]
  }
}

public struct Spacer: DrawnView {
  nonisolated public init() {}
  func draw(in place: Place) -> [Node] { [Node(.spacer)] }
}
