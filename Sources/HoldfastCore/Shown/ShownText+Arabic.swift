/// The catalogue of Arabic texts, in the plural forms of the language (Unicode CLDR, "Language Plural Rules", ar). An
/// entry of ``ChatConfiguration/ShownText/error(_:)`` is identified by its code.
extension ChatConfiguration.ShownText {
  /// The text in Arabic, with its numbers.
  ///
  /// ```swift
  /// configuration.texts = { text in text.arabic }
  /// ```
  ///
  /// An error whose code has no Arabic sentence keeps its English one.
  public var arabic: String {
    switch self {
    case .status(let status): status.arabic
    case .operation(let kind, let status): Self.arabicOperation(kind, status)
    case .explanation(let sentence): sentence.arabic
    case .failure(let failure): failure.arabic
    case .offline(queued: 0): "غير متصل – ستُرسل الرسائل عند عودة الاتصال"
    case .offline(let queued): "غير متصل – في الانتظار: \(Self.arabicMessages(queued))"
    case .reconnecting: "جارٍ إعادة الاتصال…"
    case .signedOut: "تم تسجيل الخروج – ستُرسل الرسائل بعد تسجيل الدخول"
    case .connected: "متصل"
    case .sendingQueue(let position, let total): "جارٍ إرسال \(position) من \(total)"
    case .draftRecovered(let age): "مسودة مستعادة • \(age.arabic)"
    case .draftOld(let age): "مسودة كُتبت \(age.arabic) – هل تحتفظ بها؟"
    case .draftDiscarded: "تم تجاهل المسودة"
    case .conversationNotFound: "لم يُعثر على المحادثة"
    case .noMessages: "لا توجد رسائل بعد"
    case .noConversations: "لا توجد محادثات بعد"
    case .nothingFound(let query): "لا نتائج عن «\(query)»"
    case .noSignsFound(let query): "لا توجد «\(query)» في أحدث 1000 رسالة"
    case .searchingServer: "يجري البحث في الخادم…"
    case .searchOffline: "دون اتصال لا يُبحث إلا في الرسائل الموجودة على هذا الجهاز"
    case .onServer: "على الخادم"
    case .earlierRemoved: "أُزيلت الرسائل الأقدم من هذا الجهاز"
    case .loadingHistory: "يجري تحميل الرسائل…"
    case .historyOffline: "تُحمَّل الرسائل الأخرى عند اتصالك"
    case .messageDeleted: "رسالة محذوفة"
    case .messageNotHere: "الرسالة ليست على هذا الجهاز"
    case .nothingWritten: "لم يُكتب شيء بعد"
    case .edited: "معدّلة"
    case .writing: "يكتب…"
    case .delivered: "تم التسليم"
    case .readBy(let names): "قرأها \(names.joined(separator: "، "))"
    case .draftMark: "مسودة:"
    case .unread(let messages): "غير مقروء: \(messages)"
    case .notSent(let messages): "لم يُرسل: \(messages)"
    case .composerPrompt: "رسالة"
    case .reasoning: "التفكير"
    case .conversations: "المحادثات"
    case .searchPrompt: "بحث"
    case .noneChosen: "لم تُختر أي محادثة"
    case .unlockDevice: "افتح قفل هذا الجهاز لقراءة رسائلك."
    case .messagesUnreadable: "تعذرت قراءة الرسائل."
    case .conversationsUnreadable: "تعذرت قراءة المحادثات."
    case .image: "صورة"
    case .video: "فيديو"
    case .conversationDeleted(let title): "حُذفت «\(title)»"
    case .conversationEmptied(let title): "مُسحت رسائل «\(title)»"
    case .heldTitle(let messages): "في الانتظار منذ مدة طويلة: \(Self.arabicMessages(messages))"
    case .heldSentence(let messages, let conversations, let age):
      Self.arabicHeldSentence(messages, conversations, age)
    case .deletionTitle(conversations: 1): "هل تُحذف المحادثة؟"
    case .deletionTitle(let conversations): "هل تُحذف كل المحادثات؟ عددها: \(conversations)"
    case .deletionSentence(let messages, let unsent, let drafts):
      Self.arabicSentence(
        messages, unsent: unsent, drafts: drafts, end: "بعد المحو النهائي لا يمكن استعادة شيء.")
    case .emptyingTitle: "هل تُمسح الرسائل؟"
    case .emptyingSentence(let messages, let unsent):
      Self.arabicSentence(messages, unsent: unsent, drafts: 0, end: "تبقى المحادثة.")
    case .unsent(let kind): kind.arabic
    case .error(let error): Self.arabicErrors[error.code.rawValue] ?? error.message
    case .importProblem(let code): Self.arabicImportProblems[code] ?? "تعذر استيراد العنصر."
    case .button(let button): button.arabic
    }
  }

