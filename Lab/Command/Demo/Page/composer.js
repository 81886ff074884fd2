// The text field. What is typed belongs to the user: the page replaces it only when the app says that it,
// and not the user, changed the text, and only when that answer includes everything typed so far.
import { Context } from "/context.js"
import { Picks } from "/picks.js"
import { say } from "/words.js"

export class Composer {
  #form
  #field
  #send
  #history
  #banner
  #problem
  #context
  #picks
  #intents
  #conversation = null
  #launch = null
  // The state that the field has taken over last: its launch, conversation and generation.
  #adopted = null
  #newest = null
  // Which message's edit the field shows, and since which generation. Nil after a send: what is typed then is new.
  #shown = null
  #told = null
  #isComposing = false

  constructor(view, intents) {
    this.#form = view.querySelector(".composer")
    this.#field = view.querySelector("textarea")
    this.#send = view.querySelector(".send")
    this.#history = view.querySelector(".history")
    this.#banner = view.querySelector(".draft-banner")
    this.#problem = view.querySelector(".problem")
    this.#intents = intents
    this.#context = new Context(this.#form, {
      cancelEdit: () => this.#switch({ type: "cancelEdit" }),
      turnIntoNew: () => this.#switch({ type: "turnEditIntoNew" }),
      continueEdit: () => this.beginEdit(this.#newest.composer.unfinishedEdit),
      cancelReply: () => this.reply(undefined),
    })
    this.#picks = new Picks(view, intents)
    this.#picks.onIdle = () => this.#drawSend()
    intents.onIdle = () => this.#adopt()
    intents.onRefused = (intent) => this.#takeBack(intent)
    this.#listen()
    this.disable()
  }

  show({ composer, conversation: { id: conversation, rows }, fileProblem, handled }, launch, isRunning) {
    // Another conversation's text replaces this one's at once: what is typed from now on is typed into that one.
    const isOther = conversation !== this.#conversation
    this.#conversation = conversation
    // A new process has handled nothing yet, and what it shows is what was stored.
    if (launch !== this.#launch) this.#intents.settled = 0
    this.#launch = launch
    this.#setDisabled(!isRunning)
    this.#form.classList.toggle("is-edit", Boolean(composer.editing))
    this.#send.setAttribute("aria-label", composer.editing ? "Save edit" : "Send")
    this.#history.hidden = !composer.canTakeBack
    this.#showBanner(composer.banner)
    this.#context.show(composer, rows)
    const problem = composer.problem === fileProblem ? null : composer.problem
    say(this.#problem, problem ?? "")
    this.#problem.hidden = !problem
    this.#newest = { composer, handled, launch, key: `${launch} ${conversation} ${composer.generation}` }
    // An edit changes the text and nothing else.
    this.#picks.show(composer.attachments, conversation, !composer.editing, fileProblem)
    this.#drawSend()
    if (isOther) this.#take(this.#newest)
    else this.#adopt()
  }

  #drawSend() {
    this.#form.classList.toggle("can-send", Boolean(this.#newest?.composer.canSend) && !this.#picks.isBusy)
  }

  disable() {
    this.#field.readOnly = false
    this.#setDisabled(true)
  }

  focus() {
    this.#field.focus()
  }

  beginEdit(message) {
    this.#switch({ type: "beginEdit", message })
  }

  // - message: undefined takes the answer back.
  reply(message) {
    this.#intents.act({ type: "reply", conversation: this.#conversation, message })
    this.focus()
  }

  #setDisabled(isDisabled) {
    for (const part of this.#form.querySelectorAll("textarea, input, button")) part.disabled = isDisabled
  }

  // The app puts another text into the field: until it is there, nothing is typed into the one that goes.
  #switch(intent) {
    if (this.#conversation === null) return
    this.#field.readOnly = true
    this.#intents.act({ conversation: this.#conversation, ...intent })
    this.focus()
  }

  // Which buttons a banner has is said by its kind.
  #showBanner(banner) {
    this.#banner.hidden = !banner
    this.#banner.querySelector(".draft-text").textContent = banner?.text ?? ""
    const offers = { recovered: ["discard"], old: ["keep", "discard"], discarded: ["undo"] }[banner?.kind] ?? []
    for (const name of ["keep", "discard", "undo"]) {
      this.#banner.querySelector(`.${name}`).hidden = !offers.includes(name)
    }
  }

  #offer(name, type) {
    const button = this.#banner.querySelector(`.${name}`)
    // The field keeps the focus, and the keyboard stays open.
    button.addEventListener("pointerdown", (event) => event.preventDefault())
    button.addEventListener("click", () => {
      if (this.#conversation !== null) this.#intents.act({ type, conversation: this.#conversation })
    })
  }

  #listen() {
    this.#field.addEventListener("input", () => {
      this.#fit()
      this.#edit()
    })
    document.addEventListener("selectionchange", () => {
      if (document.activeElement === this.#field) this.#edit()
    })
    this.#field.addEventListener("compositionstart", () => (this.#isComposing = true))
    this.#field.addEventListener("compositionend", () => {
      this.#isComposing = false
      this.#edit()
      this.#adopt()
    })
    this.#field.addEventListener("keydown", (event) => this.#pressed(event))
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault()
      this.#submit()
      this.#field.focus()
    })
    this.#offer("keep", "keepDraft")
    this.#offer("discard", "discard")
    this.#offer("undo", "undoDiscard")
    this.#history.addEventListener("click", () =>
      this.#intents.act({ type: "versions", conversation: this.#conversation }))
    this.#field.addEventListener("focus", () => {
      if (this.#conversation !== null) this.#intents.act({ type: "focus", conversation: this.#conversation })
    })
    // Leaving the field or the page is a phone's "resigns active": the draft is saved at once.
    this.#field.addEventListener("blur", () => this.#rest())
    document.addEventListener("visibilitychange", () => document.hidden && this.#rest())
  }

  #pressed(event) {
    // While an input method composes, Enter accepts its suggestion and is not ours.
    if (event.isComposing || event.keyCode === 229) return
    if (event.key === "Escape" && this.#context.close) {
      event.preventDefault()
      this.#context.close()
    }
    if (event.key !== "Enter" || event.shiftKey) return
    event.preventDefault()
    this.#submit()
  }

  #state() {
    const { value: text, selectionStart, selectionEnd } = this.#field
    const shown = this.#shown?.launch === this.#launch ? this.#shown : null
    return {
      conversation: this.#conversation, text, selectionStart, selectionEnd, editing: shown?.editing,
      generation: shown?.generation,
    }
  }

  #edit() {
    if (this.#field.disabled || this.#field.readOnly || this.#conversation === null) return
    const state = this.#state()
    const told = JSON.stringify(state)
    if (told === this.#told) return
    this.#told = told
    this.#intents.edit(state)
  }

  #submit() {
    if (this.#field.disabled || this.#field.readOnly || this.#isComposing || this.#conversation === null) return
    if (this.#picks.isBusy) return
    const state = this.#state()
    // What comes after an edit is the new message that was there before it: the field waits for that.
    if (state.editing) return this.#switch({ type: "send", ...state })
    this.#intents.act({ type: "send", ...state })
    // The field is free for the next message at once.
    this.#field.value = ""
    this.#adopted = this.#shown = null
    this.#told = JSON.stringify(this.#state())
    this.#fit()
  }

  // A text that could not be stored comes back, before whatever was typed since. That of an edit never went.
  #takeBack({ conversation, editing, text }) {
    if (conversation !== this.#conversation || editing) return
    const typed = this.#field.value
    this.#field.value = typed === "" ? text : `${text}\n${typed}`
    this.#fit()
    this.#edit()
  }

  #rest() {
    if (this.#field.disabled || this.#conversation === null) return
    this.#intents.act({ type: "rest", conversation: this.#conversation })
  }

  #adopt() {
    const newest = this.#newest
    if (!newest || this.#isComposing) return
    if (!this.#intents.isIdle || newest.handled < this.#intents.settled) return
    this.#field.readOnly = false
    if (newest.key !== this.#adopted) this.#take(newest)
  }

  #take(newest) {
    this.#adopted = newest.key
    const { text, selection, editing, generation } = newest.composer
    this.#shown = { launch: newest.launch, editing, generation }
    this.#field.readOnly = false
    if (this.#field.value !== text) this.#field.value = text
    const end = this.#field.value.length
    this.#field.setSelectionRange(selection?.start ?? end, selection?.end ?? end)
    this.#told = JSON.stringify(this.#state())
    this.#fit()
  }

  // As high as its text, up to what the style sheet allows.
  #fit() {
    this.#field.style.height = "auto"
    this.#field.style.height = `${this.#field.scrollHeight}px`
  }
}
