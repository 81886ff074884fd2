import Foundation
import HoldfastCore

/// The evidence of a whole file about the authors of its messages (rules H12, E1): whether only the user can have
/// written an unsent one.
struct AuthorSurvey {
  /// Whether someone else wrote a message.
  private(set) var hasOthers = false
  /// Whether a message names the user of the store as its author.
  private(set) var hasOwn = false
  /// Whether messages of others have queue fields too, so that these fields prove nothing.
  private(set) var othersAreQueued = false
  /// Whether a part of the file cannot be read, which may have named others.
  var isDamaged = false
  /// Whether an entry has a field twice: it may be two entries with lost bytes in between.
  var isMixed = false
  /// Whether some messages name their author, and whether others do not.
  private var (hasNamed, hasUnnamed) = (false, false)
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

    /// Whether the values identify authors: they differ, and are neither an ID of each message nor a kind of
    /// content.
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
    if author.isNamed || author.hasField { hasNamed = true }
    if !author.isNamed { hasUnnamed = true }
    guard author.role == .user, author.isOwn == nil, let fields = author.fields else { return }
    for key in fields.names where AuthorFields.mayBeAuthor(key) { note(key, fields) }
  }

  private mutating func note(_ key: String, _ fields: LooseFields) {
    guard let value = fields.shortValue(key, atMost: Self.longestValue) else { return }
    guard candidates[key] != nil || candidates.count < Self.mostCandidates else { return }
    candidates[key, default: Candidate(isPersons: AuthorFields.isPersons(key))].count += 1
    if candidates[key]?.values.count ?? 0 < Self.mostValues { candidates[key]?.values.insert(value) }
  }

  /// Whether only the user can have written a message without an author: no message names one, and no field could.
  var isOfOne: Bool {
    !hasNamed && !candidates.values.contains(where: \.isLikely) && (!isDamaged || candidates.isEmpty)
  }

  /// Whether all messages name their author if some do.
  var isWhole: Bool {
    !(hasNamed && (hasUnnamed || isMixed || isDamaged || isAccountMissing && !accounts.isEmpty))
  }

  /// Whether only the user can have written the message.
  func canOnlyBeUsers(_ author: Author?) -> Bool {
    guard let author else { return true }
    guard !author.isUnreadable, !author.isDoubtful else { return false }
    if author.isOwn == true { return !author.isOwnByWord || authors.count < 2 }
    guard author.isNamed else { return isOfOne }
    // Only its role names the user. An account beside it that is not the user's may be another author.
    return author.isOwn == nil && (author.account ?? (accounts.isEmpty ? nil : "")) == author.ownAccount
      && !candidates.values.contains { $0.isPersons && $0.isLikely }
  }

  /// Decides the status of a history's entry that may be unsent. Returns false when someone else may have written
  /// it, so that it is not imported.
  func resolve(_ entry: inout HistoryEntry) -> Bool {
    guard entry.message.role == .user else { return true }
    let mayBeUnsent = entry.status?.isUnsent == true || entry.status == nil && entry.isInQueue
    // The user may have another name in this file.
    guard entry.isOwn != false else { return hasOwn || entry.author?.name == nil || !mayBeUnsent }
    // It is unknown whether it was sent: its user decides.
    if entry.status == nil, entry.isInQueue, !othersAreQueued { entry.status = .unfinished }
    return !entry.isUnsent || canOnlyBeUsers(entry.author)
  }
}
