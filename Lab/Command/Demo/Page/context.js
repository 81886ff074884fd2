// What the text in the composer is about: the message that it changes, or the one that it answers. And the edit that
// was begun and left.
import { say, senderName } from "/words.js"

// What a message says, or the name of its file when it says nothing.
const words = (row) => row?.content.text || row?.attachments[0]?.attachment.name || ""

export class Context {
  // Ends what the bar tells of. Nil: there is nothing to end.
  close = null
  #bar
  #title
  #excerpt
  #turn
  #close
  #unfinished
  #acts

  // - acts: { cancelEdit, turnIntoNew, continueEdit, cancelReply }
  constructor(form, acts) {
    this.#bar = form.querySelector(".context")
    this.#title = this.#bar.querySelector(".context-title")
    this.#excerpt = this.#bar.querySelector(".context-excerpt")
    this.#turn = this.#bar.querySelector(".context-turn")
    this.#close = this.#bar.querySelector(".context-close")
    this.#unfinished = form.querySelector(".unfinished")
    this.#acts = acts
    this.#listen(this.#turn, () => acts.turnIntoNew())
    this.#listen(this.#close, () => this.close?.())
    this.#listen(this.#unfinished.querySelector(".continue"), () => acts.continueEdit())
    this.#listen(this.#unfinished.querySelector(".turn"), () => acts.turnIntoNew())
    this.#listen(this.#unfinished.querySelector(".drop"), () => acts.cancelEdit())
  }

  show({ editing, replyTo, unfinishedEdit }, rows) {
    const find = (id) => rows.find((row) => row.id === id)
    if (editing) this.#showEdit(find(editing))
    else if (replyTo) this.#showReply(find(replyTo))
    else this.#hide()
    this.#showUnfinished(unfinishedEdit, find(unfinishedEdit))
  }

  #listen(button, act) {
    // The field keeps the focus, and the keyboard stays open.
    button.addEventListener("pointerdown", (event) => event.preventDefault())
    button.addEventListener("click", act)
  }

  #showEdit(row) {
    const isGone = row?.isDeleted ?? false
    this.#draw(isGone ? "The message was deleted" : "Edit message",
      isGone ? "Your text can become a new one." : words(row), "Cancel edit", this.#acts.cancelEdit)
    this.#turn.hidden = !isGone
    this.#bar.dataset.kind = isGone ? "gone" : "edit"
  }

  #showReply(row) {
    const whom = row?.role === "assistant" ? "the assistant" : row?.isMine ? "yourself" : row && senderName(row.sender)
    this.#draw(`Reply to ${whom ?? "a message"}`,
      row?.note ?? words(row), "Cancel reply", this.#acts.cancelReply)
    this.#turn.hidden = true
    this.#bar.dataset.kind = "reply"
  }

  #draw(title, excerpt, closing, close) {
    this.#bar.hidden = false
    this.#bar.setAttribute("aria-label", title)
    say(this.#title, title)
    say(this.#excerpt, excerpt)
    this.#close.setAttribute("aria-label", closing)
    this.close = close
  }

  #hide() {
    this.#bar.hidden = true
    this.close = null
  }

  #showUnfinished(id, row) {
    this.#unfinished.hidden = !id
    if (!id) return
    const isGone = row?.isDeleted ?? false
    const of = words(row) ? ` of “${words(row)}”` : ""
    say(this.#unfinished.querySelector(".unfinished-text"),
      isGone ? "The message you were editing was deleted" : `Unfinished edit${of}`)
    this.#unfinished.querySelector(".continue").hidden = isGone
    this.#unfinished.querySelector(".turn").hidden = !isGone
  }
}