  /// A noun and its number: one and two are words of their own, three to ten take the plural, eleven to ninety-nine
  /// the accusative, and zero and a hundred the singular. The last two digits decide.
  fileprivate static func arabic(
    _ number: Int, one: String, two: String, few: String, many: String, other: String
  ) -> String {
    switch (number, number % 100) {
    case (1, _): one
    case (2, _): two
    case (_, 3...10): "\(number) \(few)"
    case (_, 11...99): "\(number) \(many)"
    default: "\(number) \(other)"
    }
  }

  private static func arabicMessages(_ number: Int) -> String {
    arabic(number, one: "رسالة واحدة", two: "رسالتان", few: "رسائل", many: "رسالة", other: "رسالة")
  }

  /// "التعديل: في الانتظار – سيُرسل عند الاتصال".
  private static func arabicOperation(_ kind: MessageOperation.Kind, _ status: Status?) -> String {
    let operation =
      switch kind {
      case .edit: "التعديل"
      case .delete: "الحذف"
      case .react: "التفاعل"
      case .unreact: "إزالة التفاعل"
      }
    return status.map { "\(operation): \($0.arabic)" } ?? operation
  }

  private static func arabicHeldSentence(
    _ messages: Int, _ conversations: Int, _ oldest: DraftBanner.Age
  ) -> String {
    let which = messages == 1 ? "كُتبت" : "كُتبت أقدمها"
    let places =
      conversations > 1
      ? "، في \(arabic(conversations, one: "محادثة واحدة", two: "محادثتين", few: "محادثات", many: "محادثة", other: "محادثة"))"
      : ""
    return "\(which) \(oldest.arabic)\(places). لن يُرسل شيء قبل أن تقرر."
  }

  private static func arabicSentence(_ messages: Int, unsent: Int, drafts: Int, end: String) -> String {
    var sentences: [String] = []
    if messages > 0 { sentences.append("ستُزال من هذا الجهاز: \(arabicMessages(messages)).") }
    if unsent > 0 { sentences.append("لم تُرسل قط، وليست لدى أحد آخر: \(arabicMessages(unsent)).") }
    if drafts > 0 {
      let count = arabic(
        drafts, one: "مسودة واحدة", two: "مسودتان", few: "مسودات", many: "مسودة", other: "مسودة")
      sentences.append("ستُزال أيضًا: \(count).")
    }
    return (sentences + [end]).joined(separator: " ")
  }
}

extension ChatConfiguration.ShownText.Status {
  fileprivate var arabic: String {
    switch self {
    case .sending: "جارٍ الإرسال…"
    case .uploading: "جارٍ الرفع…"
    case .checking: "جارٍ سؤال الخادم…"
    case .waitsForRetry: "في انتظار المحاولة التالية"
    case .waitsForAnother: "في انتظار رسالة أقدم"
    case .waitsForFailed: "في الانتظار – فشلت رسالة أقدم"
    case .waitsForItsMessage: "في انتظار رسالتها"
    case .conversationRefused: "في الانتظار – المحادثة لا تقبل رسائل"
    case .conversationWithoutMembers: "في الانتظار – لا يُعرف بعدُ لمن"
    case .held: "موقوفة – المس لتقرر"
    case .interrupted: "انقطع"
    case .failed: "فشل الإرسال – المس للمحاولة مجددًا"
    case .replyFailed: "فشل"
    case .outcomeUnknown: "غير معروف – المس لتقرر"
    case .anotherProcessSends: "في الانتظار – يرسلها جزء آخر من التطبيق"
    case .signedOut: "في الانتظار – ستُرسل بعد تسجيل الدخول"
    case .storageFull: "في الانتظار – مساحة التخزين ممتلئة"
    case .storageLocked: "في الانتظار – ستُرسل بعد فتح القفل"
    case .storageFailed: "في الانتظار – خلل في التخزين على هذا الجهاز"
    case .offline: "في الانتظار – ستُرسل عند الاتصال"
    }
  }
}

