import Holdfast
import SwiftUI

/// A view of the app. A block that declares it is compiled without this file.
struct ChatView: View {
  var client: ChatClient
  var conversation: ConversationID
  var body: some View { EmptyView() }
}
