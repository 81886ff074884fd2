extension Schema {
  static let version4 = version4Scenes

  /// Which windows are forgotten when there are too many is decided by no clock.
  static let version4Scenes = """
    -- The store-wide revision of its last change.
    ALTER TABLE scene ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
    """
}
