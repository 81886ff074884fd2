// The undeclared names used by the printed blocks. Nothing here runs: the blocks are type-checked
// (scripts/printed.py).
import ChatServer
import Foundation
import Holdfast
import HoldfastAssistant
import HoldfastCompletions
import HoldfastCredentials
import HoldfastRescue
import HoldfastTesting
import HoldfastTransport
import SwiftUI

/// A value of any type.
func some<Value>() -> Value { fatalError() }

// MARK: The package's values

@MainActor var client: ChatClient = some()
@MainActor var configuration: ChatConfiguration = some()
@MainActor var state: SceneState<Route, Sheet> = some()
let activity: SceneActivity = some()
let anchor: ScrollPositions.Anchor = some()
let attachment: ChatAttachment = some()
let banner: DraftBanner = some()
let chat: ConversationHandle = some()
@MainActor let composer: ComposerModel = some()
let conversation: ConversationID = some()
let drafts: DraftController = some()
let environment: ChatEnvironment = some()
let hit: SearchSnapshot.Hit = some()
let id: MessageID = some()
let links: SceneLinks = some()
let old: SceneState<RouteV1, SheetV1> = some()
let protectedData: ProtectedData = some()
@MainActor let reply: ReplyHandle = some()
let request: RequestID = some()
let row: MessageRow = some()
@MainActor let scene: SceneModel<Route, Sheet> = some()
@MainActor let session: ChatSession = some()
@MainActor let timeline: ConversationModel = some()
let top: MessageRow = some()
let storage: StorageLocation = some()
let user: UserID = some()

// MARK: The app's own values

let answers: [FinishedMessage] = some()
let backup: URL = some()
let backups: URL = some()
@MainActor var bar = 0.0
@MainActor let defaults: [String: Any] = [:]
let documents: URL = some()
let folder: URL = some()
let groupContainer: URL = some()
@MainActor var picks = false
@MainActor var phase: ScenePhase = some()
@MainActor var selection: ConversationID?
let text: String = some()
let token: String = some()
let url: URL = some()

enum Route: Codable, Hashable {
  case members
  init(_ old: RouteV1) { self = .members }
}
enum RouteV1: Codable, Hashable { case members }
enum Sheet: Codable, Hashable, Identifiable {
  case settings
  var id: Self { self }
  init(_ old: EarlierSheet) { self = .settings }
  init(_ old: SheetV1) { self = .settings }
}
enum SheetV1: Codable, Hashable { case settings }
struct EarlierSheet: Codable {}
struct ChatSettings: Codable { var isPinned: Bool }

struct Field {
  var text: String
  func highlight(_ words: Range<String.Index>) {}
}
@MainActor var field: Field = some()
@MainActor var label: Field = some()
struct Badge { var count: Int }
@MainActor var badge: Badge = some()
struct Question: Sendable { var id: MessageID }
let question: Question = some()
let questions: [Question] = []
func answer(_ question: Question) -> String { some() }
struct Message { var id: MessageID, text: String }
let message: Message = some()
struct StoredPage { var messages: [FinishedMessage] }
let pages: [StoredPage] = []
struct Push { var id: String, date: Date }
let push: Push = some()
struct Response { var id: String, threadID: String, text: String, date: Date }
let response: Response = some()
struct Project { var path: String }
let project: Project = some()

func ask(_ title: String, _ sentence: String) async -> Bool { some() }
func ask(_ title: String?, _ sentence: String?) async -> HeldMessages.Answer { some() }
func ask(_ question: String) {}
func ask(_ action: MessageRow.Action, _ row: MessageRow) {}
func isWanted(_ source: ImportSource) -> Bool { some() }
func perform(_ action: MessageRow.Action, on message: MessageID) {}
func report(_ value: Any) {}
func show(_ values: Any...) {}
func showLogin() {}
func title(of action: MessageRow.Action) -> String { some() }

struct Contacts: Sendable { func name(of account: String) -> String? { nil } }
let contacts = Contacts()
struct Countdown { func count(downTo date: Date) {} }
let clock = Countdown()
struct Mail { func attach(_ data: Data, named name: String) {} }
let mail = Mail()
struct Login { func accessToken() async throws -> String { some() } }
let login = Login()

/// A table of an app that keeps its messages itself.
final class MessageTable: Sendable {
  var lastDelivery: Int64 {
    get { some() }
    set {}
  }
  func transaction(_ body: () throws -> Void) throws {}
  func record(_ message: MessageID, failure: FailureReason?) {}
}
let table = MessageTable()

/// A client of a language model.
struct SomeModel: AsyncSequence {
  typealias Element = String
  func makeAsyncIterator() -> AsyncThrowingStream<String, any Error>.Iterator { some() }
  var tokens: SomeModel { self }
  func ask(_ question: Question, as request: RequestID) async throws -> String { some() }
  func answer(_ question: Question, beginningWith text: String = "") -> SomeModel { self }
}
let model = SomeModel()
let completions: CompletionModel = some()
let assistant: Assistant = some()

// MARK: For transports and servers

struct MyTransport: Transport {
  init(_ url: URL, as account: UserID = some()) {}
  var capabilities: TransportCapabilities { some() }
  func withConnection(
    resumingAfter cursor: SyncCursor?, _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {}
}
let transport: MyTransport = some()
let cursor: SyncCursor? = nil
@Sendable func store(_ event: TransportEvent) throws {}
let frame: Data = some()
struct Socket: Sendable {
  func write(_ data: Data) {}
  func close() {}
}
let socket = Socket()

struct Post {}
extension TransportConformance.Record { init(_ post: Post) { self = some() } }
struct ForumProcess: Sendable {
  struct Database { func posts(in conversation: ConversationID) async throws -> [Post] { [] } }
  var url: URL { some() }
  var database: Database { some() }
  func start() async throws {}
  func kill(_ signal: Int32) async throws {}
  func register(_ name: String) async throws -> UserID { some() }
}
typealias ForumTransport = MyTransport
struct ForumBackend: ConformanceBackend {
  let name = "forum"
  func start(in environment: ChatEnvironment) async throws {}
  func kill() async throws {}
  func account(_ name: String) async throws -> UserID { some() }
  func transport(for account: UserID) throws -> any Transport { some() }
  func record(of conversation: ConversationID) async throws -> [TransportConformance.Record] { [] }
}
let backend: any ConformanceBackend = some()
