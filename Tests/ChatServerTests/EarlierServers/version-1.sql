-- The tokens are token-alice, token-bob and token-carol.
INSERT INTO account VALUES
  ('alice', x'c26a7f01074b72beff2295b5cb02eb0b0fa871f4aca30367c51ffcd0c68d4832'),
  ('bob', x'1ccf8933062b5a156c5f57ad39314916ec1cbf46db164a70721323b8523c7068'),
  ('carol', x'aafedddf5ce7c92b4d5172ecc41ddcff2d4a3bfe1a8a7970fa55b69870663c4c');

INSERT INTO conversation VALUES ('trip', 'The trip', 4), ('notes', NULL, 3), ('choir', 'Nothing yet', 0);
-- In the order in which their creators named them.
INSERT INTO member VALUES ('trip', 'bob', 0), ('trip', 'alice', 1), ('notes', 'alice', 0), ('choir', 'carol', 0),
  ('choir', 'alice', 1), ('choir', 'bob', 2);

INSERT INTO message (id, conversation, sender, role, body, reasoning, "order", at)
VALUES
  ('question', 'trip', 'bob', 'user', 'Shall we go to the lake?', NULL, 1, 1767222010000),
  ('answer', 'trip', 'alice', 'user', 'Yes, on Sunday', NULL, 2, 1767222020000),
  ('regretted', 'trip', 'alice', 'user', 'Never mind', NULL, 3, 1767222030000),
  ('route', 'trip', 'alice', 'assistant', CAST(x'4279007468652ff09f9a97' AS TEXT), 'It is the shortest.', 4,
    1767222040000),
  ('gas', 'notes', 'alice', 'user', 'Buy gas 🔥', NULL, 1, 1767222025000),
  ('rule', 'notes', 'alice', 'system', 'Be brief.', NULL, 2, 1767222050000),
  ('result', 'notes', 'alice', 'tool', '{}', NULL, 3, 1767222060000);

-- A transaction that was given up has taken a cursor with it.
INSERT INTO event (cursor, conversation, message)
VALUES (1, 'trip', NULL), (2, 'trip', 'question'), (4, 'trip', 'answer'), (5, 'notes', NULL), (6, 'notes', 'gas'),
  (7, 'trip', 'regretted'), (8, 'trip', 'route'), (9, 'notes', 'rule'), (10, 'notes', 'result'), (11, 'choir', NULL);
