// Colours, shapes, and the words of layout.
import Foundation

public protocol ShapeStyle: Sendable {
  var css: String { get }
}

public struct Color: ShapeStyle, Hashable, Sendable {
  public let css: String
  public static let red = Color(css: "var(--red)")
  public static let orange = Color(css: "var(--orange)")
  public static let green = Color(css: "var(--green)")
  public static let gray = Color(css: "var(--gray)")
  public static let white = Color(css: "#fff")
  public static let primary = Color(css: "var(--ink)")
  public static let secondary = Color(css: "var(--secondary)")
  public static let yellow = Color(css: "var(--yellow)")
  public static let accentColor = Color(css: "var(--accent)")
  public func opacity(_ opacity: Double) -> Color {
    Color(css: "color-mix(in srgb, \(css) \(Int(opacity * 100))%, transparent)")
  }
}

public struct HierarchicalShapeStyle: ShapeStyle {
  public let css: String
}

extension ShapeStyle where Self == HierarchicalShapeStyle {
  public static var primary: HierarchicalShapeStyle { HierarchicalShapeStyle(css: "var(--ink)") }
  public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle(css: "var(--secondary)") }
}

extension ShapeStyle {
  public func opacity(_ opacity: Double) -> some ShapeStyle {
    FadedStyle(css: "color-mix(in srgb, \(css) \(opacity * 100)%, transparent)")
  }
}

struct FadedStyle: ShapeStyle {
  let css: String
}

public struct TintShapeStyle: ShapeStyle {
  public let css = "var(--accent)"
}

extension ShapeStyle where Self == TintShapeStyle {
  public static var tint: TintShapeStyle { TintShapeStyle() }
}

extension ShapeStyle where Self == Color {
  public static var red: Color { .red }
  public static var white: Color { .white }
}

public protocol Shape: Sendable {
  var css: String { get }
}

public struct Capsule: Shape {
  nonisolated public init() {}
  public var css: String { "border-radius:999px" }
}

public struct RoundedRectangle: Shape {
  let radius: CGFloat
  nonisolated public init(cornerRadius: CGFloat) { radius = cornerRadius }
  public var css: String { "border-radius:\(Int(radius))px" }
}

public struct Font: Hashable, Sendable {
  /// Relative to the reader's text size.
  let css: String
  public static let largeTitle = Font(css: "font-size:calc(var(--text)*2)")
  public static let title2 = Font(css: "font-size:calc(var(--text)*1.3)")
  public static let title3 = Font(css: "font-size:calc(var(--text)*1.15)")
  public static let headline = Font(css: "font-weight:600")
  public static let subheadline = Font(css: "font-size:calc(var(--text)*.88)")
  public static let body = Font(css: "")
  public static let footnote = Font(css: "font-size:calc(var(--text)*.8)")
  public static let caption = Font(css: "font-size:calc(var(--text)*.72)")
  public func monospaced() -> Font { Font(css: css + ";font-family:monospace") }
}

public struct HorizontalAlignment: Equatable, Sendable {
  let name: String
  public static let leading = HorizontalAlignment(name: "flex-start")
  public static let center = HorizontalAlignment(name: "center")
  public static let trailing = HorizontalAlignment(name: "flex-end")
}

public struct VerticalAlignment: Equatable, Sendable {
  public static let center = VerticalAlignment()
  public static let firstTextBaseline = VerticalAlignment()
}

public struct Alignment: Equatable, Sendable {
  let name: String
  public static let leading = Alignment(name: "flex-start")
  public static let center = Alignment(name: "center")
  public static let trailing = Alignment(name: "flex-end")
}

public enum TextAlignment: Sendable {
  case leading, center, trailing
}

public enum Axis: Sendable {
  case horizontal, vertical
  public struct Set: OptionSet, Sendable {
    public let rawValue: Int8
    public init(rawValue: Int8) { self.rawValue = rawValue }
    public static let horizontal = Set(rawValue: 1)
    public static let vertical = Set(rawValue: 2)
  }
}

public enum Edge: Sendable {
  case top
  public struct Set: OptionSet, Sendable {
    public let rawValue: Int8
    public init(rawValue: Int8) { self.rawValue = rawValue }
    public static let leading = Set(rawValue: 1)
    public static let trailing = Set(rawValue: 2)
    public static let vertical = Set(rawValue: 4)
    public static let horizontal: Set = [.leading, .trailing]
    public static let all: Set = [.horizontal, .vertical]
  }
}

public enum HorizontalEdge: Sendable {
  case leading, trailing
}

/// Nothing moves here.
public struct Animation: Equatable, Sendable {
  public static let `default` = Animation()
}

@MainActor public func withAnimation<Result>(
  _ animation: Animation? = .default, _ body: () throws -> Result
) rethrows -> Result { try body() }

public struct AnyTransition: Sendable {
  public static let opacity = AnyTransition()
  public static func move(edge: Edge) -> AnyTransition { AnyTransition() }
  public func combined(with other: AnyTransition) -> AnyTransition { self }
}

public struct UnitPoint: Hashable, Sendable {
  public var x: CGFloat
  public var y: CGFloat
  public init(x: CGFloat, y: CGFloat) { (self.x, self.y) = (x, y) }
  public static let top = UnitPoint(x: 0.5, y: 0)
  public static let center = UnitPoint(x: 0.5, y: 0.5)
  public static let bottom = UnitPoint(x: 0.5, y: 1)
}

public struct AccessibilityTraits: OptionSet, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }
  public static let isHeader = AccessibilityTraits(rawValue: 1)
}

public struct AccessibilityChildBehavior: Hashable, Sendable {
  let name: String
  public static let ignore = AccessibilityChildBehavior(name: "ignore")
  public static let contain = AccessibilityChildBehavior(name: "contain")
  public static let combine = AccessibilityChildBehavior(name: "combine")
}
