import Foundation
import Testing

@testable import HoldfastCore
@testable import HoldfastRescue

/// Dates of imported files are read or reported, and never invented (rule H14).
@Suite struct ImportDatesTests {
  private static let noon: Int64 = 1_714_564_800_000_000

  private func dates(_ others: JSONValue...) -> ImportDates {
    ImportDates(now: Date(timeIntervalSince1970: 1_795_000_000)) { others }
  }

  // H14.1
  @Test(arguments: [
    #""2024-05-01T12:00:00Z""#, #""2024-05-01T14:00:00+02:00""#, #""2024-05-01 12:00:00 UTC""#,
    #""1714564800""#,
    #""1714564800000""#, "1714564800", "1714564800.0", "1714564800000", "1714564800000000",
    "1714564800000000000",
    "736257600", "736257600000", #"{"$date":"2024-05-01T12:00:00Z"}"#,
    #"{"$date":{"$numberLong":"1714564800000"}}"#,
    #"{"_seconds":1714564800,"_nanoseconds":0}"#, #"{"seconds":1714564800,"nanos":0}"#,
  ])
  func `a date is read in each form that apps write`(text: String) throws {
    #expect(try dates().read(JSONValue(Data(text.utf8))) == .at(Self.noon), "\(text)")
  }

  // H14.1
  @Test(arguments: [
    "2024-05-01T12:00:00", "2024-05-01 12:00:00", "2024-05-01T12:00:00.000", "2024-05-01T12:00",
    "2024/05/01 12:00:00",
  ])
  func `a date without a zone is taken as UTC, and that is said`(text: String) throws {
    #expect(try dates().read(.text(text)) == .withoutZone(Self.noon), "\(text)")
  }

  // H14.1
  @Test func `a day alone is its beginning`() throws {
    #expect(try dates().read(.text("2024-05-01")) == .withoutZone(Self.noon - 43_200_000_000))
  }

  // H14.1
  @Test(arguments: [
    "0", "-1", "7", "1000", "1e300", "true", "null", "[]", "{}", #""""#, #""yesterday""#, #""2024-13-01""#,
    #""2024-02-30T00:00:00Z""#, "99999999999999999999", "2500000000", "400000000000000000000",
  ])
  func `what could only be guessed is not read`(text: String) throws {
    #expect(try dates().read(JSONValue(Data(text.utf8))) == .unreadable, "\(text)")
  }

  // H14.1
  @Test(arguments: ["1970-01-01T00:00:00Z", "1604-01-01T00:00:00Z", "2036-01-01T00:00:00Z"])
  func `a plain date where no chat can be stays, and is reported`(text: String) throws {
    #expect(try dates().read(.text(text)) == .unlikely(try #require(InterchangeDate.microseconds(text))))
  }

  // H14.1
  @Test func `seconds since 1970 and since 2001 are distinguished by the other dates of the file`() throws {
    let number = JSONValue.integer(736_257_600)
    let in1993: Int64 = 736_257_600_000_000
    #expect(try dates(number).read(number) == .at(Self.noon))
    #expect(try dates(number, .integer(836_000_000)).read(number) == .at(in1993))
    #expect(try dates(number, .text("1994-05-01T12:00:00Z")).read(number) == .at(in1993))
    #expect(try dates(number, .integer(500_000_000), .text("2023-01-01")).read(number) == .at(Self.noon))
    // 2005, counted from 1970, would be 2036, counted from 2001.
    #expect(try dates().read(.integer(1_104_537_600)) == .at(1_104_537_600_000_000))
  }

  // H14.1
  @Test func `the dates of a file are found wherever they are`() throws {
    let text =
      #"{"a":[{"created_at":1,"x":"createdAt"},"date":{"time":2}],"timestamp":"t","text":"\"date\":3"}"#
    #expect(try ImportDates.values(JSONCursor(Data(text.utf8))) == [.integer(1), .integer(2), .text("t")])
  }
}
