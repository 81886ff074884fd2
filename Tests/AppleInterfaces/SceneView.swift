// The window of the documentation of SceneModel, with what the documentation leaves out. scripts/type-check-apple.sh
// compiles it, and looks for each documented line here.
import Holdfast
import Observation
import SwiftUI

enum Route: Codable, Hashable {
  case members, file(String)
}

/// SwiftUI requires an `Identifiable` item: another sheet is another item.
enum Sheet: Codable, Hashable, Identifiable {
  case settings, info(MessageID)
  var id: Self { self }
}

/// The app's own models, which are loaded after the window has been restored.
@MainActor @Observable final class Projects {
  private var names: Set<String> = []

  func load() async { names.insert("p-1") }

  func contains(_ project: String) -> Bool { names.contains(project) }
}

struct SceneView: View {
  let projects: Projects
  @State private var scene: SceneModel<Route, Sheet>

  init(client: ChatClient, projects: Projects) {
    self.projects = projects
    _scene = State(initialValue: SceneModel(client, "main"))
  }

  var body: some View {
    NavigationStack(path: $scene.state.path) {
      VStack {
        Text(scene.notice?.text ?? "")
        Button("Settings") { scene.state.sheet = .settings }
        Button("Members") { scene.state.path.append(.members) }
      }
      .navigationDestination(for: Route.self) { route in RouteView(route: route) }
    }
    .sheet(item: $scene.state.sheet) { sheet in SheetView(sheet: sheet) }
    .task { await scene.run() }
    .task {
      await projects.load()  // the second step of a restore
      scene.resolve(project: projects.contains, sheet: { $0 })
    }
  }
}

struct RouteView: View {
  let route: Route

  var body: some View { Text("\(route)") }
}

struct SheetView: View {
  let sheet: Sheet

  var body: some View { Text("\(sheet)") }
}
