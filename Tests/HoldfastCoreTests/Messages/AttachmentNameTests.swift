import Testing

@testable import HoldfastCore

@Suite struct AttachmentNameTests {
  @Test(arguments: [
    ("cat.png", "cat.png"), ("../../etc/passwd", "passwd"), (#"C:\pictures\cat.png"#, "cat.png"),
    ("", "file"),
    (".", "file"), ("..", "file"), ("/", "file"), ("a/", "a"), ("a\u{0}b\nc", "abc"),
    ("\u{202E}gnp.exe", "gnp.exe"),
    ("  cat.png ", "cat.png"), ("..\u{2F}\u{338}x", "\u{338}x"), ("👩‍👩‍👧.png", "👩‍👩‍👧.png"),
  ])
  func `a name leads nowhere and shows what it is`(raw: String, name: String) {
    #expect(AttachmentName.sanitized(raw) == name)
  }

  @Test func `a long name is cut at a character, in front of its extension`() {
    let name = AttachmentName.sanitized(String(repeating: "ü", count: 200) + ".jpeg")
    #expect(name.utf8.count <= 255)
    #expect(name.hasSuffix("ü.jpeg"))
    #expect(AttachmentName.sanitized("x." + String(repeating: "y", count: 300)).utf8.count == 255)
    #expect(AttachmentName.sanitized("e" + String(repeating: "\u{301}", count: 200)) == "file")
  }

  @Test(arguments: ["image/png", "IMAGE/PNG", "application/vnd.ms-excel", "image/svg+xml", "x/1"])
  func `a media type is two names`(_ type: String) {
    #expect(MediaType.normalized(type) == type.lowercased())
  }

  @Test(arguments: [
    "", "image", "image/", "/png", "image/png/x", "image/png; a=b", "image /png", "image/pñg", "-a/b",
    "a/b\n",
    "a/" + String(repeating: "b", count: 128),
  ])
  func `anything else is not a type`(_ type: String) {
    #expect(MediaType.normalized(type) == nil)
  }

  @Test(arguments: [
    ("cat.PNG", "image/png"), ("cat", "application/octet-stream"), ("a.b.pdf", "application/pdf"),
    ("x.unheard", "application/octet-stream"),
  ])
  func `the extension decides the media type when nothing else does`(name: String, type: String) {
    #expect(MediaType.guessed(from: name) == type)
  }
}
