/// The forms of files that the importer knows.
package enum FileForm: String, CaseIterable, Sendable {
  case history, queue, messages, openAI, lines, chatGPT, claude, openWebUI, libreChat, nestedLibreChat,
    shareGPT
  case singleDraft, draftsByProject
}
