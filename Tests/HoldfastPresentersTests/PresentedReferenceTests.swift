import Holdfast
import Testing

@testable import HoldfastPresenters

/// The appearance of images and videos that are elsewhere.
@Suite struct PresentedReferenceTests {
  private func reference(_ address: String) -> PresentedReference {
    PresentedReference(address, .image, "Image")
  }

  // L6.2
  @Test func `a tile has the name of the file, or else the host`() {
    let file = reference("https://pictures.example.org/2024/the%20harbour.jpg?size=large")
    #expect((file.name, file.host ?? "") == ("the harbour.jpg", "pictures.example.org"))
    let page = reference("https://example.org/watch?v=1")
    #expect(page.name == "example.org")
    #expect(page.host == nil)
    #expect(reference("https://example.org").name == "example.org")
    #expect(reference("https://example.org/").name == "example.org")
    #expect(reference("photos/harbour.jpg").name == "harbour.jpg")
    #expect(reference("asset-7").name == "asset-7")
    #expect(reference("data:image/png;base64,AAAA").name == "image/png")
  }

  @Test func `only an address in the web can be opened`() {
    #expect(PresentedReference.isWeb("https://example.org/a.jpg"))
    #expect(PresentedReference.isWeb("HTTP://example.org/a.jpg"))
    for other in ["javascript:alert(1)", "data:text/html,a", "file:///a.jpg", "a.jpg", "", "https:"] {
      #expect(!PresentedReference.isWeb(other), "\(other)")
    }
  }

  @Test func `images come before videos`() {
    let all = PresentedReference.all(in: MessageContent("", images: ["a", "b"], videos: ["c"])) {
      $0 == .image ? "Image" : "Video"
    }
    #expect(all.map(\.address) == ["a", "b", "c"])
    #expect(all.map(\.kind) == [.image, .image, .video])
    #expect(all.map(\.label) == ["Image", "Image", "Video"])
  }
}
