// The text field. What is typed belongs to the user: the page replaces it only when the app says that it,
// and not the user, changed the text, and only when that answer includes everything typed so far.

export class Composer {
  #form
  #field
  #send
  #banner
  #problem
  #intents
  #conversation = null
  // The state that the field has taken over last: its launch, conversation and generation.
  #adopted = null
  #newest = null
  #told = null
  #isComposing = false

  constructor(view, intents) {
    this.#form = view.querySelector(".composer")
    this.#field = view.querySelector("textarea")
    this.#send = view.querySelector(".send")
    this.#banner = view.querySelector(".draft-banner")
    this.#problem = view.querySelector(".problem")
    this.#intents = intents
    intents.onIdle = () => this.#adopt()
    intents.onRefused = (intent) => this.#takeBack(intent)
    this.#listen()
    this.disable()
  }

  show(composer, conversation, launch, handled, isRunning) {
    // Another conversation's text replaces this one's at once: what is typed from now on is typed into that one.
    const isOther = conversation !== this.#conversation
    this.#conversation = conversation
    this.#field.disabled = this.#send.disabled = !isRunning
    this.#form.classList.toggle("can-send", composer.canSend)
    this.#showBanner(composer.banner)
    this.#show(this.#problem, composer.problem ?? "")
    this.#newest = { composer, handled, key: `${launch} ${conversation} ${composer.generation}` }
    if (isOther) this.#take(this.#newest)
    else this.#adopt()
  }

  disable() {
    this.#field.disabled = this.#send.disabled = true
  }

  focus() {
    this.#field.focus()
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

  #show(line, text) {
    if (line.textContent !== text) line.textContent = text
    line.hidden = text === ""
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
    this.#field.addEventListener("keydown", (event) => {
      // While an input method composes, Enter accepts its suggestion and is not ours.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return
      event.preventDefault()
      this.#submit()
    })
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault()
      this.#submit()
      this.#field.focus()
    })
    this.#offer("keep", "keepDraft")
    this.#offer("discard", "discard")
    this.#offer("undo", "undoDiscard")
    // Leaving the field or the page is a phone's "resigns active": the draft is saved at once.
    this.#field.addEventListener("blur", () => this.#rest())
    document.addEventListener("visibilitychange", () => document.hidden && this.#rest())
  }

  #state() {
    const { value: text, selectionStart, selectionEnd } = this.#field
    return { conversation: this.#conversation, text, selectionStart, selectionEnd }
  }

  #edit() {
    if (this.#field.disabled || this.#conversation === null) return
    const state = this.#state()
    const told = JSON.stringify(state)
    if (told === this.#told) return
    this.#told = told
    this.#intents.edit(state)
  }

  #submit() {
    if (this.#field.disabled || this.#isComposing || this.#conversation === null) return
    this.#intents.act({ type: "send", ...this.#state() })
    // The field is free for the next message at once.
    this.#field.value = ""
    this.#told = JSON.stringify(this.#state())
    this.#adopted = null
    this.#fit()
  }

  // A text that could not be stored comes back, before whatever was typed since.
  #takeBack({ conversation, text }) {
    if (conversation !== this.#conversation) return
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
    if (!newest || newest.key === this.#adopted || this.#isComposing) return
    if (!this.#intents.isIdle || newest.handled < this.#intents.settled) return
    this.#take(newest)
  }

  #take(newest) {
    this.#adopted = newest.key
    const { text, selection } = newest.composer
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
