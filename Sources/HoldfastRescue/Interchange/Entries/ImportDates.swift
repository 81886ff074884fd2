import Foundation
import HoldfastCore

/// A date as read from a file.
enum ImportedDate: Equatable {
  case at(Int64)
  /// The text has no zone: it was taken as UTC.
  case withoutZone(Int64)
  /// The date is unambiguous but implausible for a chat: before 1990, or in the future.
  case unlikely(Int64)
  /// The value is not a date, or is ambiguous.
  case unreadable

  var microseconds: Int64? {
    switch self {
    case .at(let date), .withoutZone(let date), .unlikely(let date): date
    case .unreadable: nil
    }
  }
}

/// Reads the dates of one file (rule H14). A number states neither its unit nor the year from which it counts. It is
/// read in the one way that puts it between 1990 and tomorrow. If both a number since 1970 and one since 2001 are
/// possible, the one nearer to the other dates of the file is taken. Pure, except for reading those.
final class ImportDates {
  /// The field names under which apps keep a message's date, in their plain form.
  static let names = [
    "timestamp", "createdat", "createtime", "created", "date", "sentat", "time", "datetime", "createddate",
    "sentdate",
    "datesent", "queuedat", "enqueuedat", "createdon", "creationdate", "messagedate", "ts", "dateadded",
    "addedat",
    "receivedat", "insertedat", "messagetime", "senttime", "timesent", "savedat", "datecreated",
    "timecreated",
    "creationtime", "sendtime", "senddate", "localtime", "clienttime", "servertime", "createdtime",
    "postedat", "timestampms", "originserverts", "createdatms", "sentatms", "datems", "timems",
    "timestampmillis",
  ]
  static let changeNames = [
    "updatedat", "updatetime", "updated", "modifiedat", "lastmodified", "lastupdated", "modified",
    "lastmessageat",
    "updateddate", "dateupdated", "lastactivity", "lastupdatedat", "modificationdate", "mtime",
  ]
  private static let since2001: Int64 = 978_307_200_000_000
  /// 1990-01-01.
  private static let earliest: Int64 = 631_152_000_000_000
  private static let day: Int64 = 86_400_000_000
  /// 2026-06-01. A clock before this date is wrong.
  private static let leastPresent: Int64 = 1_780_272_000_000_000
  /// Smaller numbers of seconds since 2001 are more likely not dates.
  private static let leastSince2001 = 10_000_000.0
  private static let nameSet = Set(names + changeNames)

  private let latest: Int64
  private let lookAround: () throws -> [JSONValue]
  /// The median of the file's other dates. Nil when there are none.
  private lazy var middle = Result { try Self.middle(of: lookAround().map(readings)) }

  /// - Parameter lookAround: the dates of the file, for a number that can be read in two ways. Called at most once.
  init(now: Date, lookAround: @escaping () throws -> [JSONValue]) {
    latest = max(now.microseconds + Self.day, Self.leastPresent)
    self.lookAround = lookAround
  }

  /// The date of an object under any of these names. Nil when no such field has a date.
  func date(_ fields: LooseFields, _ names: [String] = ImportDates.names) throws -> ImportedDate? {
    try fields.first(names).map(read)
  }

  func read(_ value: JSONValue) throws -> ImportedDate {
    switch value {
    case .text(let text): try read(text)
    case .integer(let number): try read(Double(number))
    case .number(let number): try read(number)
    case .object(let object): try read(LooseFields(object))
    case .null, .bool, .array: .unreadable
    }
  }

  /// MongoDB's `{"$date": …}` and Firestore's `{"_seconds": …, "_nanoseconds": …}`.
  private func read(_ object: LooseFields) throws -> ImportedDate {
    if let date = object["$date", "iso", "iso8601", "date", "value"] { return try read(date) }
    if let number = object.text("$numberlong", "$numberdouble") { return try read(number) }
    guard let seconds = object["seconds", "sec"]?.integer ?? object.text("seconds").flatMap({ Int64($0) })
    else {
      return .unreadable
    }
    let rest = object["nanoseconds", "nanos", "nsec"]?.integer ?? 0
    let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !isTooLarge, (0..<1_000_000_000).contains(rest) else { return .unreadable }
    return plausible(whole + rest / 1000) ?? .unreadable
  }

