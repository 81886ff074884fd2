import HoldfastCore

extension Schema {
  static let version14 = """
    -- The server's own name of a file, as the message told it: where the file is fetched from. NULL: it is found by its
    -- checksum.
    ALTER TABLE attachmentUse ADD COLUMN serverID TEXT;
    """
}
