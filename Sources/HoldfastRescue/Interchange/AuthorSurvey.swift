import Foundation
import HoldfastCore

/// What all messages of a file say together of who wrote them (rules H12, E1): whether an unsent one can only be the user's.
struct AuthorSurvey {
  /// Somebody else wrote a message.
  private(set) var hasOthers = false
  /// A message says that the user of the store wrote it.
  private(set) var hasOwn = false
  /// A field of a queue stands beside messages of others too, and says nothing.
  private(set) var othersAreQueued = false
  /// A part of the file cannot be read, and may have named others.
  var isDamaged = false
  /// An entry has a field twice: it may be two, of which a part is gone.
  var isMixed = false
  /// Whether some messages say who wrote them, and whether others do not.
  private var (isTold, hasUntold) = (false, false)
  /// The names of the authors, and the accounts beside roles: two are enough.
  private var (authors, accounts): (Set<String>, Set<String>) = ([], [])
  private var isAccountMissing = false
  /// The values of fields that could name an author, by field.
  private var candidates: [String: Candidate] = [:]
  private static let (mostCandidates, mostValues, longestValue) = (64, 64, 100)

  private struct Candidate {
    var values: Set<String> = []
    var count = 0
    let isPersons: Bool

    /// Whether the values tell people apart: they differ, and are neither an ID of each message nor a kind of content.
    var isLikely: Bool {
      guard values.count > 1 else { return false }
      if isPersons { return true }
      let areIDs =
        values.count == count && values.allSatisfy { $0.contains(where: \.isNumber) || $0.utf8.count > 40 }
      return !areIDs && !values.isSubset(of: AuthorFields.kinds)
    }
  }

  mutating func note(_ author: Author, isInQueue: Bool) {
    let isOthers = author.isOwn == false || author.role != .user
    if isOthers { hasOthers = true }
    if isOthers, isInQueue { othersAreQueued = true }
    if author.isOwn == true { hasOwn = true }
    if author.role == .user, let name = author.name, authors.count < 2 { authors.insert(name) }
    if authors.count > 1 { hasOthers = true }
    if let account = author.account {
      if accounts.count < 2 { accounts.insert(account) }
    } else if author.name == nil, author.role == .user {
      isAccountMissing = true
    }
    if author.isTold || author.hasField { isTold = true }
    if !author.isTold { hasUntold = true }
    guard author.role == .user, author.isOwn == nil, let fields = author.fields else { return }
    for key in fields.names where AuthorFields.mayBeAuthor(key) { note(key, fields) }
  }

  private mutating func note(_ key: String, _ fields: LooseFields) {
    guard let value = fields.shortValue(key, atMost: Self.longestValue) else { return }
    guard candidates[key] != nil || candidates.count < Self.mostCandidates else { return }
    candidates[key, default: Candidate(isPersons: AuthorFields.isPersons(key))].count += 1
    if candidates[key]?.values.count ?? 0 < Self.mostValues { candidates[key]?.values.insert(value) }
  }

  /// A message that says nothing of its author can only be the user's: no other says it either, and no field could.
  var isOfOne: Bool {
    !isTold && !candidates.values.contains(where: \.isLikely) && (!isDamaged || candidates.isEmpty)
  }

  /// Where some messages say who wrote them, all do.
  var isWhole: Bool {
    !(isTold && (hasUntold || isMixed || isDamaged || isAccountMissing && !accounts.isEmpty))
  }

  /// Whether only the user can have written the message.
  func canOnlyBeUsers(_ author: Author?) -> Bool {
    guard let author else { return true }
    guard !author.isUnreadable, !author.isDoubtful else { return false }
    if author.isOwn == true { return !author.isOwnByWord || authors.count < 2 }
    guard author.isTold else { return isOfOne }
    // Its role alone says so. An account beside it that is not the user's may be somebody else's.
    return author.isOwn == nil && (author.account ?? (accounts.isEmpty ? nil : "")) == author.ownAccount
      && !candidates.values.contains { $0.isPersons && $0.isLikely }
  }

  /// Decides how an entry of a history stands that may be unsent. Returns false when it may be another's, and is not imported.
  func settle(_ entry: inout HistoryEntry) -> Bool {
    guard entry.message.role == .user else { return true }
    let mayBeUnsent = entry.status?.isUnsent == true || entry.status == nil && entry.isInQueue
    // The user may have another name in this file.
    guard entry.isOwn != false else { return hasOwn || entry.author?.name == nil || !mayBeUnsent }
    // Nobody can say whether it was sent: its user decides.
    if entry.status == nil, entry.isInQueue, !othersAreQueued { entry.status = .unfinished }
    return !entry.isUnsent || canOnlyBeUsers(entry.author)
  }
}
