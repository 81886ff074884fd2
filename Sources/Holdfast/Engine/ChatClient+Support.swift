import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// A report for the app's support, as lines with names and values: the state of the store and whether it is whole, the outbox,
  /// the connection, and the last 200 events of the engine. It has codes, numbers and IDs of messages, and never
  /// contents, names, or the place of the store. A part that cannot be read says why.
  ///
  /// ```swift
  /// mail.attach(Data(await client.supportReport().utf8), named: "holdfast.txt")
  /// ```
  ///
  /// Reads the whole store, which takes a second for each 500 MB or so, and changes nothing.
  public nonisolated func supportReport() async -> String {
    var report = SupportReport(environment.now())
    report.begin("store", storeLines)
    report.begin("outbox", outboxLines)
    report.begin("connection", [live.link.rawValue] + (live.needsCredentials ? ["credentials=needed"] : []))
    report.begin("events", context.events.lines)
    return report.text
  }

  private nonisolated var storeLines: [String] {
    SupportReport.lines { () throws(ChatError) in
      let findings = try StoreInspection.examine(store.folder)
      let state = findings.diagnostics
      return [
        "schema=\(state.schemaVersion) sqlite=\(state.sqliteVersion)",
        "bytes=\(state.databaseBytes) journal=\(state.journalBytes) files=\(state.attachmentBytes) free=\(state.freeBytes)",
        "conversations=\(state.conversations) messages=\(state.messages) drafts=\(state.drafts) "
          + "attachments=\(state.attachments)",
        "shared=\(state.isShared) private=\(state.isPrivate) reserve=\(state.hasReserve) "
          + "compaction=\(state.isCompactionDue)",
        "damagedAttachments=\(findings.damagedAttachments) strayFiles=\(findings.strayFiles)",
        "whole=\(findings.isHealthy)",
      ] + findings.damages.map { "damage=\($0)" }
    }
  }

  private nonisolated var outboxLines: [String] {
    SupportReport.lines { () throws(ChatError) in
      let health = try context.outboxHealth()
      var lines = ["waiting=\(health.waiting) held=\(health.held) failed=\(health.failed)"]
      if let oldest = health.oldest, let waited = health.oldestWaited {
        lines.append("oldest=\(oldest) waited=\(waited)")
      }
      if let time = health.timeToDelivered {
        lines.append("delivered=\(time.count) p50=\(time.p50) p95=\(time.p95)")
      }
      return lines
    }
  }
}

/// Sections of lines with names and values, for a person of the app's support.
private struct SupportReport {
  private(set) var text: String

  init(_ date: Date) { text = "[report]\ndate=\(date.formatted(.iso8601))\n" }

  mutating func begin(_ section: String, _ lines: [String]) {
    text += "\n[\(section)]\n" + lines.map { "\($0)\n" }.joined()
  }

  static func lines(_ read: () throws(ChatError) -> [String]) -> [String] {
    do throws(ChatError) { return try read() } catch { return ["unreadable=\(error.code)"] }
  }
}
