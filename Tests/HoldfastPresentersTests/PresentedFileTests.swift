import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastPresenters

/// The appearance of an attachment.
@Suite struct PresentedFileTests {
  private static let here = URL(filePath: "/files/1")

  private func file(
    _ mediaType: String, _ state: AttachmentRow.State, fraction: Double? = nil, at file: URL? = here
  ) -> PresentedFile {
    let attachment = ChatAttachment(
      checksum: ChatAttachment.Checksum(rawValue: String(repeating: "a", count: 64)), name: "harbour.png",
      mediaType: mediaType, byteCount: 7)
    return PresentedFile(AttachmentRow(attachment: attachment, state: state, fraction: fraction, file: file))
  }

  @Test func `a picture that is here is drawn, and what may be a program is not`() {
    #expect(file("image/png", .here).picture == Self.here)
    #expect(file("image/png", .remote, at: nil).picture == nil)
    #expect(file("image/svg+xml", .here).picture == nil)
    #expect(file("text/html", .here).picture == nil)
    #expect(file("image/png", .here).name == "harbour.png")
  }

  @Test func `what is under way says how far it has come, and what is on the server alone is offered`() {
    #expect(file("image/png", .uploading, fraction: 0.4).fraction == 0.4)
    #expect(file("image/png", .remote, at: nil).offersDownload)
    #expect(!file("image/png", .downloading, fraction: 0.1, at: nil).offersDownload)
    #expect(!file("image/png", .here).offersDownload)
  }
}
