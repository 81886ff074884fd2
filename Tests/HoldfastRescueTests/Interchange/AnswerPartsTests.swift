import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore

/// The answers of models in the exports of their apps: their reasoning, sources, tools, files and failures (rule
/// H13).
@Suite(.timeLimit(.minutes(10))) struct AnswerPartsTests {
  private let client: ChatClient

  init() throws { client = try Bench(carriesAttachments: true, inMemory: true).client() }

  /// Imports a file twice, and returns the rows of its conversation.
  private func rows(_ text: String, _ problems: [ImportProblem.Code] = []) throws -> [MessageRow] {
    let report = try client.importHistory(from: Data(text.utf8))
    #expect(report.problems.map(\.code) == problems, "\(report)")
    let again = try client.importHistory(from: Data(text.utf8))
    #expect((again.newMessages, again.alreadyHere) == (0, report.newMessages), "\(again)")
    return try client.reader.conversation("c", limit: 100).rows
  }

  private func metadata(_ row: MessageRow?) throws -> JSONValue {
    try JSONValue(try #require(row?.metadata))
  }

  private func list(_ name: String, of row: MessageRow?) throws -> [JSONValue] {
    try metadata(row).object?[name]?.array ?? []
  }

  private func sources(_ row: MessageRow?) throws -> [String] {
    try list("sources", of: row).map { source in
      "\(source.object?["url"]?.text ?? "") \(source.object?["title"]?.text ?? "-")"
    }
  }

  // MARK: ChatGPT

  /// A ChatGPT conversation with these messages in a row. Each is given as the fields of a message.
  private func chatGPT(_ messages: [String]) -> String {
    let nodes = messages.enumerated().map { number, message in
      #""n\#(number)":{"id":"n\#(number)","parent":\#(number == 0 ? "null" : "\"n\(number - 1)\""),"#
        + #""message":{"id":"m\#(number)","create_time":\#(1_714_564_800 + number),\#(message)}}"#
    }
    return
      #"[{"id":"c","title":"T","current_node":"n\#(messages.count - 1)","mapping":{\#(nodes.joined(separator: ","))}}]"#
  }

  private func text(_ role: String, _ text: String, _ more: String = "") -> String {
    #""author":{"role":"\#(role)"},"content":{"content_type":"text","parts":["\#(text)"]}\#(more)"#
  }

  private func content(_ role: String, _ content: String, _ more: String = "") -> String {
    #""author":{"role":"\#(role)"},"content":\#(content)\#(more)"#
  }

  private static let cite = #"\ue200cite\ue202turn0search3\ue201"#

  // H13.6
  @Test(arguments: [
    // The mark of a source is removed, and its address is kept.
    (
      #"It rains. \#(cite)"#,
      #""content_references":[{"matched_text":"\#(cite)","type":"grouped_webpages","alt":"([Sky](https://a.example/x))","items":[{"url":"https://a.example/x","title":"Sky","supporting_websites":[{"url":"https://b.example","title":"Rain"}]}]}]"#,
      "It rains.", ["https://a.example/x Sky", "https://b.example Rain"]
    ),
    // The words of a link and the name of an entity are a part of the sentence.
    (
      #"Read \ue200url\ue202the guide\ue202turn0search1\ue201, from \ue200entity\ue202[\"city\",\"Paris\",\"capital\"]\ue201\#(cite)."#,
      #""content_references":[{"matched_text":"\ue200url\ue202the guide\ue202turn0search1\ue201","type":"link_title","alt":"[the guide](https://g.example/1)"},{"matched_text":"\ue200entity\ue202[\"city\",\"Paris\",\"capital\"]\ue201","type":"entity","alt":"Paris","prompt_text":"x"}]"#,
      "Read the guide, from Paris.", ["https://g.example/1 the guide"]
    ),
    // No mark has a reference.
    (
      #"\ue203It rains\ue204 \#(cite)\ue200filecite\ue202turn1file0\ue201 in \ue200entity\ue202[\"city\",\"Rome\"]\ue201 \ue200navlist\ue202News\ue202turn0news1\ue201\nNow"#,
      #""x":1"#, "It rains in Rome\nNow", []
    ),
    (#"It rains \ue200cite\ue202turn0sea"#, #""x":1"#, "It rains", []),
    // The marks of earlier versions.
    (
      "It rains【12†source】, and snows【6:0†a.pdf】.",
      #""citations":[{"start_ix":8,"end_ix":19,"metadata":{"type":"webpage","title":"Sky","url":"https://a.example"}}]"#,
      "It rains, and snows.", ["https://a.example Sky"]
    ),
    ("【今日】 no mark", #""x":1"#, "【今日】 no mark", []),
  ])
  func `marks of sources leave the text, and what they refer to is kept`(
    _ given: String, _ more: String, _ shown: String, _ sources: [String]
  ) throws {
    let rows = try rows(
      chatGPT([text("user", "Weather?"), text("assistant", given, #","metadata":{\#(more)}"#)]))
    #expect(rows.map(\.text) == ["Weather?", shown])
    #expect(try rows[1].metadata == nil ? sources.isEmpty : self.sources(rows[1]) == sources)
  }

  // H13.5
  @Test func `thoughts and tools belong to the answer behind them`() throws {
    let rows = try rows(
      chatGPT([
        text("user", "Weather?"),
        content(
          "assistant",
          #"{"content_type":"thoughts","thoughts":[{"summary":"Look","content":"I look it up."}]}"#),
        content("assistant", #"{"content_type":"code","language":"unknown","text":"search(1)"}"#),
        content("tool", #"{"content_type":"execution_output","text":"a page"}"#),
        content("tool", #"{"content_type":"tether_browsing_display","result":"a long page","summary":"s"}"#),
        content(
          "tool", #"{"content_type":"tether_quote","url":"https://a.example","text":"quoted","title":"t"}"#),
        content("assistant", #"{"content_type":"thoughts","thoughts":[{"content":"Now I know."}]}"#),
        content("assistant", #"{"content_type":"reasoning_recap","content":"Thought for 3 seconds"}"#),
        text("assistant", "It rains.", #","metadata":{"model_slug":"m"}"#),
        text("user", "Thanks"),
      ]))
    #expect(rows.map(\.text) == ["Weather?", "It rains.", "Thanks"])
    #expect(rows[1].reasoning == "Look\nI look it up.\nNow I know.")
    let parts = try list("parts", of: rows[1]).map { String(decoding: $0.data ?? Data(), as: UTF8.self) }
    #expect(parts.count == 4)
    #expect(parts[0].contains("search(1)") && parts[3].contains("quoted"))
    #expect(try metadata(rows[1]).object?["model"] == .text("m"))
  }

  // H13.5
  @Test func `a picture of a tool is before the answer that has its thoughts`() throws {
    let rows = try rows(
      chatGPT([
        text("user", "Draw"),
        content("assistant", #"{"content_type":"thoughts","thoughts":[{"content":"A cat."}]}"#),
        content(
          "tool",
          #"{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"file-1"}]}"#
        ), text("assistant", #"\#(Self.cite)\n\nHere.\n\n\#(Self.cite)\n\nBye."#),
      ]))
    #expect(rows.map(\.text) == ["Draw", "[file-1]", "Here.\n\nBye."])
    #expect(rows.map(\.reasoning) == [nil, nil, "A cat."])
  }

  // H13.5, H13.6, H13.7
  @Test func `items of OpenAI's newer interface, and parts of LibreChat, are read as messages are`() throws {
    let items = [
      #"{"role":"user","content":"Weather?"}"#,
      #"{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]}"#,
      #"{"type":"web_search_call","action":{"query":"rain"}}"#,
      #"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"It rains."}],"sources":[{"source":{"name":"Sky","url":"https://a.example"}}]}"#,
      #"{"role":"assistant","content":[{"type":"error","error":"overloaded"}]}"#,
    ]
    let rows = try rows(#"{"conversations":[{"id":"c","messages":[\#(items.joined(separator: ","))]}]}"#)
    #expect(rows.map(\.text) == ["Weather?", "It rains.", ""])
    #expect(rows[1].reasoning == "hm")
    #expect(try sources(rows[1]) == ["https://a.example Sky"])
    #expect(rows[2].status.failure == FailureReason(.replyFailed, "overloaded"))
  }

  // H13.5
  @Test func `words for a tool, and pages that do not fit, are no bubbles`() throws {
    let page = String(repeating: "page ", count: 20_000)
    let file = chatGPT([
      text("user", "Draw"), text("assistant", #"{\"prompt\":\"a cat\"}"#, #","recipient":"dalle.text2im""#),
      content("tool", #"{"content_type":"execution_output","text":"\#(page)"}"#),
      text(
        "tool", "Model set context updated.", #","metadata":{"is_visually_hidden_from_conversation":true}"#),
      text("assistant", "Here."),
    ])
    let rows = try rows(file)
    #expect(rows.map(\.text) == ["Draw", "Here."])
    #expect(try list("parts", of: rows[1]).count == 2)
    let other = file.replacingOccurrences(of: #""id":"c""#, with: #""id":"d""#)
      .replacingOccurrences(of: #""id":"m"#, with: #""id":"x"#)
    #expect(try client.importHistory(from: Data(other.utf8)).notes.map(\.code) == [.partsLeftOut])
  }

  // H13.5
  @Test func `thoughts without an answer are shown when they say something`() throws {
    let thought = content("assistant", #"{"content_type":"thoughts","thoughts":[{"content":"Hm."}]}"#)
    let none = content("assistant", #"{"content_type":"thoughts","thoughts":[]}"#)
    let call = content("assistant", #"{"content_type":"code","text":"x()"}"#, #","recipient":"python""#)
    let rows = try rows(chatGPT([text("user", "a"), thought, call, text("user", "b"), none, call, none]))
    #expect(rows.map(\.text) == ["a", "", "b"])
    #expect(rows[1].reasoning == "Hm.")
    #expect(rows[1].role == .assistant)
  }

  // MARK: Claude, and lists of messages

  // H13.5
  @Test(arguments: [
    #"[{"uuid":"c","name":"T","chat_messages":[{"uuid":"1","sender":"human","text":"Weather?"},{"uuid":"2","sender":"assistant","content":[CALL,RESULT,{"type":"text","text":"It rains.","citations":[{"url":"https://a.example","title":"Sky"}]}]}]}]"#,
    #"{"conversations":[{"id":"c","messages":[{"role":"user","content":"Weather?"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},CALL]},{"role":"user","content":[RESULT]},{"role":"assistant","content":[{"type":"text","text":"It rains.","citations":[{"url":"https://a.example","title":"Sky"}]}]}]}]}"#,
    #"{"conversations":[{"id":"c","messages":[{"role":"user","content":"Weather?"},{"role":"assistant","content":null,"tool_calls":[{"id":"t","function":{"name":"web"}}]},{"role":"tool","tool_call_id":"t","content":"PAGE"},{"role":"assistant","content":[{"type":"output_text","text":"It rains.","annotations":[{"type":"url_citation","url":"https://a.example","title":"Sky"}]}]}]}]}"#,
    #"{"conversations":[{"id":"c","messages":[{"role":"user","parts":[{"text":"Weather?"}]},{"role":"model","parts":[{"functionCall":{"name":"web"}}]},{"role":"user","parts":[{"functionResponse":{"response":"PAGE"}}]},{"role":"model","parts":[{"text":"hm","thought":true},{"text":"It rains."}]}]}]}"#,
    #"{"conversations":[{"id":"c","messages":[{"role":"user","content":"Weather?"},{"type":"function_call","call_id":"t","name":"web","arguments":"{}"},{"type":"function_call_output","call_id":"t","output":"PAGE"},{"role":"assistant","content":[{"type":"server_tool_use","name":"web_search"},{"type":"web_search_tool_result","content":[{"type":"web_search_result","title":"PAGE"}]},{"type":"text","text":"It rains."}]}]}]}"#,
  ])
  func `what a tool is asked, and what it says, is not the answer`(_ sample: String) throws {
    let page = String(repeating: "page ", count: 1_000)
    let file =
      sample
      .replacingOccurrences(
        of: "RESULT",
        with: #"{"type":"tool_result","name":"web","content":[{"type":"text","text":"\#(page)"}]}"#
      )
      .replacingOccurrences(of: "CALL", with: #"{"type":"tool_use","name":"web","input":{"q":"rain"}}"#)
      .replacingOccurrences(of: "PAGE", with: page)
    let rows = try rows(file)
    #expect(rows.map(\.text) == ["Weather?", "It rains."])
    let parts = try list("parts", of: rows.last)
    #expect(parts.count >= 2)
    #expect(
      JSONValue.array(parts).data.map { String(decoding: $0, as: UTF8.self) }?.contains("page page") == true)
    if rows[1].reasoning != nil { #expect(rows[1].reasoning == "hm") }
    if file.contains("https") { #expect(try sources(rows[1]) == ["https://a.example Sky"]) }
  }

  // H13.5
  @Test func `the words in the place of a tool are no part of an answer of Claude`() throws {
    let words = "This block is not supported on your current device yet."
    let rows = try rows(
      #"[{"uuid":"c","chat_messages":[{"uuid":"1","sender":"human","text":"Weather?"},{"uuid":"2","sender":"assistant","text":"I look.\n\n```\n\#(words)\n```\n\nIt rains.\n\n\#(words)"}]}]"#
    )
    #expect(rows.map(\.text) == ["Weather?", "I look.\n\nIt rains."])
  }

  // MARK: Open WebUI

  private func openWebUI(_ answer: String) -> String {
    #"[{"id":"c","title":"T","chat":{"history":{"messages":{"#
      + #""1":{"id":"1","parentId":null,"role":"user","content":"Weather?","timestamp":1714564800},"#
      + #""2":{"id":"2","parentId":"1","role":"assistant","timestamp":1714564801,\#(answer)}},"currentId":"2"}}}]"#
  }

  // H13.5
  @Test(arguments: [
    (#"<details type=\"reasoning\" done=\"true\">hm</details>It rains."#, "It rains.", "hm", 0),
    (
      #"<details type=\"reasoning\" done=\"true\" duration=\"3\">\n<summary>Thought for 3 seconds</summary>\n&gt; a &lt; b\n&gt; and &amp;amp; &#39;c&#x27;\n</details>\nIt rains."#,
      "It rains.", "a < b\nand &amp; 'c'", 0
    ),
    (
      #"Look:\n<details type=\"tool_calls\" done=\"true\" name=\"web\" arguments=\"&quot;{\\&quot;q\\&quot;: 1}&quot;\" result=\"&quot;a > b&quot;\">\n<summary>Tool Executed</summary>\n</details>\n<details type='code_interpreter' output='7'>\n<summary>Analyzed</summary>\n```python\n3+4\n```\n</details>\nIt rains."#,
      "Look:\nIt rains.", nil, 2
    ),
    (
      #"<details type=\"reasoning\" done=\"true\">a<details><summary>s</summary>b</details>c</details>It rains."#,
      "It rains.", "a<details><summary>s</summary>b</details>c", 0
    ),
    (#"It rains.<details type=\"reasoning\" done=\"false\">\n> hm"#, "It rains.", "hm", 0),
    (#"<think>\nhm\n</think>\n\nIt rains."#, "It rains.", "hm", 0),
    (
      #"<details><summary>More</summary>It rains.</details>\n```html\n<details type=\"reasoning\">x</details>\n```"#,
      "<details><summary>More</summary>It rains.</details>\n```html\n<details type=\"reasoning\">x</details>\n```",
      nil, 0
    ),
    ("1 <details 2", "1 <details 2", nil, 0),
  ])
  func `the elements in an answer of Open WebUI are thoughts and tools`(
    _ given: String, _ shown: String, _ reasoning: String?, _ parts: Int
  ) throws {
    let rows = try rows(openWebUI(#""content":"\#(given)""#))
    #expect(rows.map(\.text) == ["Weather?", shown])
    #expect(rows[1].reasoning == reasoning)
    #expect(try rows[1].metadata == nil ? parts == 0 : list("parts", of: rows[1]).count == parts)
  }

  // H13.7
  @Test(arguments: [
    (#""content":"","error":{"content":"no key"}"#, "no key", ""),
    (#""content":"Half","error":"overloaded","done":true"#, "overloaded", "Half"),
    (#""error":{"error":{"message":"too long"}}"#, "too long", ""),
    (#""content":"","error":true"#, nil, ""),
  ])
  func `an answer with an error has failed, for the reason that is there`(
    _ fields: String, _ reason: String?, _ text: String
  ) throws {
    let row = try #require(try rows(openWebUI(fields)).last)
    #expect(row.text == text)
    #expect(
      row.status.failure == reason.map { FailureReason(.replyFailed, $0) }
        ?? FailureReason(.replyFailedBeforeImport))
  }

  // MARK: Files

  private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3])

  // H13.8
  @Test(arguments: [
    #""content":"this","files":[{"type":"image","url":"data:image/png;base64,PNG"}]"#,
    #""content":"this","files":[{"type":"file","name":"image.png","url":"data:image/png;base64,PNG"}]"#,
    #""content":[{"type":"text","text":"this"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"PNG"}}]"#,
    #""content":[{"type":"text","text":"this"},{"type":"file","file":{"filename":"image.png","file_data":"data:image/png;base64,PNG"}}]"#,
    #""parts":[{"text":"this"},{"inlineData":{"mimeType":"image/png","data":"PNG"}}]"#,
  ])
  func `a file whose bytes are in a message comes along`(_ fields: String) throws {
    let file = fields.replacingOccurrences(of: "PNG", with: Self.png.base64EncodedString())
    let text = #"{"conversations":[{"id":"c","messages":[{"id":"m","role":"user",\#(file)}]}]}"#
    let rows = try rows(text)
    #expect(rows.map(\.text) == ["this"])
    let attachment = try #require(rows[0].attachments.first?.attachment)
    #expect((attachment.name, attachment.mediaType, attachment.byteCount) == ("image.png", "image/png", 11))
    #expect(try Data(contentsOf: client.store.attachments.file(of: attachment.checksum)) == Self.png)
  }

  // H13.8
  @Test func `bytes that cannot be read are reported`() throws {
    let rows = try rows(
      #"{"conversations":[{"id":"c","messages":[{"id":"m","role":"user","content":"this","files":[{"url":"data:image/png;base64,###"}]}]}]}"#,
      [.attachmentsLeftOut])
    #expect(rows[0].attachments.isEmpty)
  }
}
