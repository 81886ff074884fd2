import HoldfastCore

extension Schema {
  static let version15 = """
    -- A message without words had none in the index. A reply that is written has none until it is whole: each one made the
    -- whole index be merged, and the file be written anew.
    DROP TRIGGER message_text_gone;
    CREATE TRIGGER message_text_gone AFTER DELETE ON message
    WHEN OLD.position <= (SELECT value FROM setting WHERE name = 'indexedUpTo') BEGIN
      DELETE FROM messageText WHERE rowid = OLD.position;
      DELETE FROM unindexed WHERE position = OLD.position;
      UPDATE setting SET value = value + 1 WHERE name = 'indexRests' AND length(OLD.body) > 0;
      UPDATE setting SET value = min(value, (SELECT coalesce(max(position), 0) FROM message))
        WHERE name = 'indexedUpTo';
    END;
    DROP TRIGGER message_text_changed;
    CREATE TRIGGER message_text_changed AFTER UPDATE OF body, position ON message
    WHEN (OLD.body IS NOT NEW.body OR OLD.position <> NEW.position)
      AND OLD.position <= (SELECT value FROM setting WHERE name = 'indexedUpTo') BEGIN
      DELETE FROM messageText WHERE rowid = OLD.position;
      DELETE FROM unindexed WHERE position = OLD.position;
      INSERT OR IGNORE INTO unindexed (position)
        SELECT NEW.position WHERE NEW.position <= (SELECT value FROM setting WHERE name = 'indexedUpTo');
      UPDATE setting SET value = value + 1 WHERE name = 'indexRests' AND length(OLD.body) > 0;
      UPDATE setting SET value = min(value, (SELECT coalesce(max(position), 0) FROM message))
        WHERE name = 'indexedUpTo';
    END;
    """
}
