import CRawSQLite

/// How often SQLite has synced a file in this process, since it began.
enum CountedSyncs {
  /// Every connection opened from now on is counted. Not to be used while something is timed.
  static func install() { sync_counting_install() }
  static func uninstall() { sync_counting_uninstall() }
  static func count() -> Int { Int(sync_counting_count()) }
}
