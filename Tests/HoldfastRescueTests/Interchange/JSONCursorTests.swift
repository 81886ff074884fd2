import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore

@Suite struct JSONCursorTests {
  private let sample = Data(
    #" {"a" : [1, -2.5e3, true, null], "b\n": {"c": "x\"}]{"}, "d": "é😀", "e": []} "#.utf8)

  private func cut(_ text: String, atMost limit: Int = 1000) throws -> String {
    var cursor = JSONCursor(Data(text.utf8), piece: 3)
    return String(decoding: try cursor.cut(atMost: limit), as: UTF8.self)
  }

  // H9
  @Test(arguments: [1, 2, 3, 7, 1000])
  func `values are cut out as they are, with pieces of any length`(piece: Int) throws {
    var cursor = JSONCursor(sample, piece: piece)
    var values: [String: String] = [:]
    try cursor.expect(.openObject)
    while let key = try cursor.nextKey(isFirst: values.isEmpty) {
      values[key] = String(decoding: try cursor.cut(atMost: 100), as: UTF8.self)
    }
    #expect(
      values == [
        "a": "[1, -2.5e3, true, null]", "b\n": #"{"c": "x\"}]{"}"#, "d": "\"é😀\"", "e": "[]",
      ])
    #expect(try cursor.peekValue() == nil)
  }

  // H9
  @Test(arguments: ["1", "-0.5E+10", "null", "\"\"", "\"a\\\\\"", "[]", "[[],{}]", "{\"a\":{}}", "[1 , 2]"])
  func `a value is cut to its end`(text: String) throws {
    #expect(try cut("  " + text + " ,") == text)
    #expect(try cut(text) == text)
  }

  // H9
  @Test(arguments: [
    "]", ",", "[1}", "{]", "[1 2]", "[\"a\" \"b\"]", "[,1]", "[1,]", "{\"a\"\"b\"}", "[\"a\"x]", "[\"a\nb\"]",
    "[X]",
    "\u{0}", "'a'",
  ])
  func `an invalid value is reported`(text: String) {
    #expect(throws: JSONDamage.malformed) { try cut(text) }
  }

  // H9
  @Test func `a text that is cut off anywhere ends, and says so`() throws {
    let value = Data(#"{"a":[1,{"b":"c\"d"},"é"]}"#.utf8)
    for length in 0..<value.count {
      var cursor = JSONCursor(value.prefix(length), piece: 5)
      #expect(throws: JSONDamage.ended) { try cursor.cut(atMost: 1000) }
    }
  }

  // H9.4
  @Test func `a value that is too large or too deep is skipped`() throws {
    let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    var cursor = JSONCursor(Data("[\"\(String(repeating: "x", count: 5000))\",\(deep),7]".utf8))
    try cursor.expect(.openArray)
    #expect(try cursor.nextElement(isFirst: true))
    #expect(throws: JSONDamage.tooLarge) { try cursor.cut(atMost: 4999) }
    #expect(try cursor.nextElement(isFirst: false))
    #expect(throws: JSONDamage.tooDeep) { try cursor.cut(atMost: 1_000_000) }
    #expect(try cursor.nextElement(isFirst: false))
    #expect(try cursor.cut(atMost: 1) == Data("7".utf8))
    #expect(try !cursor.nextElement(isFirst: false))
  }

  // H9.4
  @Test func `behind damage the next object is found by a key of its own`() throws {
    let text =
      #"... "x{\"role\"" {"a":1} "messages" : [ {"id":"1","role":"user"} {"id":7,"title":"t","messages":[]} "#
    var cursor = JSONCursor(Data(text.utf8), piece: 4)
    var found: [HistoryLandmark] = []
    while let landmark = try cursor.seekLandmark() {
      found.append(landmark)
      cursor.step()
    }
    #expect(found == [.messages, .message, .conversation, .messages])
  }
}

@Suite struct InterchangeDateTests {
  // H9.1
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2026-01-31T12:34:56Z", 1_769_862_896_000_000),
    ("2024-02-29T23:59:59.123456Z", 1_709_251_199_123_456), ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
    ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999), ("1969-12-31T23:59:59.500000Z", -500_000),
  ])
  func `a date is written and read to the microsecond`(text: String, microseconds: Int) {
    #expect(InterchangeDate.microseconds(text) == Int64(microseconds))
    #expect(InterchangeDate.text(Int64(microseconds), withFraction: true) == text)
  }

  // H9.1
  @Test func `days are those of Foundation, since there is a Gregorian calendar`() throws {
    for day in stride(from: -141_000, through: 150_000, by: 311) {
      let date = Date(timeIntervalSince1970: Double(day) * 86_400)
      #expect(InterchangeDate.text(Int64(day) * 86_400_000_000) == date.formatted(.iso8601))
    }
  }

  // H9.1, H10.2
  @Test func `offsets and short times are dates too, and anything else is not`() {
    let noon: Int64 = 1_769_860_800_000_000
    for text in ["2026-01-31T13:00:00+01:00", "2026-01-31 06:30:00-0530", "2026-01-31T12:00Z"] {
      #expect(InterchangeDate.microseconds(text) == noon, "\(text)")
    }
    for text in [
      "", "now", "2026-13-01T00:00:00Z", "2026-01-01", "2026-01-01T25:00:00Z", "2026-01-01T00:00:00",
      "2026-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
    ] {
      #expect(InterchangeDate.microseconds(text) == nil, "\(text)")
    }
    #expect(InterchangeDate.text(.max) == "9999-12-31T23:59:59Z")
    #expect(InterchangeDate.text(.min) == "0001-01-01T00:00:00Z")
  }
}

@Suite struct ImportedPlacesTests {
  // H9
  @Test func `messages are in the order of the file, before all that a server has ordered`() {
    var places = ImportedPlaces()
    let first = (1...1000).map { _ in places.assignPlace(order: nil) }
    #expect(first == first.sorted() && Set(first).count == 1000)
    #expect(first.allSatisfy { $0 < 0 })
    #expect(places.assignPlace(order: 1) == 2)
    #expect(places.assignPlace(order: nil) == 3)
    #expect(places.assignPlace(order: 2) == 4)
  }

  // H9
  @Test func `additional messages of a better copy of the file are in their place`() {
    var places = ImportedPlaces()
    let (first, second) = (places.assignPlace(order: nil), places.assignPlace(order: nil))
    var again = ImportedPlaces()
    again.pass(first, next: second)
    let between = [again.assignPlace(order: nil), again.assignPlace(order: nil)]
    #expect(first < between[0] && between[0] < between[1] && between[1] < second)
    again.pass(TimelinePlace.underWay, next: nil)
    #expect(again.assignPlace(order: nil) < second)
  }
}