extension ChatConfiguration.ShownText.Sentence {
  fileprivate var arabic: String {
    switch self {
    case .unknown: "هذه الرسالة غير موجودة."
    case .delivered: "تم تسليم الرسالة."
    case .streaming: "الرسالة قيد الكتابة."
    case .interrupted: "انقطعت الرسالة أثناء كتابتها."
    case .awaitingAnswer: "الرسالة في طريقها إلى الخادم."
    case .sending: "ستُرسل الرسالة بعد لحظات."
    case .uploading: "المرفقات في طريقها إلى الخادم، وتتبعها الرسالة."
    case .checking: "ربما وصلت الرسالة. التطبيق يسأل الخادم."
    case .waitsForRetry: "لم يستطع الخادم قبول الرسالة. ستُرسل مجددًا تلقائيًا."
    case .waitsForAnother: "تُرسل أولًا رسالة أقدم من المحادثة نفسها."
    case .waitsForFailed: "فشلت رسالة أقدم في المحادثة. أعد إرسالها أو احذفها أولًا."
    case .waitsForItsMessage: "تنتظر رسالتها التي فشلت أو أُوقفت. قرر بشأنها أولًا."
    case .held: "انتظرت الرسالة طويلًا. قرر هل تُرسل."
    case .notRunning: "ستُرسل الرسالة عندما يتصل التطبيق من جديد."
    case .offline: "ستُرسل الرسالة تلقائيًا عند عودة الاتصال."
    case .anotherProcessSends: "يرسل الرسالةَ جزء آخر من التطبيق."
    case .signedOut: "تم تسجيل خروجك. سجّل الدخول لإرسال الرسالة."
    case .storageFull: "مساحة التخزين ممتلئة. أفرغ بعضها لإرسال الرسالة."
    case .storageLocked: "ستُرسل الرسالة بعد فتح قفل الجهاز."
    case .storageFailed: "خلل في التخزين على هذا الجهاز. ستُرسل الرسالة مجددًا تلقائيًا."
    case .connecting: "التطبيق يتصل بالخادم."
    case .unreachable: "تعذر الوصول إلى الخادم."
    case .timedOut: "لم يُجب الخادم في الوقت المحدد."
    case .insecure: "تعذر إنشاء اتصال آمن. تحقق من التاريخ، ومن أن الشبكة لا تطلب تسجيل دخول."
    case .unavailable: "الخادم غير متاح حاليًا."
    case .incompatible: "الخادم لا يفهم هذا الإصدار من التطبيق."
    }
  }
}

extension ChatConfiguration.ShownText.Failure {
  fileprivate var arabic: String {
    switch self {
    case .attachmentDamaged: "لم يعد أحد المرفقات قابلًا للقراءة. أزله أو أضفه من جديد."
    case .attachmentsNotCarried: "لا يمكن إرسال المرفقات هنا."
    case .attachmentsNotFetched: "لا يمكن تنزيل المرفقات هنا."
    case .attemptsSpent(let attempts): "لم يقبل الخادم الرسالة. عدد المحاولات: \(attempts)."
    case .conversationRemoved: "حُذفت هذه المحادثة. ما كتبته ولم ترسله ما زال هنا."
    case .fieldsNotCarried: "لا يحتفظ الخادم بكل ما في هذه الرسالة."
    case .failedBeforeImport: "كانت قد فشلت قبل استيرادها. أرسلها من جديد أو احذفها."
    case .interruptedTooOften(let ends): "أُغلق التطبيق أثناء إرسال هذه الرسالة. عدد المرات: \(ends)."
    case .otherMembers: "أعضاء هذه المحادثة غير الذين كتبت إليهم. انظر من فيها قبل أن ترسل مرة أخرى."
    case .membersUnknown: "لا يُعرف بعدُ من يشارك في هذه المحادثة."
    case .historyNotLoaded: "تعذّر تحميل الرسائل الأقدم."
    case .historyNotGiven: "الخادم لا يقدّم رسائل أقدم."
    case .searchNotMade: "تعذّر البحث في الخادم."
    case .searchNotGiven: "الخادم لا يتيح البحث."
    case .outcomeUnknown: "ربما تم تسليمها. هل تُرسل من جديد؟"
    case .replyBroken: "تعثر المساعد. حاول من جديد."
    case .replyEmpty: "أجاب المساعد دون أي كلمة."
    case .replyFailedBeforeImport: "كان الرد قد فشل قبل استيراده."
    case .replyLost: "أُغلق التطبيق قبل أن يبدأ الرد."
    case .replyStopped: "أُوقف الرد قبل أن يبدأ."
    case .tooLong: "هذه الرسالة أطول مما يقبله الخادم."
    case .tooLongToSend: "هذه الرسالة أطول من أن تُرسل."
    }
  }
}

