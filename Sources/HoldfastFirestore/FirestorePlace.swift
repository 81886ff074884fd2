#if Firestore
  import Foundation
  import HoldfastCore
  import HoldfastTransport

  /// The place in the server's changes, as a ``SyncCursor`` stores it: the query's bound, the time up to which
  /// everything has arrived, and the server's resume token.
  ///
  /// Times are microseconds since 1970 by the server's clock.
  struct FirestorePlace: Codable, Hashable, Sendable {
    /// The time after which changed documents are listened to. Nil: all documents.
    var bound: Int64?
    /// The time up to which everything has arrived.
    var read: Int64
    /// Continues the stream of the same bound.
    var token: Data?

    /// A change is timed when its request begins, and others may see the change later. A new query therefore begins
    /// this much before its place. A commit has 60 seconds, and a transaction 270 ([Firestore's
    /// limits](https://firebase.google.com/docs/firestore/quotas#limits)).
    static let overlap: Int64 = 600 * 1_000_000
    /// The maximum age of a bound. The server forgets a token after 30 minutes, and then sends everything since the
    /// bound again. A bound older than a day is replaced, so that this stays little.
    static let longestBound: Int64 = 24 * 3600 * 1_000_000

    init(bound: Int64?, read: Int64, token: Data?) {
      (self.bound, self.read, self.token) = (bound, read, token)
    }

    /// Nil for a device without data, or a cursor of another transport.
    init?(_ cursor: SyncCursor?) {
      guard let place = cursor?.place(as: Self.self) else { return nil }
      self = place
    }

    var cursor: SyncCursor? { SyncCursor(encoding: self) }

    /// The place from which a new stream continues: with the token while its bound is recent, and otherwise with a
    /// new bound.
    ///
    /// - Parameter takesTokens: whether the server resumes streams.
    func resumed(takesTokens: Bool) -> FirestorePlace {
      if takesTokens, token != nil, let bound, read - bound <= Self.longestBound { return self }
      return FirestorePlace(bound: max(0, read - Self.overlap), read: read, token: nil)
    }
  }
#endif