  private func read(_ text: String) throws -> ImportedDate {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if let number = Double(text), text.allSatisfy({ $0.isNumber || $0 == "." }) { return try read(number) }
    if let date = InterchangeDate.microseconds(text) { return plausible(date) ?? .unlikely(date) }
    guard let date = InterchangeDate.microsecondsWithoutZone(text) else { return .unreadable }
    return plausible(date) == nil ? .unlikely(date) : .withoutZone(date)
  }

  private func plausible(_ date: Int64) -> ImportedDate? {
    (Self.earliest...latest).contains(date) ? .at(date) : nil
  }

  private func read(_ number: Double) throws -> ImportedDate {
    let (unix, apple) = readings(number)
    guard let unix, let apple else { return (unix ?? apple).map(ImportedDate.at) ?? .unreadable }
    // No chat app before 1996 stored its messages as JSON: only other dates can show that this one did.
    guard let middle = try middle.get() else { return .at(apple) }
    return .at(abs(apple - middle) <= abs(unix - middle) ? apple : unix)
  }

  /// The plausible values of a number: since 1970, and since 2001. Seconds, milliseconds, microseconds and
  /// nanoseconds differ by more than any two plausible dates.
  private func readings(_ number: Double) -> (unix: Int64?, apple: Int64?) {
    guard number.isFinite, number > 0 else { return (nil, nil) }
    var (unix, apple): (Int64?, Int64?)
    for factor in [1_000_000.0, 1000, 1, 0.001] {
      guard let value = Int64(exactly: (number * factor).rounded()) else { continue }
      if (Self.earliest...latest).contains(value) { unix = unix ?? value }
      let (moved, isTooLarge) = value.addingReportingOverflow(Self.since2001)
      guard !isTooLarge, moved <= latest, number * factor >= Self.leastSince2001 * 1_000_000 else { continue }
      apple = apple ?? moved
    }
    // A number with more digits is an earlier date in one unit, and not a date in the larger one.
    if let unix, unix >= Self.since2001 - 5 * 365 * Self.day { return (unix, nil) }
    return (unix, apple)
  }

  private func readings(_ value: JSONValue) -> (unix: Int64?, apple: Int64?) {
    switch value {
    case .integer(let number): return readings(Double(number))
    case .number(let number): return readings(number)
    case .text(let text):
      if let number = Double(text) { return readings(number) }
      return (InterchangeDate.microseconds(text) ?? InterchangeDate.microsecondsWithoutZone(text), nil)
    default: return (nil, nil)
    }
  }

  /// The median of the dates that can be read in only one way.
  private static func middle(of readings: [(unix: Int64?, apple: Int64?)]) -> Int64? {
    let dates = readings.compactMap { $0.unix == nil || $0.apple == nil ? $0.unix ?? $0.apple : nil }.sorted()
    return dates.isEmpty ? nil : dates[dates.count / 2]
  }
}

extension ImportDates {
  /// The values under the names of dates anywhere in a file, at most `limit`. Reads the whole file.
  static func values(_ start: JSONCursor, atMost limit: Int = 1000) throws -> [JSONValue] {
    var (cursor, found) = (start, [JSONValue]())
    while found.count < limit, let byte = try cursor.peek() {
      guard byte == .quote else {
        cursor.step()
        continue
      }
      do {
        let key = try cursor.cut(atMost: 64)
        guard try cursor.peekValue() == .colon else { continue }
        cursor.step()
        guard case .text(let name) = try JSONValue(key), nameSet.contains(LooseFields.plain(name)),
          let next = try cursor.peekValue(), next != .openObject, next != .openArray
        else { continue }
        found.append(try JSONValue(try cursor.cut(atMost: 64)))
      } catch is JSONDamage {
        // The scan continues after the unreadable part.
      }
    }
    return found
  }
}
