extension World {
  /// Returns the report of a smaller world that breaks the same promise: fewer phones, fewer faults, fewer messages,
  /// for as long as the world still fails. Returns this world's own report when there is no smaller world.
  ///
  /// A cut changes the order of events, so each cut is tried with a few seeds.
  ///
  /// - Parameters:
  ///   - report: the report of this world. It must have a violation.
  ///   - attempts: the largest number of worlds to run.
  ///   - isInterrupted: called before each of the worlds' jobs.
  /// - Throws: the errors of ``run(isInterrupted:)``.
  package func shrunk(
    from report: Report, attempts: Int = 200, isInterrupted: () -> Bool = { false }
  ) throws -> Report {
    try shrunk(from: report, attempts: attempts) { try $0.run(isInterrupted: isInterrupted) }
  }

  func shrunk(from report: Report, attempts: Int, run: (World) throws -> Report) throws -> Report {
    guard let promise = report.violations.first?.promise else { return report }
    var smallest = report
    var left = attempts
    search: while left > 0 {
      for plan in smallest.plan.cuts {
        for offset in 0..<4 as Range<UInt64> where left > 0 {
          left -= 1
          let smaller = try run(World(seed: smallest.seed &+ offset, plan: plan))
          guard smaller.violations.first?.promise == promise else { continue }
          smallest = smaller
          continue search
        }
      }
      return smallest
    }
    return smallest
  }
}

extension WorldPlan {
  /// The plans that are one step smaller than this plan, the largest steps first.
  var cuts: [WorldPlan] {
    func cut(_ change: (inout WorldPlan) -> Void) -> WorldPlan {
      var plan = self
      change(&plan)
      return plan
    }
    let cuts =
      [
        cut { $0.phones = 2 }, cut { $0.conversations = 1 }, cut { $0.replies = 0 }, cut { $0.changes = 0 },
        cut { $0.attachments = 0 }, cut { $0.extensions = 0 }, cut { $0.renames = 0 },
        cut { $0.hasWindows = false },
        cut { $0.deletions = 0 }, cut { $0.imports = 0 }, cut { $0.queueImports = 0 }, cut { $0.quotas = 0 },
        cut { $0.newest = 0 }, cut { $0.readBacks = 0 }, cut { $0.reads = 0 }, cut { $0.onDevice = 0 },
        cut { $0.assistantReplies = 0 }, cut { $0.tables = 0 }, cut { $0.emptyings = 0 },
        cut { $0.idempotency = .forever }, cut { $0.strictOrder = false }, cut { $0.backend = .states },
        cut { $0.messages = 1 },
        cut { $0.changes = changes / 2 },
        cut { $0.messages = max(1, messages / 2) }, cut { $0.crash = nil },
        cut { $0.heldAfter = 0 },
      ] + faults.faults.map { fault in cut { $0.faults[fault] = 0 } }
      + [
        cut { $0.messages = max(1, messages - 1) }, cut { $0.replies = max(0, replies - 1) },
        cut { $0.changes = max(0, changes - 1) }, cut { $0.attachments = max(0, attachments - 1) },
        cut { $0.extensions = max(0, extensions - 1) }, cut { $0.renames = max(0, renames - 1) },
        cut { $0.deletions = max(0, deletions - 1) }, cut { $0.imports = max(0, imports - 1) },
        cut { $0.queueImports = max(0, queueImports - 1) }, cut { $0.quotas = max(0, quotas - 1) },
        cut { $0.readBacks = max(0, readBacks - 1) }, cut { $0.reads = max(0, reads - 1) },
        cut { $0.onDevice = max(0, onDevice - 1) },
        cut { $0.assistantReplies = max(0, assistantReplies - 1) }, cut { $0.tables = max(0, tables - 1) },
        cut { $0.emptyings = max(0, emptyings - 1) },
        cut { $0.phones = max(2, phones - 1) }, cut { $0.conversations = max(1, conversations - 1) },
      ]
    return cuts.filter { $0 != self }
  }
}
