import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastPresenters

private typealias eg = EngineExample

/// A file in the system's viewer.
@Suite(.timeLimit(.minutes(10))) @MainActor struct FilePreviewTests {
  private let client: ChatClient

  init() throws { client = try Bench(carriesAttachments: true).client() }

  private func attached(_ name: String) throws -> PresentedFile {
    let chat = client.conversation(eg.conversation)
    try chat.attach(Data("contents".utf8), name: "plan.txt")
    let row = try #require(ComposerModel(client, eg.conversation).attachments.last)
    var file = PresentedFile(row)
    file.name = name
    return file
  }

  // S9
  @Test func `a file is shown under its name, and the name is deleted with the viewer`() throws {
    let preview = FilePreview()
    preview.show(try attached("plan.txt"), in: client)
    let shown = try #require(preview.url)
    #expect(shown.lastPathComponent == "plan.txt")
    #expect(try Data(contentsOf: shown) == Data("contents".utf8))
    preview.show(try attached("second.txt"), in: client)
    #expect(!FileManager.default.fileExists(atPath: shown.path))
    let second = try #require(preview.url)
    preview.url = nil
    #expect(!FileManager.default.fileExists(atPath: second.deletingLastPathComponent().path))
  }

  @Test(arguments: ["../../etc/passwd", "..", "a/..", "/", ""])
  func `a hostile name stays in the folder`(name: String) throws {
    let preview = FilePreview()
    let file = try attached(name)
    preview.show(file, in: client)
    let shown = try #require(preview.url)
    #expect(
      shown == file.file || shown.deletingLastPathComponent().lastPathComponent.hasPrefix("holdfast-preview-")
    )
    preview.url = nil
    #expect(FileManager.default.fileExists(atPath: try #require(file.file).path), "The store keeps its file.")
  }
}
