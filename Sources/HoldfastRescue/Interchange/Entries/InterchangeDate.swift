import Foundation
import HoldfastCore
import HoldfastStore

/// Dates in import and export files: ISO 8601 in the form of RFC 3339, to the microsecond. Pure, and much faster
/// than a formatter for any calendar.
enum InterchangeDate {
  /// The years with four digits, in microseconds since 1970.
  static let range: ClosedRange<Int64> = -62_135_596_800_000_000...253_402_300_799_999_999

  /// The date as `2026-01-31T12:00:00Z`. A date beyond the years with four digits is clamped to the first or the
  /// last of them.
  static func text(_ microseconds: Int64, withFraction: Bool = false) -> String {
    let value = min(max(microseconds, range.lowerBound), range.upperBound)
    let (second, rest) = floored(value, by: 1_000_000)
    let (day, time) = floored(second, by: 86_400)
    let (year, month, dayOfMonth) = civil(day)
    let fraction = withFraction && rest > 0 ? "." + padded(rest, 6) : ""
    return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(dayOfMonth, 2) + "T"
      + padded(time / 3600, 2)
      + ":" + padded(time / 60 % 60, 2) + ":" + padded(time % 60, 2) + fraction + "Z"
  }

  /// The fraction of a second that the text without a fraction omits, in microseconds.
  static func fraction(of microseconds: Int64) -> Int64 {
    floored(min(max(microseconds, range.lowerBound), range.upperBound), by: 1_000_000).rest
  }

  /// Parses a day and a time, with a fraction of any length, and `Z` or an offset. Nil when the text is not a date.
  static func microseconds(_ text: String) -> Int64? {
    guard let (date, hasZone) = read(text), hasZone else { return nil }
    return date
  }

  /// Parses a date as ``microseconds(_:)`` does, or only a day, that has no zone: as UTC. Nil when the text has a
  /// zone, or is not a date.
  static func microsecondsWithoutZone(_ text: String) -> Int64? {
    guard let (date, hasZone) = read(text), !hasZone else { return nil }
    return date
  }

  private static func read(_ text: String) -> (microseconds: Int64, hasZone: Bool)? {
    var bytes: ArraySlice<UInt8> = Array(text.utf8.prefix(64))[...]
    func number(_ digits: Int) -> Int64? {
      guard bytes.count >= digits else { return nil }
      var value: Int64 = 0
      for byte in bytes.prefix(digits) {
        guard (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + Int64(byte - 0x30)
      }
      bytes = bytes.dropFirst(digits)
      return value
    }
    func consume(_ allowed: String) -> Bool {
      guard let first = bytes.first, allowed.utf8.contains(where: { $0 == first }) else { return false }
      bytes = bytes.dropFirst()
      return true
    }
    guard let year = number(4), consume("-/"), let month = number(2), consume("-/"), let day = number(2),
      (1...12).contains(month), day >= 1, day <= lastDay(of: month, year), year > 0
    else { return nil }
    let midnight = days(year, month, day) * 86_400
    if bytes.isEmpty { return checked(midnight * 1_000_000, hasZone: false) }
    guard consume("Tt "), let hour = number(2), consume(":"), let minute = number(2), hour < 24, minute < 60
    else { return nil }
    var (second, fraction): (Int64, Int64) = (0, 0)
    if consume(":") {
      guard let value = number(2), value <= 60 else { return nil }
      second = value
    }
    if consume(".,") {
      var unit: Int64 = 100_000
      guard let first = bytes.first, (0x30...0x39).contains(first) else { return nil }
      while let digit = number(1) { (fraction, unit) = (fraction + digit * unit, unit / 10) }
    }
    var (offset, hasZone): (Int64, Bool) = (0, true)
    while bytes.count > 1, consume(" ") {}
    if bytes.isEmpty {
      hasZone = false
    } else if bytes.elementsEqual("UTC".utf8) || bytes.elementsEqual("GMT".utf8) {
      bytes = []
    } else if !consume("Zz") {
      let sign: Int64 = bytes.first == UInt8(ascii: "-") ? -1 : 1
      guard consume("+-"), let hours = number(2), hours < 24 else { return nil }
      _ = consume(":")
      guard let minutes = bytes.isEmpty ? 0 : number(2), minutes < 60 else { return nil }
      offset = sign * (hours * 3600 + minutes * 60)
    }
    guard bytes.isEmpty else { return nil }
    let seconds = midnight + hour * 3600 + minute * 60 + second - offset
    return checked(seconds * 1_000_000 + fraction, hasZone: hasZone)
  }

  private static func checked(_ value: Int64, hasZone: Bool) -> (Int64, Bool)? {
    range.contains(value) ? (value, hasZone) : nil
  }

  private static func lastDay(of month: Int64, _ year: Int64) -> Int64 {
    if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
    return [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  private static func floored(_ value: Int64, by unit: Int64) -> (quotient: Int64, rest: Int64) {
    let rest = ((value % unit) + unit) % unit
    return ((value - rest) / unit, rest)
  }

  private static func padded(_ value: Int64, _ digits: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// The number of days from 1970 to a day of the Gregorian calendar: Howard Hinnant, "chrono-Compatible Low-Level
  /// Date Algorithms".
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let y = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = floored(y, by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floored(days + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}
