import Foundation
import HoldfastCore
import HoldfastStore

extension EngineContext {
  /// The report that ``ChatClient/supportReport()`` returns.
  ///
  /// - Parameter connection: the lines about the link.
  func supportReport(connection: [String]) -> String {
    var report = SupportReport(environment.now())
    report.begin("store", storeLines)
    report.begin("outbox", outboxLines)
    report.begin("connection", connection)
    report.begin("events", events.lines)
    return report.text
  }

  private var storeLines: [String] {
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

  private var outboxLines: [String] {
    SupportReport.lines { () throws(ChatError) in
      let health = try outboxHealth()
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
