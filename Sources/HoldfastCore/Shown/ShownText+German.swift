/// The catalogue of German texts. An entry of ``ChatConfiguration/ShownText/error(_:)`` is identified by its code.
extension ChatConfiguration.ShownText {
  /// The text in German, with its numbers.
  ///
  /// ```swift
  /// configuration.texts = { text in text.german }
  /// ```
  ///
  /// An error whose code has no German sentence keeps its English one.
  public var german: String {
    switch self {
    case .status(let status): status.german
    case .operation(let kind, let status): Self.germanOperation(kind, status)
    case .explanation(let sentence): sentence.german
    case .failure(let failure): failure.german
    case .offline(queued: 0): "Offline – Nachrichten gehen bei Verbindung raus"
    case .offline(let queued): "Offline – \(Self.german(queued, "Nachricht wartet", "Nachrichten warten"))"
    case .reconnecting: "Verbindung wird hergestellt …"
    case .signedOut: "Abgemeldet – Nachrichten gehen nach der Anmeldung raus"
    case .connected: "Verbunden"
    case .sendingQueue(let position, let total): "\(position) von \(total) wird gesendet"
    case .draftRecovered(let age): "Entwurf wiederhergestellt • \(age.german)"
    case .draftOld(let age): "Entwurf von \(age.germanOrigin) – behalten?"
    case .draftDiscarded: "Entwurf verworfen"
    case .conversationNotFound: "Unterhaltung nicht gefunden"
    case .noMessages: "Noch keine Nachrichten"
    case .noConversations: "Noch keine Unterhaltungen"
    case .nothingFound(let query): "Nichts gefunden für „\(query)“"
    case .noSignsFound(let query): "Keine der neuesten 1.000 Nachrichten hat „\(query)“"
    case .searchingServer: "Der Server wird durchsucht …"
    case .searchOffline: "Offline werden nur Nachrichten auf diesem Gerät gefunden"
    case .onServer: "Auf dem Server"
    case .earlierRemoved: "Frühere Nachrichten wurden von diesem Gerät entfernt"
    case .loadingHistory: "Nachrichten werden geladen …"
    case .historyOffline: "Weitere Nachrichten werden geladen, sobald du online bist"
    case .messageDeleted: "Nachricht gelöscht"
    case .messageNotHere: "Nachricht nicht auf diesem Gerät"
    case .nothingWritten: "Noch nichts geschrieben"
    case .edited: "Bearbeitet"
    case .writing: "Schreibt …"
    case .delivered: "Zugestellt"
    case .readBy(let names): "Gelesen von \(names.joined(separator: ", "))"
    case .draftMark: "Entwurf:"
    case .unread(let messages): "\(messages) ungelesen"
    case .notSent(let messages): "\(messages) nicht gesendet"
    case .composerPrompt: "Nachricht"
    case .reasoning: "Überlegung"
    case .conversations: "Chats"
    case .searchPrompt: "Suchen"
    case .noneChosen: "Keine Unterhaltung gewählt"
    case .unlockDevice: "Entsperre dieses Gerät, um deine Nachrichten zu lesen."
    case .messagesUnreadable: "Die Nachrichten konnten nicht gelesen werden."
    case .conversationsUnreadable: "Die Unterhaltungen konnten nicht gelesen werden."
    case .image: "Bild"
    case .video: "Video"
    case .conversationDeleted(let title): "„\(title)“ gelöscht"
    case .conversationEmptied(let title): "Nachrichten von „\(title)“ gelöscht"
    case .heldTitle(let messages):
      "\(Self.german(messages, "Nachricht wartet", "Nachrichten warten")) schon lange"
    case .heldSentence(let messages, let conversations, let age):
      Self.germanHeldSentence(messages, conversations, age)
    case .deletionTitle(conversations: 1): "Die Unterhaltung löschen?"
    case .deletionTitle(let conversations): "Alle \(conversations) Unterhaltungen löschen?"
    case .deletionSentence(let messages, let unsent, let drafts):
      Self.germanSentence(
        messages, unsent: unsent, drafts: drafts,
        end: "Ist alles endgültig gelöscht, lässt es sich nicht zurückholen.")
    case .emptyingTitle: "Die Nachrichten löschen?"
    case .emptyingSentence(let messages, let unsent):
      Self.germanSentence(messages, unsent: unsent, drafts: 0, end: "Die Unterhaltung bleibt.")
    case .unsent(let kind): kind.german
    case .error(let error): Self.germanErrors[error.code.rawValue] ?? error.message
    case .importProblem(let code):
      Self.germanImportProblems[code] ?? "Der Eintrag konnte nicht importiert werden."
    case .button(let button): button.german
    }
  }

