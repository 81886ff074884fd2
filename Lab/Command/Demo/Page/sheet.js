// What covers a phone's screen until it is answered or closed: why a message waits, the question about those that have
// waited for long, that before all conversations are deleted, an import, and the earlier texts of a draft.
import { ImportSheet } from "/import.js"
import { Ticker, agoText, element, say, untilText } from "/words.js"

const moment = new Intl.DateTimeFormat(undefined, {
  weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit",
})

export class Sheet {
  #screen
  #cover
  #info
  #question
  #deletion
  #import
  #importSheet
  // What the page itself has to say of a file that is not with the phone.
  #coming = null
  #isRunning = false
  #versions
  #rename
  // The conversation that gets another title, which is the page's own matter until it has one.
  #renamed = null
  #intents
  #onClosed
  #shown = null
  #snapshot = null
  #ahead = 0
  #ticker = new Ticker(() => this.#drawInfo())

  // - onClosed: called when a sheet that had the focus has gone.
  constructor(screen, intents, onClosed) {
    this.#screen = screen
    this.#cover = screen.querySelector(".cover")
    this.#info = screen.querySelector(".info-sheet")
    this.#question = screen.querySelector(".question-sheet")
    this.#deletion = screen.querySelector(".deletion-sheet")
    this.#import = screen.querySelector(".import-sheet")
    this.#importSheet = new ImportSheet(this.#import)
    this.#import.querySelector(".end-import").addEventListener("click", () => this.#close())
    this.#versions = screen.querySelector(".versions-sheet")
    this.#rename = screen.querySelector(".rename-sheet")
    this.#rename.addEventListener("submit", (event) => {
      event.preventDefault()
      intents.act({ type: "rename", conversation: this.#renamed.id, text: this.#title.value })
      this.#close()
    })
    this.#intents = intents
    this.#onClosed = onClosed
    for (const button of screen.querySelectorAll(".sheet .close")) {
      button.addEventListener("click", () => this.#close())
    }
    this.#versions.querySelector("ul").addEventListener("click", ({ target }) => {
      const button = target.closest("button")
      if (button) this.#restore(Number(button.dataset.version))
    })
    for (const button of this.#question.querySelectorAll("[data-answer]")) {
      button.addEventListener("click", () => intents.act({ type: "answer", answer: button.dataset.answer }))
    }
    this.#deletion.querySelector(".delete-all").addEventListener("click", () => intents.act({ type: "deleteAll" }))
    this.#cover.addEventListener("keydown", (event) => event.key === "Escape" && this.#close())
    this.#cover.addEventListener("click", (event) => {
      if (event.target === this.#cover && this.#shown !== this.#question) this.#close()
    })
  }

  show(snapshot, ahead, isRunning) {
    this.#snapshot = snapshot
    this.#ahead = ahead
    this.#isRunning = isRunning
    if (!isRunning) this.#renamed = null
    const importing = this.#coming ?? snapshot.importing
    const wanted = isRunning ? this.#wanted(snapshot.sheet) : null
    if (wanted === this.#import) this.#importSheet.draw(importing)
    if (wanted === this.#question) this.#drawWords(this.#question, snapshot.question)
    if (wanted === this.#deletion) this.#drawDeletion(snapshot.deletion)
    if (wanted === this.#versions) this.#drawVersions(snapshot.versions)
    if (wanted === this.#info) this.#drawInfo()
    else this.#ticker.run(false)
    if (wanted !== this.#shown) this.#change(wanted)
  }

  // - reading: of a file on its way to the phone. Null: it is there.
  tellOfImport(reading) {
    this.#coming = reading
    // Once it is there, what the phone says of it takes over.
    if (reading || this.#snapshot?.importing) this.#showAgain()
  }

  get #title() {
    return this.#rename.querySelector(".new-title")
  }

  // Asks for another title of a conversation.
  rename(row) {
    this.#renamed = row
    this.#title.value = row.title
    this.#showAgain()
    this.#title.select()
  }

  #showAgain() {
    if (this.#snapshot) this.show(this.#snapshot, this.#ahead, this.#isRunning)
  }

  // - sheet: the one that the engine shows. A file on its way to the phone stands before it.
  #wanted(sheet) {
    const sheets = {
      importing: this.#import, held: this.#question, deletion: this.#deletion, versions: this.#versions, info: this.#info,
    }
    return this.#coming ? this.#import : sheets[sheet] ?? (this.#renamed && this.#rename)
  }

  // The rest of the screen is out of reach meanwhile, also for the keyboard and for screen readers.
  #change(wanted) {
    const hadFocus = this.#screen.contains(document.activeElement)
    this.#shown = wanted
    this.#cover.hidden = !wanted
    this.#info.hidden = wanted !== this.#info
    this.#question.hidden = wanted !== this.#question
    this.#import.hidden = wanted !== this.#import
    this.#deletion.hidden = wanted !== this.#deletion
    this.#versions.hidden = wanted !== this.#versions
    this.#rename.hidden = wanted !== this.#rename
    for (const part of this.#screen.querySelectorAll(".bar, .view")) part.inert = Boolean(wanted)
    if (!hadFocus) return
    // What cannot be undone is not what Return does at once.
    if (wanted) (wanted.querySelector("input, .begin") ?? wanted.querySelector("button")).focus()
    else this.#onClosed()
  }

  // To close the question is not to decide.
  #close() {
    if (this.#shown === this.#question) this.#intents.act({ type: "answer", answer: "keepWaiting" })
    else if (this.#shown === this.#import) this.#closeImport()
    else if (this.#shown === this.#rename) {
      this.#renamed = null
      this.#showAgain()
    }
    else if (this.#shown) this.#intents.act({ type: "close" })
  }

  #closeImport() {
    if (this.#coming?.isComing) return
    if (!this.#coming) return this.#intents.act({ type: "closeImport" })
    this.#coming = null
    this.#showAgain()
  }

  #restore(version) {
    this.#intents.act({ type: "restoreVersion", conversation: this.#snapshot.conversation.id, version })
  }

  #drawVersions(versions) {
    const now = Date.now() + this.#ahead
    const list = this.#versions.querySelector("ul")
    const shown = JSON.stringify(versions.map(({ id }) => id))
    // Drawn again, it would lose the focus.
    if (list.dataset.shown === shown) return
    list.dataset.shown = shown
    list.replaceChildren(...versions.map(({ id, beginning, keptAt }) => {
      const button = element("button", "version")
      button.type = "button"
      button.dataset.version = id
      const text = element("span", "version-text", beginning)
      text.dir = "auto"
      button.append(text, element("span", "version-age", agoText(now - keptAt)))
      const item = document.createElement("li")
      item.append(button)
      return item
    }))
    this.#versions.querySelector(".sentence").hidden = versions.length > 0
  }

  #drawInfo() {
    const { info, explanation, explanationProblem, conversation } = this.#snapshot
    const row = conversation?.rows.find((row) => row.id === info || row.operation?.id === info)
    const find = (name) => this.#info.querySelector(name)
    const next = explanation?.status.nextAttempt
    const quoted = row?.content.text || row?.attachments[0]?.attachment.name || ""
    say(find(".quoted"), quoted)
    find(".quoted").hidden = quoted === ""
    say(find(".sentence"), explanationProblem ?? explanation?.sentence ?? "")
    say(find(".written"), row ? moment.format(row.createdAt) : "-")
    say(find(".next"), next ? untilText(next - Date.now() - this.#ahead) : "-")
    find(".next-line").hidden = !next
    this.#ticker.run(Boolean(next))
  }

  // One conversation is asked about before it is emptied: to delete it can be undone, and so needs no question.
  #drawDeletion(question) {
    this.#drawWords(this.#deletion, question)
    say(this.#deletion.querySelector(".delete-all"), question.isEmptying ? "Clear messages" : "Delete all")
  }

  #drawWords(sheet, { title, sentence }) {
    sheet.setAttribute("aria-label", title)
    say(sheet.querySelector("h4"), title)
    say(sheet.querySelector(".sentence"), sentence)
  }
}
