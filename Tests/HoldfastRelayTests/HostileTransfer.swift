import Foundation

@testable import HoldfastCore

/// Invalid frames about attachments, named by their defect. The file `own` has 3 bytes and is being uploaded. The
/// server was asked how many it has. The file `theirs` has 6 bytes, and was requested from its beginning.
enum HostileTransfer {
  static let own = ChatAttachment.Checksum(SHA256Sum(of: Data("own".utf8))).rawValue
  static let theirs = ChatAttachment.Checksum(SHA256Sum(of: Data("theirs".utf8))).rawValue

  private static let unknown = String(repeating: "0", count: 64)
  private static let huge = #""\#(String(repeating: "x", count: 4 << 20))""#

  private static func uploaded(_ checksum: String = own, bytes: String) -> String {
    #"{"type":"uploaded","checksum":"\#(checksum)","bytes":\#(bytes)}"#
  }

  private static func data(
    _ checksum: String = theirs, offset: String = "0", total: String = "6", data: String
  ) -> String {
    #"{"type":"data","checksum":"\#(checksum)","offset":\#(offset),"total":\#(total),"data":\#(data)}"#
  }

  private static func refused(
    _ type: String, _ checksum: String, code: String = #""busy""#, explanation: String = #""No.""#,
    more: String = ""
  ) -> String {
    #"{"type":"\#(type)","checksum":"\#(checksum)","code":\#(code),"explanation":\#(explanation)\#(more)}"#
  }