  fileprivate static func german(_ number: Int, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }

  /// "Bearbeitung: Wartet – geht online raus".
  private static func germanOperation(_ kind: MessageOperation.Kind, _ status: Status?) -> String {
    let operation =
      switch kind {
      case .edit: "Bearbeitung"
      case .delete: "Löschung"
      case .react: "Reaktion"
      case .unreact: "Entfernen der Reaktion"
      }
    return status.map { "\(operation): \($0.german)" } ?? operation
  }

  private static func germanHeldSentence(
    _ messages: Int, _ conversations: Int, _ oldest: DraftBanner.Age
  ) -> String {
    let which = messages == 1 ? "Sie" : "Die älteste"
    let places = conversations > 1 ? ", in \(conversations) Unterhaltungen" : ""
    return
      "\(which) wurde \(oldest.german) geschrieben\(places). Nichts wird gesendet, bevor du entscheidest."
  }

  private static func germanSentence(_ messages: Int, unsent: Int, drafts: Int, end: String) -> String {
    var sentences: [String] = []
    if messages > 0 {
      let gone = messages == 1 ? "verschwindet" : "verschwinden"
      sentences.append("\(german(messages, "Nachricht", "Nachrichten")) \(gone) von diesem Gerät.")
    }
    if unsent > 0 {
      let them = unsent == 1 ? "wurde nie gesendet" : "wurden nie gesendet"
      sentences.append("\(german(unsent, "Nachricht", "Nachrichten")) \(them): Niemand sonst hat sie.")
    }
    if drafts > 0 { sentences.append("\(german(drafts, "Entwurf geht", "Entwürfe gehen")) auch verloren.") }
    return (sentences + [end]).joined(separator: " ")
  }
}

extension ChatConfiguration.ShownText.Status {
  fileprivate var german: String {
    switch self {
    case .sending: "Wird gesendet …"
    case .uploading: "Wird hochgeladen …"
    case .checking: "Nachfrage beim Server …"
    case .waitsForRetry: "Wartet auf den nächsten Versuch"
    case .waitsForAnother: "Wartet auf eine frühere Nachricht"
    case .waitsForFailed: "Wartet – eine frühere Nachricht ist fehlgeschlagen"
    case .waitsForItsMessage: "Wartet auf ihre Nachricht"
    case .conversationRefused: "Wartet – die Unterhaltung nimmt keine Nachrichten an"
    case .conversationWithoutMembers: "Wartet – noch unbekannt, für wen"
    case .held: "Angehalten – zum Entscheiden tippen"
    case .interrupted: "Unterbrochen"
    case .failed: "Fehlgeschlagen – zum Wiederholen tippen"
    case .replyFailed: "Fehlgeschlagen"
    case .outcomeUnknown: "Unbekannt – zum Entscheiden tippen"
    case .anotherProcessSends: "Wartet – ein anderer Teil der App sendet"
    case .signedOut: "Wartet – geht nach der Anmeldung raus"
    case .storageFull: "Wartet – der Speicher ist voll"
    case .storageLocked: "Wartet – geht nach dem Entsperren raus"
    case .storageFailed: "Wartet – der Speicher dieses Geräts versagt"
    case .offline: "Wartet – geht online raus"
    }
  }
}

