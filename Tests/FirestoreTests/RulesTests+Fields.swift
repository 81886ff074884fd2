#if Firestore
  import Foundation

  /// Attacks by what a document contains, and by a conversation that has ended. Each kind of attack has several inputs.
  extension RulesTests {
    /// Fields of another type or size than the engine's, in a new message.
    private static let oversizedValues: [(name: String, value: [String: Writes.Value])] = [
      ("a document of 990 KB", ["reasoning": .text(text(990_000))]),
      ("a text of 4-byte characters that is too long", ["text": .text(text(25_001, of: "👍"))]),
      ("a text that is a number", ["text": .number(1)]), ("no text at all", ["text": .null]),
      ("formatting that is too large", ["formatting": .data(Data(count: 100_001))]),
      ("formatting that is a text", ["formatting": .text("bold")]),
      ("formatting that is null", ["formatting": .null]),
      ("reasoning that is too long", ["reasoning": .text(text(50_001, of: "é"))]),
      ("reasoning that is a map", ["reasoning": .map(["text": .text("so")])]),
      ("metadata that is too large", ["metadata": .data(Data(count: 65_537))]),
      ("metadata that is a map", ["metadata": .map(["model": .text("m")])]),
      ("metadata that is a list", ["metadata": .list([.data(Data(count: 9))])]),
      ("33 images", ["images": .texts(Array(repeating: "i", count: 33))]),
      ("an image of 2,049 bytes", ["images": .texts(["i", text(2_049)])]),
      ("an image of 2,052 bytes in 513 characters", ["images": .texts([text(513, of: "👍")])]),
      ("an image without a name", ["images": .texts(["i", "", "j"])]),
      ("images that are maps", ["images": .list([.map(["url": .text("i")])])]),
      ("images that are numbers", ["images": .list([.text("i"), .number(1)])]),
      ("an image that is data", ["images": .list([.data(Data(count: 9))])]),
      ("an image with a byte 0", ["images": .texts(["i\0j"])]),
      ("images that are a text", ["images": .text("i")]),
      ("33 videos", ["videos": .texts(Array(repeating: "v", count: 33))]),
      ("a video without a name", ["videos": .texts([""])]),
      ("a video of 2,049 bytes", ["videos": .texts([text(2_049)])]),
      ("a video that is null", ["videos": .list([.null])]),
      ("an answer to an ID of 256 bytes", ["replyTo": .text(text(256))]),
      ("an answer to an ID without bytes", ["replyTo": .text("")]),
      ("an answer to an ID of two lines", ["replyTo": .text("a\nb")]),
      ("an answer to a number", ["replyTo": .number(7)]),
      ("a request of 256 bytes in 128 characters", ["request": .text(text(128, of: "é"))]),
      ("a request with a control character", ["request": .text("a\u{7F}")]),
      ("a request that is a list", ["request": .texts(["r"])]),
      ("a number in a commit that is not one", ["n": .number(128)]),
      ("a negative number in a commit", ["n": .number(-1)]), ("a fraction", ["n": .fraction(0.5)]),
      ("a role that is a list", ["role": .texts(["user"])]),
      ("a role that is a number", ["role": .number(1)]),
      ("a role that is null", ["role": .null]),
      ("an assistant without a name", ["sender": .text("bob/assistant/")]),
      ("an assistant of 65 bytes", ["sender": .text("bob/assistant/" + text(65))]),
      ("an assistant's assistant", ["sender": .text("bob/assistant/a/assistant/b")]),
      ("a conversation inside another one", ["conversation": .text("club/messages/m1")]),
      ("a conversation that is a list", ["conversation": .texts(["club"])]),
      ("a conversation in another form", ["conversation": .text("clu%62")]),
      ("members that are a text", ["members": .text("bob")]),
      ("members in another order", ["members": .texts(["bob", "alice"])]),
      ("a member twice", ["members": .texts(club + ["bob"])]),
    ]

    static let oversized: [Attack] =
      oversizedValues.map { name, fields in
        .write("bob", "writes \(name)") {
          $0.message("big", in: "club", from: "bob", to: club, with: fields)
        }
      }
      + [
        .write("bob", "writes a message whose ID has 256 bytes") {
          $0.message(text(256), in: "club", from: "bob", to: club)
        },
        .write("bob", "writes a message whose ID has 256 bytes before it was escaped") {
          $0.message(text(256, of: "%2F"), in: "club", from: "bob", to: club)
        },
        .write("bob", "writes a message whose ID has two lines") {
          $0.message("a\nb", in: "club", from: "bob", to: club)
        },
      ]

    /// The same in an edit.
    private static let oversizedEditsValues: [(name: String, value: [String: Writes.Value])] = [
      ("990 KB of reasoning", ["reasoning": .text(text(990_000))]),
      ("a text of 100,001 bytes", ["text": .text(text(100_001))]), ("a number", ["text": .number(1)]),
      ("formatting that is too large", ["formatting": .data(Data(count: 100_001))]),
      ("formatting that is a flag", ["formatting": .flag(true)]),
      ("metadata that is too large", ["metadata": .data(Data(count: 65_537))]),
      ("metadata that is a text", ["metadata": .text("m")]),
      ("33 images", ["images": .texts(Array(repeating: "i", count: 33))]),
      ("images that are maps", ["images": .list([.map([:])])]),
      ("a video of 2,049 bytes", ["videos": .texts([text(2_049)])]),
      ("another answered message", ["replyTo": .text("m1")]), ("another request", ["request": .text("r")]),
      ("another number in its commit", ["n": .number(1)]),
    ]

    static let oversizedEdits: [Attack] =
      oversizedEditsValues.map { name, fields in
        .write("bob", "edits his message to \(name)") {
          $0.write(
            "messages", "m2", fields, mask: Array(fields.keys), times: ["editedAt", "changedAt"])
        }
      }

    private static let reactionsValues: [(name: String, value: Writes.Value)] = [
      ("a map", .list([.map(["value": .text("👍")])])), ("a number", .list([.number(1)])),
      ("null", .list([.null])), ("a flag", .list([.flag(true)])), ("data", .list([.data(Data([1]))])),
      ("a list in a list's place", .map(["0": .text("👍")])), ("a text without a list", .text("👍")),
      ("a text and a map", .list([.text("👍"), .map([:])])),
      ("nothing", .texts([""])), ("nothing among others", .texts(["👍", "", "🎉"])),
      ("65 bytes", .texts([text(65)])), ("68 bytes in 17 characters", .texts([text(17, of: "👍")])),
      ("66 bytes in 33 characters", .texts(["ok", text(33, of: "é")])),
      ("two lines", .texts(["a\nb"])), ("a byte 0", .texts(["a\0b"])), ("DEL", .texts(["\u{7F}"])),
      ("a control character of two bytes", .texts(["a\u{85}"])),
      ("the same twice", .texts(["👍", "🎉", "👍"])),
      ("21 values", .texts((0..<21).map { "\($0)" })), ("1,000 values", .texts((0..<1_000).map { "\($0)" })),
      ("900 KB", .texts([text(900_000)])),
    ]

    static let reactions: [Attack] =
      reactionsValues.map { name, value in
        .write("bob", "reacts with \(name)") { $0.reactions("m1", of: "bob", value) }
      }

    /// Members that the relay would not take.
    private static let crowdsValues: [(name: String, value: Writes.Value)] = [
      ("1,001 members", .texts(["bob"] + (0..<1_000).map { "stranger-\($0)" })),
      ("a member of 256 bytes", .texts(["bob", text(256)])),
      (
        "1,000 members, the last of 260 bytes",
        .texts(["bob"] + (0..<998).map(String.init) + [text(65, of: "👍")])
      ),
      ("a member without a name", .texts(["bob", ""])), ("a member of two lines", .texts(["bob", "a\nb"])),
      ("a member with a byte 0", .texts(["bob", "a\0b"])), ("himself twice", .texts(["bob", "bob"])),
      ("a stranger twice", .texts(["bob", "dave", "carol", "dave"])),
      ("a number", .list([.text("bob"), .number(1)])), ("a map", .list([.text("bob"), .map([:])])),
      ("members that are a map", .map(["bob": .flag(true)])), ("himself as a text", .text("bob")),
      ("nobody", .list([])),
    ]

    static let crowds: [Attack] =
      crowdsValues.map { name, members in
        .write("bob", "makes a conversation of \(name)") {
          $0.write("conversations", "crowd", ["members": members], times: ["createdAt", "changedAt"])
        }
      }
      + titles.map { name, id, title in
        .write("bob", "makes a conversation with \(name)") {
          $0.write(
            "conversations", id, ["members": .texts(club), "title": title], times: ["createdAt", "changedAt"])
        }
      }

    private static let titles: [(name: String, id: String, title: Writes.Value)] = [
      ("a title of 1,001 bytes", "crowd", .text(text(1_001))),
      ("a title of 1,004 bytes in 251 characters", "crowd", .text(text(251, of: "👍"))),
      ("a title that is a map", "crowd", .map([:])), ("no title", "crowd", .null),
      ("an ID of 256 bytes", text(256), .text("t")), ("an ID of two lines", "a\nb", .text("t")),
      ("an ID of 257 bytes before it was escaped", text(257, of: "%25"), .text("t")),
    ]

    /// Changes in a conversation that has a refusal, or was removed.
    static let ended: [Attack] =
      ["closed", "removed"].flatMap(changes)
      + [
        .write("bob", "marks a removed conversation as read") { $0.mark("removed", "bob", 9, to: club) },
        .write("alice", "marks a removed conversation again") { $0.mark("removed", "alice", 9, to: club) },
        .write("alice", "repeats her mark of a removed conversation") {
          $0.mark("removed", "alice", 5, to: club)
        },
      ]

    private static func changes(in place: String) -> [Attack] {
      [
        .write("bob", "edits in a \(place) conversation") { $0.edit("\(place)-1", "again") },
        .write("bob", "edits with its members in a \(place) conversation") {
          $0.write(
            "messages", "\(place)-1", ["text": .text("again"), "members": .texts(club)],
            mask: ["text", "members"], times: ["editedAt", "changedAt"])
        },
        .write("bob", "gives reasoning in a \(place) conversation") {
          $0.write(
            "messages", "\(place)-1", ["reasoning": .text("so")], mask: ["reasoning"],
            times: ["editedAt", "changedAt"])
        },
        .write("bob", "deletes in a \(place) conversation") { $0.deletion("\(place)-1") },
        .write("bob", "reacts in a \(place) conversation") { $0.reaction("\(place)-1", from: "bob") },
        .write("alice", "reacts to bob in a \(place) conversation") {
          $0.reactions("\(place)-1", of: "alice", .texts(["👍", "🎉"]))
        },
        .write("alice", "takes her reaction back in a \(place) conversation") {
          $0.write(
            "messages", "\(place)-1", [:], mask: [], times: ["changedAt"], removes: ("reactions.alice", "✋"))
        },
      ]
    }

    /// Deletions that leave something.
    private static let deletions: [(name: String, fields: [String: Writes.Value], mask: [String])] = [
      ("the text alone", [:], []), ("all but its metadata", [:], allBut("metadata")),
      ("all but its images", [:], allBut("images")),
      ("all but its videos", [:], allBut("videos")),
      ("all but its reasoning", [:], allBut("reasoning")),
      ("all but its formatting", [:], allBut("formatting")),
      ("all but what it answers", [:], allBut("replyTo")),
      ("all but its request", [:], allBut("request")),
      ("all but its reactions", [:], allBut("reactions")),
      ("and fills it again", ["text": .text("back")], emptied),
      ("and gives it other metadata", ["metadata": .data(Data([7]))], emptied),
      ("and gives it images", ["images": .texts(["i"])], emptied),
      ("and gives it a list of no images", ["images": .list([])], emptied),
      ("and reacts", ["reactions": .map(["bob": .texts(["👍"])])], emptied),
      ("and moves it", ["conversation": .text("other")], emptied + ["conversation"]),
      ("and numbers it anew", ["n": .number(5)], emptied + ["n"]),
      ("and adds a field", ["note": .text("still here")], emptied + ["note"]),
    ]

    private static func allBut(_ field: String) -> [String] { emptied.filter { $0 != field } }

    static let fullDeletions: [Attack] =
      deletions.map { name, fields, mask in
        .write("bob", "deletes \(name)") {
          $0.write(
            "messages", "full", fields.merging(["text": .text("")]) { given, _ in given },
            mask: ["text"] + mask,
            times: ["deletedAt", "changedAt"])
        }
      }
      + [
        .write("bob", "deletes with a time of his own") {
          $0.write(
            "messages", "full", ["text": .text(""), "deletedAt": .time("2020-01-01T00:00:00Z")],
            mask: ["text", "deletedAt"] + emptied, times: ["changedAt"])
        }
      ]

    static let emptied = [
      "formatting", "reasoning", "replyTo", "request", "metadata", "images", "videos", "reactions",
    ]

    /// Marks under an ID that is, or could be read as, another one's.
    static let marks: [Attack] = [
      .write("c", "marks a~b under an ID of two readings") {
        $0.mark("a~b", "c", 9, to: ["bob", "c"], id: "a~b~c")
      },
      .write("b~c", "marks a under an ID of two readings") {
        $0.mark("a", "b~c", 9, to: ["bob", "b~c"], id: "a~b~c")
      },
      .write("c", "marks a~b under the ID of b~c's mark") {
        $0.mark("a~b", "c", 9, to: ["bob", "c"], id: "a~b%7Ec")
      },
      .write("b~c", "marks a under the ID of c's mark") {
        $0.mark("a", "b~c", 9, to: ["bob", "b~c"], id: "a%7Eb~c")
      },
      .write("c", "escapes a letter in the ID of a mark") {
        $0.mark("a~b", "c", 9, to: ["bob", "c"], id: "a%7Eb~%63")
      },
      .write("c", "escapes in small letters") { $0.mark("a~b", "c", 9, to: ["bob", "c"], id: "a%7eb~c") },
      .write("bob", "marks beyond all orders") { $0.mark("club", "bob", 1 << 60, to: club) },
      .write("bob", "marks before all orders") { $0.mark("club", "bob", -1, to: club) },
      .write("bob", "marks in another conversation's form") { $0.mark("clu%62", "bob", 9, to: club) },
      .write("bob", "marks a message whose ID is too long") {
        $0.mark("club", "bob", 9, to: club, with: ["message": .text(text(256))])
      },
      .write("bob", "marks a message without an ID") {
        $0.mark("club", "bob", 9, to: club, with: ["message": .text("")])
      },
      .write("bob", "marks a number") { $0.mark("club", "bob", 9, to: club, with: ["message": .number(1)]) },
      .write("bob", "marks with an order that is a fraction") {
        $0.mark("club", "bob", 9, to: club, with: ["order": .fraction(9.5)])
      },
      .write("bob", "marks for rita, who was removed") { $0.mark("club", "bob", 9, to: club + ["rita"]) },
      .write("bob", "hides a text in his mark") {
        $0.mark("club", "bob", 9, to: club, with: ["note": .text("psst")])
      },
    ]

    /// Changes of messages that name rita and would go on doing so.
    static let stale: [Attack] = [
      .write("alice", "edits a message that names rita, and leaves her there") {
        $0.edit("old", "without her")
      },
      .write("alice", "edits it, and names rita anew") {
        $0.write(
          "messages", "old", ["text": .text("x"), "members": .texts(["rita"] + club)],
          mask: ["text", "members"],
          times: ["editedAt", "changedAt"])
      },
      .write("alice", "edits it, and names herself alone") {
        $0.write(
          "messages", "old", ["text": .text("x"), "members": .texts(["alice"])], mask: ["text", "members"],
          times: ["editedAt", "changedAt"])
      },
      .write("alice", "edits it, and names nobody") {
        $0.write(
          "messages", "old", ["text": .text("x")], mask: ["text", "members"],
          times: ["editedAt", "changedAt"])
      },
      .write("alice", "deletes it, and leaves rita there") { $0.deletion("old") },
      .write("bob", "reacts to it, and leaves rita there") { $0.reaction("old", from: "bob") },
      .write("bob", "reacts to it, and names mallory") {
        $0.reactions("old", of: "bob", .texts(["👍"]), members: club + ["mallory"])
      },
    ]

    static func text(_ count: Int, of piece: String = "a") -> String {
      String(repeating: piece, count: count)
    }

    /// What the attacks need, past the rules.
    static func prepareFields(_ writes: Writes) async throws {
      let hand = Writes.Value.map(["alice": .texts(["✋"])])
      try await writes.emulator.commit(
        [
          writes.message("closed-1", in: "closed", from: "bob", to: club, with: ["reactions": hand]),
          writes.message("removed-1", in: "removed", from: "bob", to: club, with: ["reactions": hand]),
          writes.mark("closed", "alice", 5, to: club), writes.mark("removed", "alice", 5, to: club),
          writes.conversation("a~b", ["bob", "c"]), writes.conversation("a", ["bob", "b~c"]),
          writes.message(
            "full", in: "club", from: "bob", to: club,
            with: [
              "formatting": .data(Data([1])), "metadata": .data(Data([2])), "reasoning": .text("so"),
              "replyTo": .text("m1"), "request": .text("r"), "images": .texts(["i"]), "videos": .texts(["v"]),
              "reactions": .map(["alice": .texts(["👍"])]),
            ]),
        ])
    }

    /// The counterparts: what the same accounts may write.
    static func allowed(_ writes: Writes) -> [(account: String, name: String, write: Data)] {
      let crowd = ["bob"] + (0..<999).map { "\($0)".padding(toLength: 255, withPad: "m", startingAt: 0) }
      let longest = text(255)
      let escaped = "%2F" + text(254)
      return [
        ("bob", "all fields at their limits", writes.largest("largest", in: "club", from: "bob", to: club)),
        ("bob", "the same again, edited", writes.edit("largest", text(25_000, of: "👍"))),
        ("alice", "one reaction", writes.reaction("largest", from: "alice")),
        (
          "bob", "no lists and no data",
          writes.message(
            "empty", in: "club", from: "bob", to: club, "",
            with: [
              "images": .list([]), "videos": .list([]), "formatting": .data(Data()),
              "metadata": .data(Data()),
              "reasoning": .text(""),
            ])
        ),
        ("bob", "an ID of 255 bytes", writes.message(longest, in: "club", from: "bob", to: club)),
        ("bob", "an escaped ID", writes.message(escaped, in: "club", from: "bob", to: club)),
        (
          "bob", "an assistant of 64 bytes",
          writes.message("assistant", in: "club", from: "bob/assistant/" + text(16, of: "👍"), to: club)
        ),
        (
          "bob", "20 reactions at their limit",
          writes.reactions("m1", of: "bob", .texts((10..<30).map { "\($0)ab" + text(15, of: "👍") }))
        ),
        ("bob", "one reaction less", writes.reactions("m1", of: "bob", .texts(["❤️", "❤", "👨‍👩‍👧‍👦"]))),
        ("bob", "no reaction", writes.reactions("m1", of: "bob", .list([]))),
        ("bob", "a conversation of 1,000 members", writes.conversation("crowd", crowd)),
        ("bob", "a message to 1,000 members", writes.largest("to all", in: "crowd", from: "bob", to: crowd)),
        (
          "bob", "a conversation of himself", writes.conversation(longest, ["bob"], title: text(250, of: "👍"))
        ),
        ("bob", "a message in it", writes.message("noted", in: longest, from: "bob", to: ["bob"])),
        ("bob", "a mark in it", writes.mark(longest, "bob", 1, to: ["bob"])),
        (
          "alice", "a mark at the largest order",
          writes.mark("club", "alice", (1 << 60) - 1, to: club, with: ["message": .text(longest)])
        ),
        ("bob", "a mark in a closed conversation", writes.mark("closed", "bob", 9, to: club)),
        ("alice", "a later mark in a closed conversation", writes.mark("closed", "alice", 9, to: club)),
        ("c", "a mark of c in a~b", writes.mark("a~b", "c", 9, to: ["bob", "c"], id: "a%7Eb~c")),
        ("b~c", "a mark of b~c in a", writes.mark("a", "b~c", 9, to: ["bob", "b~c"], id: "a~b%7Ec")),
        (
          "alice", "an edit that names the present members",
          writes.write(
            "messages", "old", ["text": .text("without her"), "members": .texts(club)],
            mask: ["text", "members"],
            times: ["editedAt", "changedAt"])
        ),
        (
          "bob", "a deletion of all",
          writes.write(
            "messages", "full", ["text": .text("")], mask: ["text"] + emptied,
            times: ["deletedAt", "changedAt"])
        ),
      ]
    }
  }
#endif
