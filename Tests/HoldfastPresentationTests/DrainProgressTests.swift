import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

/// The transitions of ``DrainProgress``.
@Suite struct DrainProgressTests {
  private func progress(
    _ steps: [(link: Connectivity, waiting: Int, delivered: Int, now: Duration)]
  ) -> DrainProgress {
    var progress = DrainProgress()
    for step in steps {
      progress.update(link: step.link, waiting: step.waiting, delivered: step.delivered, now: step.now)
    }
    return progress
  }

  // O5.7
  @Test func `nothing -> sending when 20 wait online`() {
    #expect(progress([(.online, 19, 0, .zero)]).shown == nil)
    #expect(progress([(.reconnecting, 500, 0, .zero)]).shown == nil)
    #expect(progress([(.online, 20, 7, .zero)]).shown == ConnectionBanner.Progress(sent: 0, total: 20))
  }

  // O5.7
  @Test func `sending counts along, and grows when more is sent meanwhile`() {
    let shown = progress([
      (.online, 120, 5, .zero), (.online, 84, 41, .seconds(1)), (.online, 90, 41, .seconds(2)),
    ]).shown
    #expect(shown == ConnectionBanner.Progress(sent: 36, total: 126))
    #expect(shown?.text == "Sending 37 of 126")
  }

  // O5.7
  @Test func `sending -> nothing when all are out, or the link is lost`() {
    #expect(progress([(.online, 120, 0, .zero), (.online, 0, 120, .seconds(1))]).shown == nil)
    #expect(progress([(.online, 120, 0, .zero), (.offline, 84, 36, .seconds(1))]).shown == nil)
    let again = progress([
      (.online, 120, 0, .zero), (.reconnecting, 84, 36, .seconds(1)), (.online, 84, 36, .seconds(2)),
    ])
    #expect(again.shown == ConnectionBanner.Progress(sent: 0, total: 84))
  }

  // O5.7
  @Test func `sending -> nothing when none was delivered for 10 s, until one is`() {
    var progress = progress([(.online, 50, 3, .zero), (.online, 49, 4, .seconds(5))])
    #expect(progress.deadline == .seconds(15))
    progress.update(link: .online, waiting: 49, delivered: 4, now: .seconds(15))
    #expect(progress.shown == nil)
    progress.update(link: .online, waiting: 49, delivered: 4, now: .seconds(20))
    #expect(progress.shown == nil)
    progress.update(link: .online, waiting: 48, delivered: 5, now: .seconds(30))
    #expect(progress.shown == ConnectionBanner.Progress(sent: 0, total: 48))
  }

  // O5.7
  @Test func `a count that is behind for a moment is not shown, and the last one is never beyond all`() {
    let shown = progress([(.online, 30, 0, .zero), (.online, 10, 14, .zero), (.online, 1, 30, .zero)]).shown
    #expect(shown?.total == 31)
    #expect(ConnectionBanner.Progress(sent: 31, total: 31).text == "Sending 31 of 31")
  }
}