extension ChatConfiguration.ShownText.Sentence {
  fileprivate var german: String {
    switch self {
    case .unknown: "Diese Nachricht gibt es nicht."
    case .delivered: "Die Nachricht wurde zugestellt."
    case .streaming: "Die Nachricht wird gerade geschrieben."
    case .interrupted: "Die Nachricht brach ab, während sie geschrieben wurde."
    case .awaitingAnswer: "Die Nachricht ist auf dem Weg zum Server."
    case .sending: "Die Nachricht wird gleich gesendet."
    case .uploading: "Die Anhänge sind auf dem Weg zum Server. Die Nachricht folgt."
    case .checking: "Die Nachricht ist vielleicht angekommen. Die App fragt den Server."
    case .waitsForRetry:
      "Der Server konnte die Nachricht nicht annehmen. Sie wird von selbst noch einmal gesendet."
    case .waitsForAnother: "Eine frühere Nachricht der Unterhaltung wird zuerst gesendet."
    case .waitsForFailed:
      "Eine frühere Nachricht der Unterhaltung ist fehlgeschlagen. Wiederhole oder lösche sie zuerst."
    case .waitsForItsMessage:
      "Sie wartet auf ihre Nachricht, die fehlgeschlagen ist oder angehalten wurde. Entscheide zuerst darüber."
    case .held: "Die Nachricht wartet schon lange. Entscheide, ob sie gesendet wird."
    case .notRunning: "Die Nachricht wird gesendet, wenn die App wieder verbunden ist."
    case .offline: "Die Nachricht wird von selbst gesendet, wenn du wieder online bist."
    case .anotherProcessSends: "Ein anderer Teil der App sendet die Nachricht."
    case .signedOut: "Du bist abgemeldet. Melde dich an, um die Nachricht zu senden."
    case .storageFull: "Der Speicher ist voll. Schaffe Platz, um die Nachricht zu senden."
    case .storageLocked: "Die Nachricht wird gesendet, wenn das Gerät entsperrt ist."
    case .storageFailed:
      "Der Speicher dieses Geräts versagt. Die Nachricht wird von selbst noch einmal gesendet."
    case .connecting: "Die App verbindet sich mit dem Server."
    case .unreachable: "Der Server ist nicht erreichbar."
    case .timedOut: "Der Server hat nicht rechtzeitig geantwortet."
    case .insecure:
      "Es kommt keine sichere Verbindung zustande. Prüfe das Datum, und ob das Netz eine Anmeldung verlangt."
    case .unavailable: "Der Server ist zurzeit nicht verfügbar."
    case .incompatible: "Der Server versteht diese Version der App nicht."
    }
  }
}

extension ChatConfiguration.ShownText.Failure {
  fileprivate var german: String {
    switch self {
    case .attachmentDamaged: "Ein Anhang ist nicht mehr lesbar. Nimm ihn heraus oder füge ihn neu hinzu."
    case .attachmentsNotCarried: "Anhänge können hier nicht gesendet werden."
    case .attachmentsNotFetched: "Anhänge können hier nicht geladen werden."
    case .attemptsSpent(1): "Der Server hat die Nachricht 1 Mal nicht angenommen."
    case .attemptsSpent(let attempts): "Der Server hat die Nachricht \(attempts) Mal nicht angenommen."
    case .conversationRemoved:
      "Diese Unterhaltung wurde gelöscht. Was du geschrieben und nicht gesendet hast, ist noch hier."
    case .fieldsNotCarried: "Der Server behält nicht alles, was diese Nachricht hat."
    case .failedBeforeImport:
      "Sie war schon vor dem Import fehlgeschlagen. Sende sie noch einmal, oder lösche sie."
    case .interruptedTooOften(let ends): "Die App endete \(ends) Mal, während diese Nachricht gesendet wurde."
    case .otherMembers:
      "Diese Unterhaltung hat andere Mitglieder, als die, an die Sie schrieben. Sehen Sie nach, wer dabei ist, und senden Sie dann."
    case .membersUnknown: "Noch ist unbekannt, wer an dieser Unterhaltung teilnimmt."
    case .historyNotLoaded: "Ältere Nachrichten konnten nicht geladen werden."
    case .historyNotGiven: "Der Server gibt keine älteren Nachrichten heraus."
    case .searchNotMade: "Der Server konnte nicht durchsucht werden."
    case .searchNotGiven: "Der Server kann nicht durchsucht werden."
    case .outcomeUnknown: "Vielleicht wurde sie zugestellt. Noch einmal senden?"
    case .replyBroken: "Der Assistent ist gescheitert. Versuche es noch einmal."
    case .replyEmpty: "Der Assistent antwortete ohne ein Wort."
    case .replyFailedBeforeImport: "Die Antwort war schon vor dem Import fehlgeschlagen."
    case .replyLost: "Die App endete, bevor die Antwort begann."
    case .replyStopped: "Die Antwort wurde angehalten, bevor sie begann."
    case .tooLong: "Diese Nachricht ist länger, als der Server annimmt."
    case .tooLongToSend: "Diese Nachricht ist zu lang zum Senden."
    }
  }
}

