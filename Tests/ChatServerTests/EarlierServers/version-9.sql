-- The tokens are token-alice, token-bob and token-carol.
INSERT INTO account VALUES
  ('alice', x'c26a7f01074b72beff2295b5cb02eb0b0fa871f4aca30367c51ffcd0c68d4832'),
  ('bob', x'1ccf8933062b5a156c5f57ad39314916ec1cbf46db164a70721323b8523c7068'),
  ('carol', x'aafedddf5ce7c92b4d5172ecc41ddcff2d4a3bfe1a8a7970fa55b69870663c4c');

INSERT INTO conversation (id, title, lastOrder) VALUES ('trip', 'The trip', 4), ('notes', NULL, 3), ('choir', 'Nothing yet', 0);
-- In the order in which their creators named them.
INSERT INTO member VALUES ('trip', 'bob', 0), ('trip', 'alice', 1), ('notes', 'alice', 0), ('choir', 'carol', 0),
  ('choir', 'alice', 1), ('choir', 'bob', 2);

-- One with reactions, one that was edited, and one that was deleted.
INSERT INTO message (id, conversation, sender, role, body, reasoning, "order", at, revision, editedAt, deletedAt)
VALUES
  ('question', 'trip', 'bob', 'user', 'Shall we go to the lake?', NULL, 1, 1767222010000, 2, NULL, NULL),
  ('answer', 'trip', 'alice', 'user', 'Yes, on Saturday', NULL, 2, 1767222020000, 1, 1767222090000, NULL),
  ('regretted', 'trip', 'alice', 'user', '', NULL, 3, 1767222030000, 1, NULL, 1767222100000),
  ('route', 'trip', 'alice', 'assistant', CAST(x'4279007468652ff09f9a97' AS TEXT), 'It is the shortest.', 4,
    1767222040000, 0, NULL, NULL),
  ('gas', 'notes', 'alice', 'user', 'Buy gas 🔥', NULL, 1, 1767222025000, 0, NULL, NULL),
  ('rule', 'notes', 'alice', 'system', 'Be brief.', NULL, 2, 1767222050000, 0, NULL, NULL),
  ('result', 'notes', 'alice', 'tool', '{}', NULL, 3, 1767222060000, 0, NULL, NULL);

INSERT INTO reaction VALUES ('question', '👍', 'bob'), ('question', '❤️', 'alice');

-- The last found everything as it was asked for.
INSERT INTO operation VALUES
  ('love', 'alice', 'question', 1, 1767222070000), ('like', 'bob', 'question', 2, 1767222080000),
  ('edit', 'alice', 'answer', 1, 1767222090000), ('delete', 'alice', 'regretted', 1, 1767222100000),
  ('again', 'alice', 'question', 2, 1767222110000);

-- A transaction that was given up has taken a cursor with it.
INSERT INTO event (cursor, conversation, message)
VALUES (1, 'trip', NULL), (2, 'trip', 'question'), (4, 'trip', 'answer'), (5, 'notes', NULL), (6, 'notes', 'gas'),
  (7, 'trip', 'regretted'), (8, 'trip', 'route'), (9, 'notes', 'rule'), (10, 'notes', 'result'), (11, 'choir', NULL),
  (12, 'trip', 'question'), (13, 'trip', 'question'), (14, 'trip', 'answer'), (15, 'trip', 'regretted');

-- An answer with formatting, and a message with a file.
UPDATE message SET replyTo = 'question', formatting = x'0700' WHERE id = 'answer';
INSERT INTO upload (number, account, checksum, byteCount, isWhole, isSent)
VALUES (1, 'alice', '141d1e673f14407db04bfc2ddc1503e53e72c9873b201329e07ca01240cb25d5', 29, 1, 1);
INSERT INTO messageAttachment (message, number, checksum, name, mediaType, byteCount)
VALUES ('gas', 0, '141d1e673f14407db04bfc2ddc1503e53e72c9873b201329e07ca01240cb25d5', 'map.txt', 'text/plain', 29);

-- A reply of an assistant, with the app's own data.
UPDATE message SET assistant = 'claude', metadata = x'7B7D' WHERE id = 'route';

-- References, and a read mark, whose event is the newest.
UPDATE message SET images = '["map.png"]', videos = '["tour.mov"]' WHERE id = 'route';
INSERT INTO readMark (conversation, account, message, "order") VALUES ('trip', 'bob', 'answer', 2);
INSERT INTO event (cursor, conversation, reader) VALUES (16, 'trip', 'bob');

-- The request that a message answers.
UPDATE message SET request = 'request' WHERE id = 'route';

-- A conversation that had another ID, and one that was closed and removed.
INSERT INTO earlierID (id, conversation) VALUES ('journey', 'trip');
INSERT INTO conversation (id, title, lastOrder, isRemoved, refusal) VALUES ('gone', NULL, 0, 1, 'It is closed.');

-- The words of messages.
INSERT INTO searched (number, message) VALUES
  (1, 'question'),
  (2, 'answer'),
  (3, 'gas'),
  (4, 'regretted'),
  (5, 'route'),
  (6, 'rule'),
  (7, 'result');
INSERT INTO messageWords (rowid, words) VALUES
  (1, 'shall we go to the lake'),
  (2, 'yes on saturday'),
  (3, 'buy gas 🔥'),
  (5, 'by the 🚗'),
  (6, 'be brief');
