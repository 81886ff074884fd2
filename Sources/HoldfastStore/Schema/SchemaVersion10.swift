import HoldfastCore

extension Schema {
  static let version10 = """
    -- The app's own data about the conversation, opaque to the engine. It never leaves this device.
    ALTER TABLE conversation ADD COLUMN metadata BLOB;
    """
}