extension ChatConfiguration.ShownText.Button {
  fileprivate var german: String {
    switch self {
    case .retry: "Wiederholen"
    case .decide: "Entscheiden"
    case .edit: "Bearbeiten"
    case .cancel: "Abbrechen"
    case .delete: "Löschen"
    case .info: "Info"
    case .react: "Reagieren"
    case .continueReply: "Fortsetzen"
    case .retryReply: "Noch einmal versuchen"
    case .regenerateReply: "Neu antworten"
    case .keepEarlierReply: "Die frühere Antwort behalten"
    case .restoreReply: "Die frühere Antwort zurückholen"
    case .stop: "Anhalten"
    case .reply: "Antworten"
    case .deleteForEverybody: "Für alle löschen"
    case .discardEdit: "Die Bearbeitung verwerfen"
    case .keepMessage: "Die Nachricht behalten"
    case .discardReaction: "Die Reaktion verwerfen"
    case .keepReaction: "Die Reaktion behalten"
    case .sendMessage: "Senden"
    case .earlierMessages: "Frühere Nachrichten"
    case .newest: "Neueste Nachrichten"
    case .reload: "Neu laden"
    case .done: "Fertig"
    case .cancelEdit: "Die Bearbeitung abbrechen"
    case .attach: "Eine Datei anhängen"
    case .download: "Herunterladen"
    case .rename: "Umbenennen"
    case .empty: "Die Nachrichten löschen"
    case .deleteAll: "Alle Unterhaltungen löschen"
    case .send: "Jetzt senden"
    case .keepWaiting: "Weiter warten"
    case .backToComposer: "Zurück ins Textfeld"
    case .undo: "Widerrufen"
    case .keep: "Behalten"
    case .discard: "Verwerfen"
    case .earlierTexts: "Frühere Texte"
    case .repair: "Reparieren"
    case .open: "Öffnen"
    case .copy: "Kopieren"
    case .copied: "Kopiert"
    }
  }
}

extension ChatConfiguration.ShownText.Unsent {
  fileprivate var german: String {
    switch self {
    case .draft: "Entwurf"
    case .unfinishedEdit: "Unfertige Bearbeitung"
    case .edit: "Bearbeitung, die nicht gesendet wurde"
    case .message: "Nicht gesendet"
    case .onDevice: "Nur auf diesem Gerät"
    case .reply: "Unfertige Antwort"
    }
  }
}

extension DraftBanner.Age {
  /// "vor 5 Minuten".
  fileprivate var german: String {
    switch self {
    case .justNow: "gerade eben"
    case .yesterday: "gestern"
    case .minutes, .hours, .days: germanOrigin
    }
  }

  /// The age behind "von".
  fileprivate var germanOrigin: String {
    typealias Text = ChatConfiguration.ShownText
    return switch self {
    case .justNow: "eben"
    case .minutes(let count): "vor \(Text.german(count, "Minute", "Minuten"))"
    case .hours(let count): "vor \(Text.german(count, "Stunde", "Stunden"))"
    case .yesterday: "gestern"
    case .days(let count): "vor \(Text.german(count, "Tag", "Tagen"))"
    }
  }
}

extension ChatConfiguration.ShownText {
  private static let germanErrors = [
    "alreadyThere": "Am Ziel ist schon etwas. Es wird nicht überschrieben.",
    "attachmentTooLarge": "Die Datei ist zu groß.",
    "attachmentUnreadable": "Die Datei ist nicht lesbar. Wähle sie noch einmal.",
    "attachmentsUnsupported": "Anhänge können hier nicht gesendet werden.",
    "backupDamaged": "Die Sicherung ist beschädigt.",
    "beingWritten": "Die Antwort wird gerade geschrieben.",
    "confirmationOutdated": "Inzwischen ist mehr da, als gefragt wurde. Entscheide noch einmal.",
    "credentialsUnavailable": "Das System gibt die Zugangsdaten nicht heraus. Melde dich neu an.",
    "draftChanged": "Der Entwurf wurde in einem anderen Fenster geändert oder gesendet.",
    "editInProgress": "Eine andere Nachricht wird gerade bearbeitet. Beende das zuerst.",
    "fileUnreadable": "Die Datei gibt es nicht, oder sie ist nicht lesbar.",
    "fileUnrecognized": "Dateien dieser Art können nicht importiert werden.",
    "foreignLink": "Der Link gehört einer anderen App, oder er öffnet hier nichts.",
    "invalidDraft": "Diese Fassung des Entwurfs gibt es nicht mehr.",
    "malformedLink": "Der Link ist nicht lesbar.",
    "messageDeleted": "Die Nachricht wurde gelöscht.",
    "messageUnfinished": "Die Nachricht wird noch geschrieben.",
    "notInterrupted": "Die Antwort ist schon vollständig.",
    "notYourMessage": "Nur wer die Nachricht geschrieben hat, kann das.",
    "outboxFull": "Zu viele Nachrichten warten. Versuche es, wenn einige gesendet sind.",
    "repliesUnsupported": "Der Server behält nicht, welche Nachricht beantwortet wird.",
    "sceneUnreadable": "Was in diesem Fenster offen war, ist nicht lesbar. Es beginnt neu.",
    "storageBusy": "Ein anderer Teil der App benutzt den Speicher. Versuche es noch einmal.",
    "storageDamaged": "Der Speicher dieser App ist beschädigt. Er blieb, wie er war.",
    "storageErased": "Der Speicher dieser App wurde gelöscht.",
    "storageFailed": "Der Speicher dieser App versagt. Versuche es noch einmal.",
    "storageForeign": "Dieser Speicher gehört einem anderen Konto.",
    "storageFull": "Der Speicher ist voll. Schaffe Platz und versuche es noch einmal.",
    "storageLocked": "Entsperre das Gerät, und versuche es noch einmal.",
    "storageNewer": "Der Speicher stammt von einer neueren Version dieser App. Aktualisiere sie.",
    "storagePermissions": "Die App darf ihre Dateien nicht lesen oder schreiben.",
    "suspended": "Die App ist gerade angehalten. Versuche es noch einmal.",
    "titleTooLong": "Der Titel ist zu lang.",
    "draftTooLong": "Der Entwurf ist zu groß für dieses Gerät.",
    "tooLate": "Dafür ist es zu spät: Die Nachricht ist schon unterwegs.",
    "messageTooLong": "Die Nachricht ist zu lang. Kürze sie.",
    "emptyMessage": "Es gibt nichts zu senden.",
    "tooManyAttachments": "So viele Anhänge sind nicht möglich.",
    "unknownConversation": "Diese Unterhaltung gibt es nicht.",
    "unknownMessage": "Diese Nachricht gibt es nicht.",
    "unsupported": "Das geht hier nicht.",
  ]

