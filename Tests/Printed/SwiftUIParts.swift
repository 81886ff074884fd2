// The parts of SwiftUI and UIKit used by the printed blocks beyond Tests/AppleInterfaces, as Apple documents them.
import Foundation
import Holdfast
import SwiftUI

/// A view in place of the block's.
struct Page: View { var body: some View { EmptyView() } }
@MainActor let page = Page()
struct Skeleton: View { var body: some View { EmptyView() } }
struct ChatList: View {
  var client: ChatClient
  var body: some View { EmptyView() }
}
struct Bubble: View {
  var model: ConversationModel
  var id: MessageID
  var body: some View { EmptyView() }
}
/// The projection of a property with `@State`.
func bound<Value>(_ value: Value) -> Binding<Value> { fatalError() }
@MainActor func preview<Content: View>(@ViewBuilder _ body: () -> Content) {}

struct ContentType { static let item = ContentType() }
extension Button where Label == Text {
  init(_ title: String, role: ButtonRole, action: @escaping @MainActor () -> Void) { fatalError() }
}
struct KeychainCredentials { init(service: String, accessGroup: String? = nil) {} }
@MainActor extension View {
  func fileImporter(
    isPresented: Binding<Bool>, allowedContentTypes: [ContentType],
    onCompletion: @escaping (Result<URL, any Error>) -> Void
  ) -> some View { self }
  func userActivity(_ type: String, _ update: @escaping (NSUserActivity) -> Void) -> some View { self }
}
class NSUserActivity {}
extension SceneLinks { func write(_ activity: SceneActivity, to system: NSUserActivity) {} }
extension URL {
  func startAccessingSecurityScopedResource() -> Bool { true }
  func stopAccessingSecurityScopedResource() {}
}
class UIApplication {}
class UISceneSession: Hashable {
  var persistentIdentifier = ""
  static func == (left: UISceneSession, right: UISceneSession) -> Bool { left === right }
  func hash(into hasher: inout Hasher) {}
}
extension String { init(localized text: String) { self = text } }
