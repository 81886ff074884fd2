// Six tests of ChatApp on a device or a simulator, over a relay of the same Mac:
//
//   holdfast relay --data /tmp/relay --port 8080 --account alice:a --account bob:b
#if canImport(XCTest)
  import XCTest

  @MainActor final class ChatAppUITests: XCTestCase {
    /// The app, logged in as alice, with the chat with bob open.
    private func open() -> XCUIApplication {
      let app = XCUIApplication()
      app.launch()
      for (field, text) in [("Account", "alice"), ("Token", "a")] {
        app.textFields[field].tap()
        app.textFields[field].typeText(text)
      }
      app.buttons["Log in"].tap()
      app.textFields["Write to"].tap()
      app.textFields["Write to"].typeText("bob")
      app.buttons["New chat"].tap()
      app.staticTexts["bob"].firstMatch.tap()
      return app
    }

    private func message(_ app: XCUIApplication) -> XCUIElement { app.textViews["Message"].firstMatch }

    private func see(_ text: String, in app: XCUIApplication) {
      XCTAssertTrue(app.staticTexts[text].firstMatch.waitForExistence(timeout: 10), "\(text) is missing")
    }

    func testOpens() { XCTAssertTrue(message(open()).waitForExistence(timeout: 10)) }

    func testTypesAndSends() {
      let app = open()
      message(app).tap()
      message(app).typeText("hello bob")
      app.buttons["Send"].tap()
      see("hello bob", in: app)
    }

    func testSendsWithTheCursorInTheMiddle() {
      let app = open()
      message(app).tap()
      message(app).typeText("in the middle")
      // The upper left corner of the field: the cursor stands before the text.
      message(app).coordinate(withNormalizedOffset: CGVector(dx: 0.05, dy: 0.2)).tap()
      app.buttons["Send"].tap()
      see("in the middle", in: app)
      message(app).typeText("and again")
      app.buttons["Send"].tap()
      see("and again", in: app)
    }

    func testADraftIsThereAfterComingBack() {
      let app = open()
      message(app).tap()
      message(app).typeText("half")
      app.navigationBars.buttons.firstMatch.tap()
      app.staticTexts["bob"].firstMatch.tap()
      XCTAssertEqual(message(app).value as? String, "half")
    }

    func testASecondWindowThatClosesTakesNothingAway() throws {
      let app = open()
      guard app.menuItems["New Window"].firstMatch.exists else { throw XCTSkip("Windows are a Mac's here.") }
      app.typeKey("n", modifierFlags: .command)
      app.typeKey("w", modifierFlags: .command)
      message(app).tap()
      message(app).typeText("still here")
      app.buttons["Send"].tap()
      see("still here", in: app)
    }

    func testADraftSurvivesTheEndOfTheApp() {
      let app = open()
      message(app).tap()
      message(app).typeText("half a thought")
      XCUIDevice.shared.press(.home)
      app.terminate()
      XCTAssertEqual(message(open()).value as? String, "half a thought")
    }
  }
#endif
