import Foundation
import Holdfast
import Testing

@testable import holdfast_lab

/// The texts on a phone's screen while its store is read, and when that fails.
@MainActor @Suite(.timeLimit(.minutes(10))) struct PhoneScreenTests {
  private let client: ChatClient
  private let screen: PhoneScreen

  init() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "phone-\(ChatEnvironment().makeID())", directoryHint: .isDirectory)
    client = try ChatClient(storage: .folder(folder), transport: DeviceTransport(), user: "alice")
    try client.createConversation("notes", title: "Notes")
    try client.conversation("notes").send("Buy gas")
    screen = try PhoneScreen(client, nil, path: NetworkPath(isUp: true), environment: ChatEnvironment())
  }

  private func open(in window: Int) async {
    await screen.perform(PhoneIntent(type: .open, window: window, conversation: "notes"))
  }

  private func reload(in window: Int) async {
    await screen.perform(PhoneIntent(type: .reload, window: window, conversation: "notes"))
  }

  // H7.4
  @Test func `a list and a conversation load until they are read`() async {
    await open(in: 1)
    #expect(screen.snapshot.listContent.isLoading)
    #expect(screen.snapshot.content.isLoading)
    await screen.perform(PhoneIntent(type: .reload))
    await reload(in: 1)
    #expect(!screen.snapshot.listContent.isLoading)
    #expect(!screen.snapshot.content.isLoading)
    #expect(screen.snapshot.list.rows.map(\.title) == ["Notes"])
    #expect(screen.snapshot.conversation?.rows.map(\.text) == ["Buy gas"])
  }

  // V5.1
  @Test func `a list that cannot be read says so, until it is read again`() async throws {
    try await client.suspend()
    await screen.perform(PhoneIntent(type: .reload))
    #expect(screen.snapshot.listContent.reason?.hasPrefix("The store is suspended.") == true)
    #expect(screen.snapshot.list.rows.isEmpty)
    try await client.resume()
    await screen.perform(PhoneIntent(type: .reload))
    #expect(screen.snapshot.listContent.reason == nil)
    #expect(screen.snapshot.list.rows.map(\.title) == ["Notes"])
  }

  // V5.1, V5.2
  @Test func `a conversation that cannot be read says so in its window, until it is read again`() async throws
  {
    await open(in: 1)
    await reload(in: 1)
    try await client.suspend()
    await open(in: PhoneScreen.secondWindow)
    for window in [1, PhoneScreen.secondWindow] { await reload(in: window) }
    #expect(screen.snapshot.content.reason?.hasPrefix("The store is suspended.") == true)
    #expect(screen.snapshot.conversation?.rows.count == 1, "The rows of the earlier read stay.")
    #expect(screen.snapshot.second?.content.reason == screen.snapshot.content.reason)
    #expect(screen.snapshot.second?.lost == nil, "Nobody knows whether it is gone.")
    try await client.resume()
    for window in [1, PhoneScreen.secondWindow] { await reload(in: window) }
    #expect(screen.snapshot.content.reason == nil)
    #expect(screen.snapshot.second?.content.reason == nil)
    #expect(screen.snapshot.second?.conversation?.rows.map(\.text) == ["Buy gas"])
  }
}
