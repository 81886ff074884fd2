import HoldfastCore

extension Schema {
  static let version7 = """
    -- The app's own data about the message, opaque to the engine.
    ALTER TABLE message ADD COLUMN metadata BLOB;

    -- Why a reply that is written on this device failed: a code, and a sentence for the user. NULL while it has not.
    ALTER TABLE stream ADD COLUMN failedCode TEXT;
    ALTER TABLE stream ADD COLUMN failedExplanation TEXT;
    """
}