extension ChatConfiguration.ShownText.Button {
  fileprivate var arabic: String {
    switch self {
    case .retry: "إعادة المحاولة"
    case .decide: "اتخاذ القرار"
    case .edit: "تعديل"
    case .cancel: "إلغاء"
    case .delete: "حذف"
    case .info: "معلومات"
    case .react: "تفاعل"
    case .continueReply: "متابعة"
    case .retryReply: "المحاولة من جديد"
    case .regenerateReply: "إجابة أخرى"
    case .keepEarlierReply: "الاحتفاظ بالإجابة السابقة"
    case .restoreReply: "استعادة الإجابة السابقة"
    case .stop: "إيقاف"
    case .reply: "رد"
    case .deleteForEverybody: "حذف لدى الجميع"
    case .discardEdit: "تجاهل التعديل"
    case .keepMessage: "الاحتفاظ بالرسالة"
    case .discardReaction: "تجاهل التفاعل"
    case .keepReaction: "الاحتفاظ بالتفاعل"
    case .sendMessage: "إرسال"
    case .earlierMessages: "رسائل أقدم"
    case .newest: "أحدث الرسائل"
    case .reload: "تحميل من جديد"
    case .done: "تم"
    case .cancelEdit: "إلغاء التعديل"
    case .attach: "إرفاق ملف"
    case .download: "تنزيل"
    case .rename: "إعادة التسمية"
    case .empty: "مسح الرسائل"
    case .deleteAll: "حذف كل المحادثات"
    case .send: "إرسال الآن"
    case .keepWaiting: "متابعة الانتظار"
    case .backToComposer: "إعادة إلى حقل الكتابة"
    case .undo: "تراجع"
    case .keep: "احتفاظ"
    case .discard: "تجاهل"
    case .earlierTexts: "نصوص سابقة"
    case .repair: "إصلاح"
    case .open: "فتح"
    case .copy: "نسخ"
    case .copied: "تم النسخ"
    }
  }
}

extension ChatConfiguration.ShownText.Unsent {
  fileprivate var arabic: String {
    switch self {
    case .draft: "مسودة"
    case .unfinishedEdit: "تعديل غير مكتمل"
    case .edit: "تعديل لم يُرسل"
    case .message: "لم تُرسل"
    case .onDevice: "على هذا الجهاز فقط"
    case .reply: "رد غير مكتمل"
    }
  }
}

extension DraftBanner.Age {
  /// "قبل 5 دقائق".
  fileprivate var arabic: String {
    typealias Text = ChatConfiguration.ShownText
    return switch self {
    case .justNow: "الآن"
    case .minutes(let count):
      "قبل "
        + Text.arabic(count, one: "دقيقة", two: "دقيقتين", few: "دقائق", many: "دقيقة", other: "دقيقة")
    case .hours(let count):
      "قبل " + Text.arabic(count, one: "ساعة", two: "ساعتين", few: "ساعات", many: "ساعة", other: "ساعة")
    case .yesterday: "أمس"
    case .days(let count):
      "قبل " + Text.arabic(count, one: "يوم", two: "يومين", few: "أيام", many: "يومًا", other: "يوم")
    }
  }
}

extension ChatConfiguration.ShownText {
  private static let arabicErrors = [
    "alreadyThere": "يوجد شيء في الوجهة، ولن يُستبدل.",
    "attachmentTooLarge": "الملف أكبر من المسموح.",
    "attachmentUnreadable": "تعذرت قراءة الملف. اختره من جديد.",
    "attachmentsUnsupported": "لا يمكن إرسال المرفقات هنا.",
    "backupDamaged": "النسخة الاحتياطية تالفة.",
    "beingWritten": "الرد قيد الكتابة الآن.",
    "confirmationOutdated": "تغيّر ما سُئلت عنه. قرر من جديد.",
    "credentialsUnavailable": "لا يعطي النظام بيانات الدخول. سجّل الدخول من جديد.",
    "draftChanged": "تغيّرت المسودة أو أُرسلت في نافذة أخرى.",
    "editInProgress": "هناك رسالة أخرى قيد التعديل. أكمل ذلك أولًا.",
    "fileUnreadable": "الملف غير موجود أو تعذرت قراءته.",
    "fileUnrecognized": "لا يمكن استيراد ملفات من هذا النوع.",
    "foreignLink": "الرابط لتطبيق آخر أو لا يفتح شيئًا هنا.",
    "invalidDraft": "لم تعد هذه النسخة من المسودة موجودة.",
    "malformedLink": "تعذرت قراءة الرابط.",
    "messageDeleted": "حُذفت الرسالة.",
    "messageUnfinished": "الرسالة ما زالت قيد الكتابة.",
    "notInterrupted": "الرد مكتمل.",
    "notYourMessage": "هذا لمن كتب الرسالة وحده.",
    "outboxFull": "رسائل كثيرة في الانتظار. حاول بعد إرسال بعضها.",
    "repliesUnsupported": "لا يحتفظ الخادم بالرسالة التي يُرد عليها.",
    "sceneUnreadable": "تعذرت قراءة ما كان مفتوحًا في هذه النافذة. تبدأ من جديد.",
    "storageBusy": "جزء آخر من التطبيق يستخدم التخزين. حاول من جديد.",
    "storageDamaged": "تخزين هذا التطبيق تالف، وبقي كما هو.",
    "storageErased": "مُحي تخزين هذا التطبيق.",
    "storageFailed": "خلل في تخزين هذا التطبيق. حاول من جديد.",
    "storageForeign": "هذا التخزين لحساب آخر.",
    "storageFull": "مساحة التخزين ممتلئة. أفرغ بعضها وحاول من جديد.",
    "storageLocked": "افتح قفل الجهاز وحاول من جديد.",
    "storageNewer": "التخزين من إصدار أحدث من هذا التطبيق. حدّثه.",
    "storagePermissions": "لا يُسمح للتطبيق بقراءة ملفاته أو كتابتها.",
    "suspended": "التطبيق متوقف حاليًا. حاول من جديد.",
    "titleTooLong": "العنوان أطول من المسموح.",
    "draftTooLong": "المسودة أكبر من أن يتسع لها هذا الجهاز.",
    "tooLate": "فات الأوان: الرسالة في طريقها.",
    "messageTooLong": "الرسالة أطول من المسموح. اختصرها.",
    "emptyMessage": "ليس هناك ما يُرسل.",
    "tooManyAttachments": "عدد المرفقات أكبر من المسموح.",
    "unknownConversation": "هذه المحادثة غير موجودة.",
    "unknownMessage": "هذه الرسالة غير موجودة.",
    "unsupported": "هذا غير ممكن هنا.",
  ]

