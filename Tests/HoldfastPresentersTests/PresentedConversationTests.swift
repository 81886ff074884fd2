import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastPresenters

private typealias eg = EngineExample

/// The appearance of rows of the list, empty places and sheets (rules V2, V5).
@Suite struct PresentedConversationTests {
  private func present(_ change: (inout ConversationListSnapshot.Row) -> Void = { _ in })
    -> PresentedConversation
  {
    var row = ConversationListSnapshot.Row(
      id: "c", title: "the trip", excerpt: "By the mill", updatedAt: eg.date)
    change(&row)
    return PresentedConversation(row) { $0.english }
  }

  // H4.3
  @Test func `a row has its excerpt, and before it who says it or that it is a draft`() {
    let plain = present()
    #expect((plain.initial, plain.mark, plain.excerpt) == ("T", nil, "By the mill"))
    #expect(plain.unread == nil && plain.unsent == nil)
    let draft = present { ($0.isDraft, $0.excerptSender) = (true, .assistant("claude", of: eg.user)) }
    #expect((draft.mark, draft.isDraft) == ("Draft:", true))
    let assistants = present {
      ($0.excerptSender, $0.excerptSenderName) = (.assistant("claude", of: eg.user), "Claude")
    }
    #expect((assistants.mark, assistants.isDraft) == ("Claude:", false))
    #expect(present { $0.excerptSender = eg.other }.mark == nil)
    #expect(present { $0.title = " " }.initial == "?")
    #expect(present { $0.title = "👩‍🚀 flight" }.initial == "👩‍🚀")
  }

  // O8.6, B13.3
  @Test func `what was not read and not sent is counted, and why it cannot go is said`() {
    #expect(present { $0.unreadCount = 999 }.unread == .init(text: "999", spoken: "999 unread"))
    #expect(present { $0.unreadCount = 1_000 }.unread?.text == "999+")
    #expect(present { $0.unsentCount = 2 }.unsent == .init(text: "2", spoken: "2 not sent"))
    let refused = present { ($0.unsentCount, $0.refusal) = (2, FailureReason(.rejected, "You left.")) }
    #expect((refused.isRefused, refused.excerpt, refused.mark) == (true, "You left.", nil))
    #expect(refused.unsent == .init(text: "2", spoken: "2 not sent", isRefused: true))
    // A draft has priority over the reason why the other messages cannot be sent.
    let draft = present {
      ($0.unsentCount, $0.refusal, $0.isDraft) = (2, FailureReason(.rejected, "You left."), true)
    }
    #expect((draft.isRefused, draft.excerpt) == (false, "By the mill"))
    #expect(draft.unsent?.spoken == "2 not sent: You left.")
  }

  // V5.2, H7.5
  @Test func `a place without rows says whether it loads, has failed or is empty`() {
    func content(
      isLoading: Bool = false, problem: String? = nil, note: String? = "No messages yet",
      hasRows: Bool = false
    )
      -> PresentedContent
    {
      PresentedContent(
        isLoading: isLoading, problem: problem, note: note, hasRows: hasRows, title: .messagesUnreadable
      ) { $0.english }
    }
    let loading = content(isLoading: true, problem: "Locked.")
    #expect(loading.isLoading && loading.note == nil && loading.failure == nil)
    let failed = content(problem: "Locked.")
    #expect((failed.failure, failed.reason) == ("The messages could not be read.", "Locked."))
    #expect(failed.isAlone && failed.note == nil, "It never looks empty.")
    #expect(!content(problem: "Locked.", hasRows: true).isAlone)
    #expect(content().note == "No messages yet")
  }

  @Test func `one sheet covers a screen, and the question about waiting messages comes before what can wait`()
  {
    #expect(CoveringSheet.shown(of: []) == nil)
    #expect(CoveringSheet.shown(of: [.info, .held]) == .held)
    #expect(CoveringSheet.shown(of: [.held, .importing, .versions]) == .importing)
    #expect(CoveringSheet.shown(of: [.info, .versions, .deletion]) == .deletion)
  }
}
