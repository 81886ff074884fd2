import HoldfastCore

extension Schema {
  static let version7 = """
    -- The app's own data about the message, opaque to the engine.
    ALTER TABLE message ADD COLUMN metadata BLOB;
    """
}