  private static let germanImportProblems = [
    "malformed": "Der Eintrag ist beschädigt: Er ist kein JSON.",
    "ended": "Die Datei endet mitten im Eintrag.",
    "tooLarge":
      "Der Eintrag ist zu groß. Eine Nachricht darf 64 MB haben; eine wartende Nachricht oder ein Entwurf 16 MB.",
    "tooDeep": "Der Eintrag ist tiefer als 64 Ebenen geschachtelt.",
    "wrongFields": "Ein nötiges Feld fehlt oder hat eine andere Art.",
    "conversationUnknown": "Die Unterhaltung des Eintrags ist unbekannt.",
    "empty": "Der Eintrag hat keinen Text.",
    "tooLong": "Der Text ist zu lang zum Senden oder Speichern.",
    "outboxFull": "Zu viele Nachrichten warten. Importiere die Datei noch einmal, wenn einige gesendet sind.",
    "attachmentsLeftOut":
      "Der Text wurde ohne einen Anhang importiert: Nur sein Name ist hier, oder er lässt sich nicht senden.",
    "attachmentDamaged": "Die Bytes des Anhangs haben sich geändert. Er wurde weggelassen.",
    "dateUnreadable": "Das Datum ist nicht lesbar. Die Nachricht zeigt das der vorigen.",
    "fieldLeftOut": "Ein Teil des Eintrags hat eine Art, die nicht lesbar ist, und wurde weggelassen.",
    "messagesMissing": "Die Unterhaltung hat keine Nachrichten in einer Form, die hier bekannt ist.",
    "branchLeftOut":
      "Eine nicht gezeigte Nachricht ist zu lang, um neben der gezeigten aufbewahrt zu werden.",
    "authorUnknown":
      "Die Nachricht ist nicht gesendet und kann von jemand anderem sein. Nennen Sie das Feld mit dem Verfasser und Ihren Namen in dieser Datei.",
    "partsLeftOut":
      "Was Werkzeuge gefragt wurden und sagten, hat neben keiner Antwort Platz und wurde weggelassen.",
    "authorNotNamed": "Bei der Nachricht steht nicht, wer sie schrieb. Sie wird als Ihre gezeigt.",
    "withdrawn": "Die Nachricht wurde abgebrochen und wird nicht gesendet.",
    "withoutZone": "Das Datum hat keine Zeitzone und wurde als UTC gelesen.",
    "unlikelyDate": "Das Datum liegt vor 1990 oder in der Zukunft und bleibt, wie es ist.",
    "undated": "Die Nachricht hat kein Datum. Sie zeigt das der vorigen oder das des Imports.",
    "filesElsewhere": "Die Datei der Nachricht ist nicht hier. Ihr Name kam mit.",
    "keptApart": "Eine andere Unterhaltung hat diese ID. Die importierte bekam eine eigene.",
    "sameID": "Eine andere Nachricht hat diese ID. Die importierte bekam eine eigene.",
    "unknownStatus": "Der Status der Nachricht ist hier unbekannt. Sie gilt als gesendet.",
    "membersUnknown": "Die Nachricht wartet, bis die App ihre Unterhaltung mit den Mitgliedern angelegt hat.",
  ]
}