  private static func base64(_ text: String) -> String { #""\#(Data(text.utf8).base64EncodedString())""# }

  static let withoutEffect: [HostileFrame] = wrongTypes + absurdUploads + absurdData + absurdRefusals

  private static let wrongTypes = [
    HostileFrame("no fields", #"{"type":"uploaded"}"#),
    HostileFrame("data without fields", #"{"type":"data"}"#),
    HostileFrame("a refusal without fields", #"{"type":"uploadRefused"}"#, #"{"type":"fetchRefused"}"#),
    HostileFrame("bytes that are a text", uploaded(bytes: #""3""#)),
    HostileFrame("bytes with a fraction", uploaded(bytes: "2.5")),
    HostileFrame("bytes beyond 64 bits", uploaded(bytes: "9223372036854775808")),
    HostileFrame("bytes that are nothing", uploaded(bytes: "null")),
    HostileFrame("a checksum that is a number", #"{"type":"uploaded","checksum":7,"bytes":3}"#),
    HostileFrame("a checksum that is nothing", #"{"type":"fetchRefused","checksum":null,"code":"busy"}"#),
    HostileFrame("data that is no base64", data(data: #""%%%""#)),
    HostileFrame("data that is a list", data(data: "[116,104]")),
    HostileFrame("data that is nothing", data(data: "null")),
    HostileFrame("an offset that is a text", data(offset: #""0""#, data: base64("theirs"))),
    HostileFrame("a total beyond 64 bits", data(total: "9223372036854775808", data: base64("theirs"))),
    HostileFrame("an unknown code", refused("uploadRefused", own, code: #""bored""#)),
    HostileFrame("a code that is a number", refused("fetchRefused", theirs, code: "7")),
  ]

  private static let absurdUploads = [
    HostileFrame("less than nothing", uploaded(bytes: "-1"), uploaded(bytes: "-9223372036854775808")),
    HostileFrame("more than there is", uploaded(bytes: "4"), uploaded(bytes: "9223372036854775807")),
    HostileFrame("nothing, without end", frames: Array(repeating: uploaded(bytes: "0"), count: 50)),
    HostileFrame("of what was not sent", uploaded(theirs, bytes: "6"), uploaded(unknown, bytes: "3")),
    HostileFrame(
      "of what is no attachment", uploaded("", bytes: "3"), uploaded("../../store.sqlite", bytes: "3")),
    HostileFrame("of a huge name", #"{"type":"uploaded","checksum":\#(huge),"bytes":3}"#),
  ]

  private static let absurdData = [
    HostileFrame("another place", data(offset: "3", data: base64("irs"))),
    HostileFrame("before the beginning", data(offset: "-1", data: base64("theirs"))),
    HostileFrame("behind the end", data(offset: "6", data: base64("x"))),
    HostileFrame(
      "the ends of numbers", data(offset: "9223372036854775807", data: base64("theirs")),
      data(offset: "-9223372036854775808", data: base64("theirs"))),
    HostileFrame("another size", data(total: "7", data: base64("theirs"))),
    HostileFrame("a size below nothing", data(total: "-1", data: base64("theirs"))),
    HostileFrame("the greatest size", data(total: "9223372036854775807", data: base64("theirs"))),
    HostileFrame("more than is left", data(data: base64("theirs!"))),
    HostileFrame("far more than is left", data(data: huge.replacingOccurrences(of: "x", with: "A"))),
    HostileFrame("no bytes, without end", frames: Array(repeating: data(data: #""""#), count: 50)),
    HostileFrame("other bytes", frames: Array(repeating: data(data: base64("thefts")), count: 5)),
    HostileFrame(
      "the end before the beginning", data(offset: "3", data: base64("irs")), data(data: base64("xxx"))),
    HostileFrame("what was not asked for", data(own, total: "3", data: base64("own"))),
    HostileFrame("what nobody knows", data(unknown, data: base64("theirs"))),
    HostileFrame(
      "what is no attachment", data("", data: base64("theirs")),
      data("../../store.sqlite", data: base64("theirs")), data(theirs + ".part", data: base64("theirs")),
      data(theirs.uppercased(), data: base64("theirs"))),
  ]

  private static let absurdRefusals = [
    HostileFrame(
      "of what was not sent", refused("uploadRefused", theirs, code: #""tooLarge""#),
      refused("uploadRefused", unknown, code: #""unknown""#),
      refused("uploadRefused", "", code: #""unknown""#)),
    HostileFrame(
      "of what was not asked for", refused("fetchRefused", own, code: #""unknown""#),
      refused("fetchRefused", unknown, code: #""malformed""#)),
    HostileFrame(
      "an absurd wait", refused("uploadRefused", own, more: #","retryAfter":9223372036854775807"#),
      refused("fetchRefused", theirs, more: #","retryAfter":-9223372036854775808"#)),
    HostileFrame("another checksum, once", refused("uploadRefused", own, code: #""wrongChecksum""#)),
    HostileFrame(
      "in huge words",
      refused("fetchRefused", theirs, code: #""unknown""#, explanation: huge)),
  ]

  /// Valid frames that look like those above. Each must change something. Otherwise the tables would prove nothing.
  static let welcome = [
    HostileFrame("the bytes", data(data: base64("theirs"))),
    HostileFrame("a refusal", refused("uploadRefused", own, code: #""tooLarge""#)),
    HostileFrame(
      "a refusal in huge words", refused("uploadRefused", own, code: #""tooLarge""#, explanation: huge)),
  ]

  private static func news(_ attachments: String) -> String {
    #"{"type":"events","after":1,"cursor":2,"more":false,"items":[{"message":{"id":"new","conversation":"alice-bob","#
      + #""sender":"bob","role":"user","body":"","order":2,"at":1767225600000,"attachments":\#(attachments)}}]}"#
  }

  private static func item(
    checksum: String = unknown, name: String = #""a.txt""#, mediaType: String = #""text/plain""#,
    bytes: String = "6"
  ) -> String {
    #"{"checksum":"\#(checksum)","name":\#(name),"mediaType":\#(mediaType),"bytes":\#(bytes)}"#
  }

  static let absurdAttachments = [
    HostileFrame("attachments that are none", news("{}")), HostileFrame("null among them", news("[null]")),
    HostileFrame("one without fields", news("[{}]")),
    HostileFrame(
      "checksums that are none",
      news(
        "[\(["", "../../store.sqlite", "AB", "\(own)x"].map { item(checksum: $0) }.joined(separator: ","))]")),
    HostileFrame("a way through folders", news("[\(item(name: #""../../../etc/passwd""#))]")),
    HostileFrame("control characters", news("[\(item(name: #""a\u0000\n\u202e/b\u0007.txt""#))]")),
    HostileFrame("an endless name", news("[\(item(name: huge))]")),
    HostileFrame(
      "an invalid media type", news("[\(item(mediaType: #""<script>""#)),\(item(mediaType: huge))]")),
    HostileFrame(
      "sizes that are none", news("[\(item(bytes: "-1")),\(item(bytes: "9223372036854775807"))]")),
    HostileFrame("one's own, with another size", news("[\(item(checksum: own, bytes: "9"))]")),
    HostileFrame(
      "one of them many times", news("[\(Array(repeating: item(), count: 50).joined(separator: ","))]")),
    HostileFrame(
      "five thousand of them",
      news(
        "[\((0..<5_000).map { item(checksum: String(repeating: "0", count: 60) + String(1_000 + $0), bytes: "99999999") }.joined(separator: ","))]"
      )),
  ]
}

extension HostileFrame {
  fileprivate init(_ name: String, frames: [String]) {
    self.init(name)
    self.frames = frames.map { Data($0.utf8) }
  }
}
