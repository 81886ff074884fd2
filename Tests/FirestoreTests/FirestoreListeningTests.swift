#if Firestore
  import Foundation
  import Holdfast
  import HoldfastTransport
  import SwiftProtobuf
  import Testing

  @testable import HoldfastFirestore

  /// The machine behind a stream: which answers make an event, and where the place is.
  @Suite struct FirestoreListeningTests {
    private static let database = FirestoreDatabase(project: "p", name: "(default)", server: nil)
    private static let start: Int64 = 1_790_000_000_000_000

    private static func message(_ id: MessageID, at time: Int64 = start) -> FSListenResponse {
      .with {
        $0.documentChange.document = .with {
          $0.name = MessageDocument.name(of: id, in: database)
          $0.fields = [
            "conversation": .string("c"), "sender": .string("alice"), "text": .string("hello"),
            "sentAt": .time(microseconds: time),
          ]
          $0.createTime = Google_Protobuf_Timestamp(microseconds: time)
          $0.updateTime = Google_Protobuf_Timestamp(microseconds: time)
        }
      }
    }

    private static func change(
      _ type: FSTargetChange.TargetChangeType, of targets: [Int32] = [], at time: Int64? = nil,
      token: String = ""
    ) -> FSListenResponse {
      .with {
        $0.targetChange.targetChangeType = type
        $0.targetChange.targetIds = targets
        if let time { $0.targetChange.readTime = Google_Protobuf_Timestamp(microseconds: time) }
        $0.targetChange.resumeToken = Data(token.utf8)
      }
    }

    private static func ids(_ steps: [FirestoreListening.Step]) -> [MessageID] {
      steps.flatMap { step -> [MessageID] in
        guard case .event(.items(let items, _)) = step else { return [] }
        return items.compactMap { if case .message(let message) = $0 { message.id } else { nil } }
      }
    }

    private static func place(_ steps: [FirestoreListening.Step]) -> FirestorePlace? {
      for case .event(.items(_, let cursor?)) in steps { return FirestorePlace(cursor) }
      return nil
    }

    // B9.2
    @Test func `the place moves when every query is current and a time comes for all of them`() throws {
      var listening = FirestoreListening(after: nil)
      #expect(try listening.apply(Self.change(.add, of: [1])) == [])
      #expect(try listening.apply(Self.change(.current, of: [1], at: Self.start)) == [.addTargets])
      #expect(try listening.apply(Self.message("m1")) == [])
      let early = try listening.apply(Self.change(.noChange, at: Self.start))
      #expect(Self.ids(early) == ["m1"])
      #expect(Self.place(early) == nil, "Two queries are not current, so more may come from before.")
      #expect(try listening.apply(Self.change(.current, of: [2, 3])) == [])
      let whole = try listening.apply(Self.change(.noChange, at: Self.start + 5, token: "t"))
      #expect(Self.place(whole) == FirestorePlace(bound: nil, read: Self.start + 5, token: Data("t".utf8)))
    }

    @Test func `after a reset the place waits until everything is current again`() throws {
      var listening = FirestoreListening(after: FirestorePlace(bound: 1, read: 2, token: nil))
      _ = try listening.apply(Self.change(.current, of: [1, 2, 3]))
      #expect(listening.isCurrent)
      _ = try listening.apply(Self.change(.reset, of: [2]))
      #expect(Self.place(try listening.apply(Self.change(.noChange, at: Self.start))) == nil)
      _ = try listening.apply(Self.change(.current, of: [2]))
      #expect(Self.place(try listening.apply(Self.change(.noChange, at: Self.start)))?.read == Self.start)
    }

    @Test func `many documents come in pages`() throws {
      var listening = FirestoreListening(after: nil)
      var pages: [Int] = []
      for number in 0..<1_200 {
        let steps = try listening.apply(Self.message(MessageID(rawValue: "m\(number)")))
        if !steps.isEmpty { pages.append(Self.ids(steps).count) }
      }
      #expect(pages == [FirestoreListening.page, FirestoreListening.page])
    }

    @Test func `a query that the rules refuse ends the stream, without its text`() {
      var listening = FirestoreListening(after: nil)
      let refusal = FSListenResponse.with {
        $0.targetChange.targetChangeType = .remove
        $0.targetChange.cause.code = 7
        $0.targetChange.cause.message = "alice may not"
      }
      #expect(throws: ConnectionFailure(.incompatible, detail: "Firestore ended the stream with code 7")) {
        try listening.apply(refusal)
      }
    }

    // B9.2
    @Test func `a new stream begins before its place, because changes become visible late`() throws {
      let place = FirestorePlace(bound: nil, read: Self.start, token: Data("t".utf8))
      // The first stream had no bound. Its token would bring everything again once the server has forgotten it.
      #expect(
        place.resumed(takesTokens: true)
          == FirestorePlace(bound: Self.start - 600_000_000, read: Self.start, token: nil))
      let bounded = FirestorePlace(bound: Self.start - 3_600_000_000, read: Self.start, token: Data("t".utf8))
      #expect(bounded.resumed(takesTokens: true) == bounded)
      let old = FirestorePlace(bound: Self.start - 90_000_000_000, read: Self.start, token: Data("t".utf8))
      #expect(old.resumed(takesTokens: true).bound == Self.start - 600_000_000)
      #expect(
        bounded.resumed(takesTokens: false)
          == FirestorePlace(bound: Self.start - 600_000_000, read: Self.start, token: nil))
      #expect(FirestorePlace(place.cursor) == place)
      #expect(
        FirestorePlace(SyncCursor(rawValue: "17")) == nil, "The cursor of another transport is not read.")
    }
  }
#endif
