import CommandFixtures
import Foundation
import Processes
import Testing

@testable import HoldfastCommand
@testable import holdfast_lab

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The demo as a separate process.
@Suite(.timeLimit(.minutes(10))) struct DemoTests {
  @Test func `a demo answers, and ends on request, whatever its page is sent`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "holdfast-demo-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let port = try LoopbackAddress.freePort()
    let demo = try ChildProcess.holdfast(
      ["demo", "--backend", "device", "--port", "\(port)", "--data", folder.path],
      program: Bundle.main.bundleURL.appending(path: "holdfast-lab"))
    defer { demo.kill() }
    var page: URL?
    for await event in demo.events {
      guard case .line(let line) = event else { break }
      let text = String(decoding: line, as: UTF8.self)
      guard text.contains("?session=") else { continue }
      page = URL(string: text)
      break
    }
    let url = try #require(page)
    var hanging: [TestSocket] = []
    for text in ["GET /" + String(repeating: "a", count: 2_000_000), "", "GET /eve"] {
      for _ in 0..<2 {
        let socket = try await TestSocket(url: url)
        // The demo may have closed it before all of it is written.
        try? await socket.write(bytes: Array(text.utf8))
        hanging.append(socket)
      }
    }
    let (body, answer) = try await URLSession.shared.data(from: url)
    #expect((answer as? HTTPURLResponse)?.statusCode == 200)
    #expect(String(decoding: body, as: UTF8.self).contains("<html"))
    demo.send(signal: SIGTERM)
    for await event in demo.events { if case .ended(let ending) = event { #expect(ending == .exit(0)) } }
    for socket in hanging { try socket.close() }
  }
}
