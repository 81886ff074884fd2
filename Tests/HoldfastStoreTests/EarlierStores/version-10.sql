INSERT INTO conversation (id, title, titleIsCustom, members, isConfirmed, sentRevision, lastSentMessageID, refusedCode,
  refusedExplanation, createdAt, updatedAt, listRevision)
VALUES
  ('alice-bob', 'The trip', 1, '["alice","bob"]', 1, 5, 'flown', NULL, NULL, 1767222000000000, 1767222900000000, 9),
  ('notes', 'Buy gas for the stove', 0, '["alice"]', 0, 0, 'held', NULL, NULL, 1767222100000000, 1767222800000000, 4),
  ('choir', NULL, 0, '["alice","bob","carol"]', 1, 3, 'refused', 'forbidden', 'You are not in it any more.',
    1767222200000000, 1767222700000000, 2);

-- Four that the server has; one that failed, two replies that were cut off, one that may have arrived, and one that
-- waits. One is held, and one waits for a whole conversation. The last was deleted by its sender.
INSERT INTO message (position, id, conversationID, serverID, serverOrder, place, sender, role, body, reasoning, replyTo,
  formatting, images, videos, readBy, importedStatus, editedAt, createdAt, revision, deletedAt)
VALUES
  (1, 'question', 'alice-bob', 's-1', 1, 2, 'bob', 'user', 'Shall we go to the lake?', NULL, NULL, NULL,
    '["lake.png"]', '["boat.mp4"]', '["alice"]', 'seen', 1767222015000000, 1767222010000000, 1, NULL),
  (2, 'answer', 'alice-bob', 's-2', 2, 4, 'alice', 'user', 'Yes, on Sunday', NULL, 'question', x'0700', NULL, NULL,
    NULL, NULL, NULL, 1767222020000000, 2, NULL),
  (3, 'regretted', 'alice-bob', 's-3', 3, 6, 'alice', 'user', 'Never mind', NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, 1767222030000000, 0, NULL),
  (4, 'route', 'alice-bob', 's-4', 4, 8, 'alice', 'assistant', 'By the mill', 'It is the shortest.', NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, 1767222040000000, 1, NULL),
  (5, 'failed', 'alice-bob', NULL, NULL, 9, 'alice', 'user', 'What about the tents?', NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, 1767222050000000, 0, NULL),
  (6, 'own', 'alice-bob', NULL, NULL, 4611686018427387904, 'alice', 'assistant', '', NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, 1767222060000000, 0, NULL),
  (7, 'other', 'alice-bob', NULL, NULL, 4611686018427387904, 'bob', 'assistant', '', NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, 1767222070000000, 0, NULL),
  (8, 'flown', 'alice-bob', NULL, NULL, 4611686018427387904, 'alice', 'user', 'I bring bread', NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, 1767222080000000, 0, NULL),
  (9, 'queued', 'alice-bob', NULL, NULL, 4611686018427387904, 'alice', 'user', 'Here is the map', NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, 1767222090000000, 0, NULL),
  (10, 'held', 'notes', NULL, NULL, 4611686018427387904, 'alice', 'user', 'Buy gas for the stove', NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, 1767222100000000, 0, NULL),
  (11, 'refused', 'choir', NULL, NULL, 4611686018427387904, 'alice', 'user', 'I am late', NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, 1767222110000000, 0, NULL),
  (12, 'gone', 'choir', 's-12', 6, 12, 'bob', 'user', '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    1767222005000000, 2, 1767222006000000);

INSERT INTO operation (position, id, messageID, kind, payload, acceptedRevision, createdAt, formatting)
VALUES
  (1, 'edit', 'answer', 'edit', 'Yes, on Saturday', NULL, 1767222200000000, x'0304'),
  (2, 'delete', 'regretted', 'delete', NULL, NULL, 1767222210000000, NULL),
  (3, 'react', 'question', 'react', '👍', NULL, 1767222220000000, NULL),
  (5, 'unreact', 'route', 'unreact', '🐌', NULL, 1767222230000000, NULL),
  (6, 'accepted', 'route', 'react', '🚀', 2, 1767222190000000, NULL);

INSERT INTO outbox (position, messageID, operationID, conversationID, attempts, unanswered, mayHaveArrived, departedAt,
  parkedCode, parkedExplanation, isHeld, enqueuedAt)
VALUES
  (1, 'failed', NULL, 'alice-bob', 3, 0, 0, NULL, 'rejected', 'Too many tents.', 0, 1767222050000000),
  (2, 'flown', NULL, 'alice-bob', 1, 2, 1, 1767222080000000, NULL, NULL, 0, 1767222080000000),
  (3, 'queued', NULL, 'alice-bob', 0, 0, 0, NULL, NULL, NULL, 0, 1767222090000000),
  (4, 'held', NULL, 'notes', 0, 0, 0, NULL, NULL, NULL, 1, 1767222100000000),
  (7, 'refused', NULL, 'choir', 0, 0, 0, NULL, NULL, NULL, 0, 1767222110000000),
  (8, NULL, 'edit', 'alice-bob', 1, 0, 0, NULL, NULL, NULL, 0, 1767222200000000),
  (9, NULL, 'delete', 'alice-bob', 0, 0, 0, NULL, NULL, NULL, 0, 1767222210000000),
  (10, NULL, 'react', 'alice-bob', 0, 0, 0, NULL, NULL, NULL, 0, 1767222220000000),
  (11, NULL, 'unreact', 'alice-bob', 2, 0, 0, NULL, 'rejected', 'Not yours.', 0, 1767222230000000);

INSERT INTO reaction (messageID, sender, value) VALUES ('answer', 'bob', '❤️'), ('route', 'bob', '🐌');

INSERT INTO stream (messageID, requestID, isInterrupted, startedAt, writer)
VALUES ('own', 'request', 1, 1767222060000000, 'launch'), ('other', NULL, 1, 1767222070000000, NULL);
INSERT INTO chunk (messageID, firstSequence, nextSequence, text, reasoning)
VALUES ('own', 0, 2, 'First ', 'Think'), ('own', 2, 3, 'east', ''), ('other', 0, 1, 'Perhaps', '');
INSERT INTO work (conversationID, requestID, startedAt, writer, isInterrupted)
VALUES ('alice-bob', 'request', 1767222055000000, 'launch', 1);

INSERT INTO draft (id, conversationID, slot, editing, content, cursorStart, cursorEnd, formatting, replyTo,
  lastSentMessageID, revision, session, updatedAt, saves)
VALUES
  ('d-new', 'alice-bob', 'new', NULL, '  And who drives? 🚗 ', 6, 9, x'0102', 'question', 'flown', 8, 'session',
    1767222300000000, 4),
  ('d-edit', 'alice-bob', 'edit', 'answer', 'Yes, on Saturday at nine', NULL, NULL, NULL, NULL, 'flown', 7, 'session',
    1767222310000000, 2),
  ('d-notes', 'notes', 'new', NULL, 'Matches', 7, 7, NULL, NULL, NULL, 6, 'session', 1767222320000000, 1);
INSERT INTO draftVersion (conversationID, slot, revision, content, cursorStart, cursorEnd, updatedAt)
VALUES
  ('alice-bob', 'new', 3, 'And who', 7, 7, 1767222290000000),
  ('alice-bob', 'new', 4, 'And where do we sleep?', NULL, NULL, 1767222295000000),
  ('notes', 'new', 5, 'Candles', NULL, NULL, 1767222315000000),
  ('choir', 'new', 2, 'Emptied since', 7, 7, 1767222280000000);

INSERT INTO attachment (checksum, byteCount, uploadedBytes, serverID, createdAt, isHere, wantedRevision)
VALUES
  ('d5fa9415c5a257a5938646f57012414b9fb06a1cab047b12242951d644919e12', 30, 30, 'f-1', 1767222018000000, 1, NULL),
  ('141d1e673f14407db04bfc2ddc1503e53e72c9873b201329e07ca01240cb25d5', 29, 10, NULL, 1767222078000000, 1, NULL),
  ('badaddb08fdfe70bc6424f3994d8828fae6d749e4122e02201677dd2975d5ea0', 29, 0, NULL, 1767222012000000, 0, 1);
INSERT INTO attachmentUse (checksum, messageID, draftID, number, name, mediaType)
VALUES
  ('d5fa9415c5a257a5938646f57012414b9fb06a1cab047b12242951d644919e12', 'answer', NULL, 0, 'hill.png', 'image/png'),
  ('141d1e673f14407db04bfc2ddc1503e53e72c9873b201329e07ca01240cb25d5', 'queued', NULL, 0, 'map.txt', 'text/plain'),
  ('d5fa9415c5a257a5938646f57012414b9fb06a1cab047b12242951d644919e12', NULL, 'd-new', 0, 'again.png', 'image/png'),
  ('141d1e673f14407db04bfc2ddc1503e53e72c9873b201329e07ca01240cb25d5', NULL, 'd-new', 1, 'map.txt', 'text/plain'),
  ('badaddb08fdfe70bc6424f3994d8828fae6d749e4122e02201677dd2975d5ea0', 'question', NULL, 0, 'sketch.png', 'image/png');

INSERT INTO conversationAlias (alias, conversationID) VALUES ('alice-robert', 'alice-bob');

INSERT INTO scene (id, version, state, updatedAt, revision)
VALUES ('main', 7, CAST('place' AS BLOB), 1767222400000000, 3), ('second', 7, CAST('there' AS BLOB), 1767222410000000, 9);
INSERT INTO cursor (name, value) VALUES ('sync', '42');
UPDATE setting SET value = 9 WHERE name = 'revision';
INSERT INTO setting (name, value)
VALUES ('owner', 'alice'), ('device', 'phone'), ('activeConversation', 'notes'), ('waitingReading', 1767222500000000),
  ('waitingDate', 1767222500000000);
INSERT INTO metric (name, bucket, count) VALUES ('timeToDelivered', 12, 3), ('timeToDelivered', 20, 1),
  ('draft_saves_count', 0, 11), ('restore_age_seconds', 24, 2), ('recovered_draft_discarded_count', 0, 1);

-- A conversation that was deleted a moment ago, with a message that is aside until Undo is over; one that made room, and
-- one that was deleted for good, of which a message was on its way.
INSERT INTO conversation (id, title, members, isConfirmed, createdAt, updatedAt, listRevision)
VALUES ('secret', 'A present for Bob', '["alice","carol"]', 1, 1767222300000000, 1767222600000000, 1);
INSERT INTO message (position, id, conversationID, serverID, serverOrder, place, sender, role, body, createdAt)
VALUES
  (13, 'idea', 'secret', 's-13', 4, 8, 'carol', 'user', 'A rope?', 1767222301000000),
  (14, 'aside', 'secret', NULL, NULL, 4611686018427387904, 'alice', 'user', 'A stove', 1767222302000000);
INSERT INTO outboxAside (position, messageID, operationID, conversationID, attempts, unanswered, mayHaveArrived,
  departedAt, parkedCode, parkedExplanation, isHeld, enqueuedAt)
VALUES (12, 'aside', NULL, 'secret', 1, 0, 0, NULL, NULL, NULL, 0, 1767222302000000);
INSERT INTO deletion (conversationID, position, isFinal) VALUES ('secret', 14, 0);
INSERT INTO horizon (conversationID, serverOrder, isEvicted, members, isConfirmed)
VALUES ('choir', 5, 1, '["alice","bob","carol"]', 1), ('party', 31, 0, '["alice","dave"]', 1);
INSERT INTO forgottenMessage (id, conversationID) VALUES ('cheers', 'party');

-- The index has the messages up to the eighth; the fourth was edited since. One that it had is gone.
INSERT INTO messageText (rowid, words)
VALUES (1, 'shall we go to the lake'), (2, 'yes on sunday'), (3, 'never mind'), (5, 'what about the tents'),
  (8, 'i bring bread');
INSERT INTO unindexed (position) VALUES (4);
UPDATE setting SET value = 8 WHERE name = 'indexedUpTo';
UPDATE setting SET value = 1 WHERE name = 'indexRests';

INSERT INTO importedItem (item) VALUES ('message:imported');

-- An answer that was taken back before the server had it.
INSERT INTO forgottenStream (position, messageID) VALUES (1, 'taken back');
UPDATE setting SET value = 2 WHERE name = 'remnants';

-- A conversation that is kept on this device alone.
INSERT INTO conversation (id, title, members, createdAt, updatedAt, listRevision, isOnDevice)
VALUES ('alone', 'Thoughts', '["alice"]', 1767222700000000, 1767222700000000, 0, 1);

-- The app's own data about the newest message of a conversation that is kept here alone.
INSERT INTO message (position, id, conversationID, place, sender, role, body, metadata, createdAt)
VALUES
  (16, 'thought', 'alone', 2, 'alice/assistant/claude', 'assistant', 'Take a rope', x'7B7D', 1767222701000000),
  (17, 'unwritten', 'alone', 4, 'alice/assistant/claude', 'assistant', '', NULL, 1767222702000000);

-- A reply that failed before its first word.
INSERT INTO stream (messageID, requestID, isInterrupted, startedAt, writer, failedCode, failedExplanation)
VALUES ('unwritten', NULL, 1, 1767222702000000, 'launch', 'replyFailed', 'The model is overloaded.');

-- How far this user and another member have read. The server still has to be told of the user's mark.
UPDATE conversation SET readPlace = 8, readIsPending = 1 WHERE id = 'alice-bob';
UPDATE conversation SET readPlace = 4 WHERE id = 'alone';
UPDATE conversation SET readPlace = 12 WHERE id = 'choir';
UPDATE conversation SET readPlace = 8 WHERE id = 'secret';
INSERT INTO readMark (conversationID, reader, place) VALUES ('alice-bob', 'bob', 4);

-- The app keeps its messages itself: one was delivered, and one has failed.
INSERT INTO delivery (number, messageID, conversationID, serverOrder, deliveredAt, failedCode, failedExplanation)
VALUES
  (6, 'answer', 'alice-bob', 2, 1767222021000000, NULL, NULL),
  (8, 'failed', 'alice-bob', NULL, NULL, 'rejected', 'Too many tents.');

-- An answer that names its request, a message that only this device has, and an old draft that its user keeps.
UPDATE message SET request = 'request' WHERE id = 'answer';
UPDATE message SET isRecorded = 1 WHERE conversationID = 'alone' AND serverOrder IS NULL;
UPDATE conversation SET emptiedPlace = 2 WHERE id = 'choir';
UPDATE draft SET isKept = 1 WHERE conversationID = 'alice-bob' AND slot = 'new';

-- The app's own data about a conversation.
UPDATE conversation SET metadata = x'7B7D' WHERE id = 'alone';
