import Holdfast
import Testing

@testable import holdfast_lab

@Suite struct DraftSeriesTests {
  private func typed(_ texts: String...) -> DraftSeries {
    var series = DraftSeries()
    for text in texts {
      series.type(text, at: .zero)
      series.typed(at: .zero)
    }
    return series
  }

  @Test func `before anything is known to be stored, each of the texts may come back`() {
    var series = typed("He", "Hello")
    #expect(series.candidates == ["", "He", "Hello"])
    series.end(at: .seconds(1))
    let mayBe = series.restore("He")
    #expect(mayBe)
    #expect(series.candidates == ["He"])
    let mayBeAnother = series.restore("Hello")
    #expect(!mayBeAnother)
  }

  @Test func `a text that was saved, or left alone for long enough, comes back`() {
    var saved = typed("He", "Hello")
    saved.stored()
    #expect(saved.candidates == ["Hello"])
    var alone = typed("He", "Hello")
    alone.end(at: DraftSeries.grace)
    #expect(alone.candidates == ["Hello"])
    var typedOn = typed("He", "Hello")
    typedOn.type("Hello!", at: DraftSeries.grace)
    #expect(typedOn.candidates == ["Hello", "Hello!"])
  }

  @Test func `a text that the phone has not said it took is not stored, however long ago it left`() {
    var series = DraftSeries()
    series.type("Hello", at: .zero)
    series.end(at: .seconds(60))
    #expect(series.candidates == ["", "Hello"])
  }

  @Test func `a process that is stopped stores nothing`() {
    var killed = typed("Hello")
    killed.stop(at: .seconds(1))
    killed.end(at: .seconds(60))
    #expect(killed.candidates == ["", "Hello"])
    var goesOn = typed("Hello")
    goesOn.stop(at: .seconds(1))
    goesOn.resume(at: .seconds(60))
    goesOn.end(at: .seconds(61))
    #expect(goesOn.candidates == ["", "Hello"])
    var stored = typed("Hello")
    stored.stop(at: DraftSeries.grace)
    #expect(stored.candidates == ["Hello"])
  }

  @Test func `after a send only an empty composer comes back, and before its answer either does`() {
    var series = typed("He")
    series.send("Hello", at: .zero)
    #expect(series.candidates == ["", "He", "Hello", ""])
    series.sent()
    #expect(series.candidates == [""])
    let mayBe = series.restore("Hello")
    #expect(!mayBe)
  }

  @Test func `a text that could not be sent is still in the composer`() {
    var series = DraftSeries()
    series.send("Hello", at: .zero)
    series.refused()
    #expect(series.candidates == ["", "Hello"])
  }
}
