import HoldfastCore

extension Schema {
  static let version6 = """
    -- The conversation is kept on this device alone: its messages are delivered once they are stored.
    ALTER TABLE conversation ADD COLUMN isOnDevice INTEGER NOT NULL DEFAULT 0 CHECK (isOnDevice IN (0, 1));
    -- Most stores have none, and learn so from an empty index.
    CREATE INDEX conversation_onDevice ON conversation (id) WHERE isOnDevice;
    """
}
