import Foundation
import Holdfast
import HoldfastRescue
import HoldfastTesting
import HoldfastTransport

/// Imports new files, most of them damaged, and checks each report.
///
/// A file is derived from its number. Several consecutive files are imported into one store, because their IDs
/// collide there.
package final class ImportFuzz {
  /// A violation by an import.
  package struct Finding: CustomStringConvertible {
    package var number: UInt64
    package var form: FileForm
    package var fault: String
    package var bytes: Data

    package var description: String {
      "file \(number), \(form.rawValue): \(fault)\n\(String(decoding: bytes.prefix(4_000), as: UTF8.self))"
    }
  }

  /// The files that share a store.
  package static let filesOfStore: UInt64 = 100
  /// The time limit for an import of such small files, on a busy machine.
  private static let mostTime = Duration.seconds(5)

  private let folder: URL
  private var client: ChatClient
  private let environment: ChatEnvironment
  package private(set) var validFiles = 0
  package private(set) var unrecognizedFiles = 0
  package private(set) var slowest = Duration.zero

  /// - Parameters:
  ///   - folder: a folder that does not exist yet. ``end()`` removes it.
  ///   - number: the number of the first file.
  package init(in folder: URL, from number: UInt64) throws {
    self.folder = folder
    environment = Self.environment()
    client = try Self.client(folder, number, environment)
  }

  package func end() { try? FileManager.default.removeItem(at: folder) }

  private static func environment() -> ChatEnvironment {
    let date = Date(timeIntervalSince1970: 1_780_000_000)
    var environment = ChatEnvironment(now: { date })
    environment.logger.logLevel = .critical
    return environment
  }

  private static func client(_ folder: URL, _ number: UInt64, _ environment: ChatEnvironment) throws
    -> ChatClient
  {
    let store = folder.appendingPathComponent("\(number)")
    try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
    let hasServer = number / filesOfStore % 2 == 0
    let transport: any Transport =
      hasServer
      ? ScriptedTransport(
        TransportCapabilities(
          idempotency: .forever, fields: Set(TransportCapabilities.Field.allCases), carriesAttachments: true))
      : DeviceTransport()
    return try ChatClient(
      storage: .folder(store), transport: transport, user: "alice",
      configuration: ChatConfiguration(environment: environment))
  }

  /// Imports one file, twice. Returns the violations.
  package func run(_ number: UInt64) throws -> [Finding] {
    if number % Self.filesOfStore == 0 { try beginStore(number) }
    let (form, bytes) = Self.file(number)
    return faults(of: bytes).map { Finding(number: number, form: form, fault: $0, bytes: bytes) }
  }

  private func beginStore(_ number: UInt64) throws {
    end()
    client = try Self.client(folder, number, environment)
  }

  // MARK: Files

  /// The file of a number. Its form and its kind of damage follow from the number, and the rest is random.
  package static func file(_ number: UInt64) -> (form: FileForm, bytes: Data) {
    let forms = FileForm.allCases
    let form = forms[Int(number % UInt64(forms.count))]
    var maker = FileMaker(seed: number)
    var damage = Damage(seed: number)
    var values = maker.file(form)
    let kind = number / UInt64(forms.count) % 4
    let changes = [0, 1, damage.number(upTo: 4), damage.number(upTo: 2) - 1][Int(kind)]
    for _ in 0..<changes { values = damage.spoil(values) }
    var bytes = (damage.number(upTo: 30) == 1 ? [0xEF, 0xBB, 0xBF] : []) + Array(text(values).utf8)
    if kind == 3 { for _ in 0..<damage.number(upTo: 3) { bytes = damage.spoil(bytes) } }
    return (form, Data(bytes))
  }

  private static func text(_ values: [Shape]) -> String { values.map(\.written).joined(separator: "\n") }

  // MARK: Looking at reports

  private func faults(of bytes: Data) -> [String] {
    do {
      let report = try imported(bytes)
      let again = try imported(bytes)
      return Self.faults(of: report) + Self.faults(of: again, behind: report)
        + unaccounted(report, bytes) + unaccounted(again, bytes).map { "again: " + $0 }
    } catch let error as ChatError {
      unrecognizedFiles += 1
      return error.code == .fileUnrecognized ? [] : ["the import throws \(error)"]
    } catch { return ["the import throws what is no error of the engine: \(error)"] }
  }

  private func imported(_ bytes: Data) throws -> ImportReport {
    let clock = ContinuousClock()
    let start = clock.now
    let report = try client.importHistory(from: bytes)
    let time = start.duration(to: clock.now)
    slowest = max(slowest, time)
    guard time < Self.mostTime else { throw Slow(time: time) }
    return report
  }

  private struct Slow: Error { var time: Duration }

  private static func faults(of report: ImportReport) -> [String] {
    var faults: [String] = []
    if report.leftOut > 0, report.isComplete {
      faults.append("entries are left out of an import that is complete")
    }
    if report.problemCount != report.problems.count {
      faults.append("\(report.problemCount) problems are counted")
    }
    return faults
  }

  private static func faults(of again: ImportReport, behind report: ImportReport) -> [String] {
    var faults: [String] = []
    let new = again.conversations + again.added
    if new > 0 {
      faults.append("the second import brings \(new): \(again.numbers), behind \(report.numbers)")
    }
    // A draft that existed, and that only brings a file, is counted with its file.
    if !(report.total...report.total + report.attachments).contains(again.total) {
      faults.append(
        "the second import finds \(again.total) entries: \(again.numbers), behind \(report.numbers)")
    }
    return faults
  }

  /// Compares a report with the count of the entries of a file that is JSON.
  private func unaccounted(_ report: ImportReport, _ bytes: Data) -> [String] {
    guard let values = ShapeReader.values([UInt8](bytes)), !values.contains(where: { $0.depth > 30 }),
      !Shape.list(values).hasTwins(of: EntryCount.placeNames)
    else { return [] }
    validFiles += 1
    let count = EntryCount(values, report.format)
    if count.hasUnread, !report.problems.contains(where: { $0.code == .fieldLeftOut && $0.entry == "file" }) {
      return ["what is under a name of conversations is passed over without a word: \(report.numbers)"]
    }
    let (least, most) = Self.bounds(count, report)
    guard
      (least...most).contains(report.total)
        || least <= report.total + Self.draftsLeft(report) && report.total <= most
    else {
      return [
        "\(report.total) of \(least)...\(most) entries are accounted for: \(report.numbers)\(Self.list(report))"
      ]
    }
    return []
  }

  private static func list(_ report: ImportReport) -> String {
    report.problems.prefix(8).map { " \($0.entry) \($0.code.rawValue)" }.joined()
  }

  /// A conversation that is reported as a whole may count as one.
  private static func bounds(_ count: EntryCount, _ report: ImportReport) -> (Int, Int) {
    let reported = Set(
      report.problems.filter { lossy.contains($0.code) }.compactMap { wholeConversation($0.entry) })
    var (least, most) = (count.drafts, count.drafts)
    for (index, entries) in count.conversations.enumerated() {
      let isReported = reported.contains(index)
      least += isReported ? 0 : entries.lowerBound
      most += isReported ? max(1, entries.upperBound) : entries.upperBound
    }
    guard count.isMixed else { return (least, most) }
    return (report.problems.contains { lossy.contains($0.code) } ? 0 : least, Int.max)
  }

  private static let lossy: Set<ImportProblem.Code> = [
    .malformed, .ended, .wrongFields, .conversationUnknown, .messagesMissing, .tooDeep, .tooLarge,
    .fieldLeftOut,
  ]

  /// The number of a conversation, from a path such as `conversations[3]`.
  private static func wholeConversation(_ entry: String) -> Int? {
    let rest = entry.hasPrefix("conversations") ? entry.dropFirst("conversations".count) : entry[...]
    return rest.first == "[" && rest.last == "]" ? Int(rest.dropFirst().dropLast()) : nil
  }

  /// The number of drafts that the report lists as left out. They have no counter of their own.
  private static func draftsLeft(_ report: ImportReport) -> Int {
    let entries = report.problems.map { $0.entry.prefix { $0 != "." } }.filter { $0.hasPrefix("draft") }
    return Set(entries).count + report.attachments
  }
}

extension ImportReport {
  fileprivate var added: Int { messages + queued + failed + interrupted + replaced + drafts + draftVersions }
  fileprivate var total: Int { added + alreadyHere + deletedHere + unshown + leftOut }

  fileprivate var numbers: String {
    let numbers = [
      "messages": messages, "queued": queued, "failed": failed, "interrupted": interrupted,
      "replaced": replaced,
      "drafts": drafts, "versions": draftVersions, "here": alreadyHere, "deleted": deletedHere,
      "unshown": unshown,
      "left out": leftOut, "conversations": conversations,
    ]
    return format.rawValue
      + numbers.filter { $0.value != 0 }.sorted { $0.key < $1.key }.map { " \($0.key) \($0.value)" }
      .joined()
  }
}
