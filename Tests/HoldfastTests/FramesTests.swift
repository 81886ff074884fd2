import Foundation
import Testing

@testable import Holdfast

@Suite struct FramesTests {
  @Test func `a frame survives encoding`() throws {
    let frame = Wire.ServerFrame.events(
      .init(
        after: 1, cursor: 2,
        items: [
          .init(
            message: .init(
              id: "m", conversation: "c", sender: "alice", role: "user", body: "hi",
              reasoning: nil, order: 1, at: 5))
        ], more: false))
    let data = try JSONEncoder().encode(frame)
    #expect(try JSONDecoder().decode(Wire.ServerFrame.self, from: data) == frame)
  }

  @Test func `a client passes over a type it does not know`() throws {
    let frame = try JSONDecoder().decode(Wire.ServerFrame.self, from: Data(#"{"type":"later"}"#.utf8))
    #expect(frame == .unknown("later"))
  }

  @Test func `a server does not guess at a type it does not know`() {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Wire.ClientFrame.self, from: Data(#"{"type":"later"}"#.utf8))
    }
  }
}
