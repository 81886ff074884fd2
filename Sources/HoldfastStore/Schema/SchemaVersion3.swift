import HoldfastCore

extension Schema {
  /// The connected process fetches an attachment, even if it was requested in another process.
  static let version3 = """
    -- The store-wide revision at which its user asked for it. NULL: it is here, or is fetched unasked or not at all.
    ALTER TABLE attachment ADD COLUMN wantedRevision INTEGER;

    -- Of an edit: mentions and spans of the new text.
    ALTER TABLE operation ADD COLUMN formatting BLOB;
    """
}
