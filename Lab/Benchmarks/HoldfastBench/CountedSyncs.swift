import CRawSQLite

/// The number of syncs that SQLite has made in this process.
enum CountedSyncs {
  /// Every connection opened from now on is counted. Not to be used while something is timed.
  static func install() { sync_counting_install() }
  static func uninstall() { sync_counting_uninstall() }
  static func count() -> Int { Int(sync_counting_count()) }
}