  private static let arabicImportProblems = [
    "malformed": "العنصر تالف: بنيته غير صحيحة.",
    "ended": "ينتهي الملف في منتصف العنصر.",
    "tooLarge": "العنصر أكبر من المسموح: 64 ميغابايت للرسالة، و16 للرسالة المنتظرة أو المسودة.",
    "tooDeep": "تداخل العنصر أعمق من 64 مستوى.",
    "wrongFields": "حقل مطلوب ناقص أو من نوع آخر.",
    "conversationUnknown": "محادثة العنصر غير معروفة.",
    "empty": "ليس في العنصر نص.",
    "tooLong": "النص أطول من أن يُرسل أو يُحفظ.",
    "outboxFull": "رسائل كثيرة في الانتظار. استورد الملف من جديد بعد إرسال بعضها.",
    "attachmentsLeftOut": "استُورد النص دون مرفق: اسمه وحده موجود، أو لا يمكن إرساله.",
    "attachmentDamaged": "تغيّر محتوى المرفق، فتُرك.",
    "dateUnreadable": "تعذرت قراءة التاريخ. تُظهر الرسالة تاريخ ما قبلها.",
    "fieldLeftOut": "جزء من العنصر لا يمكن قراءته، فتُرك.",
    "messagesMissing": "ليست في المحادثة رسائل بشكل معروف هنا.",
    "branchLeftOut": "رسالة لم تُعرض أطول من أن تُحفظ بجانب المعروضة.",
    "authorUnknown":
      "الرسالة لم تُرسل وقد تكون لشخص آخر. اذكر الحقل الذي فيه اسم الكاتب واسمك في هذا الملف.",
    "partsLeftOut": "ما سُئلت عنه الأدوات وما قالته لا مكان له بجانب إجابة، فتُرك.",
    "authorNotNamed": "لا تذكر الرسالة من كتبها، فتظهر على أنها لك.",
    "withdrawn": "أُلغيت الرسالة، فلن تُرسل.",
    "withoutZone": "ليست للتاريخ منطقة زمنية، فقُرئ بالتوقيت العالمي.",
    "unlikelyDate": "التاريخ قبل 1990 أو في المستقبل، وبقي كما هو.",
    "undated": "ليس للرسالة تاريخ. تُظهر تاريخ ما قبلها أو تاريخ الاستيراد.",
    "filesElsewhere": "ملف الرسالة ليس هنا، واسمه موجود.",
    "keptApart": "لمحادثة أخرى المعرّف نفسه. أُعطيت المستوردة معرّفًا خاصًا.",
    "sameID": "لرسالة أخرى المعرّف نفسه. أُعطيت المستوردة معرّفًا خاصًا.",
    "unknownStatus": "حالة الرسالة غير معروفة هنا، وتُعد مرسلة.",
    "membersUnknown": "تنتظر الرسالة حتى ينشئ التطبيق محادثتها مع أعضائها.",
  ]
}
