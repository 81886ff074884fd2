// What is done with a message: by a tap, a click or a finger that rests, and from the menus that open then.
import { openMenu } from "/menu.js"
import { deliveredOffers, operationOffers, unsentOffers } from "/offers.js"

// As long as a finger rests on a message before that means something, in milliseconds, and how far it may slip.
const hold = 450
const slip = 10

export class Acts {
  // A message is being edited in the composer.
  isEditing = false
  #list
  #rowOf
  #intents
  #composer

  // - rowOf: the row of a message, by its ID.
  // - composer: where a message is edited and answered.
  constructor(list, rowOf, intents, composer) {
    this.#list = list
    this.#rowOf = rowOf
    this.#intents = intents
    this.#composer = composer
    list.addEventListener("click", (event) => this.#clicked(event))
    this.#watchHolding()
  }

  #rowAt(element) {
    return this.#rowOf(element.closest(".row")?.dataset.message)
  }

  #clicked({ target }) {
    const row = this.#rowAt(target)
    // A file is opened, and not its message.
    if (!row || target.closest("a, .file-fetch")) return
    const button = target.closest("button")
    if (button?.matches(".chip")) return this.#toggle(row.shown, button)
    if (button?.matches(".change")) return this.#openOperation(row.shown, button)
    if (button?.matches(".act")) return this.#openDelivered(row)
    if (button?.matches(".reply-act")) return this.#takeUp(row.shown.id, button.dataset.type)
    // Whoever marks a text with the mouse does not tap.
    if (button || (target.closest(".tappable .bubble") && getSelection().isCollapsed)) this.#tap(row)
  }

  // The button under the message is what the keyboard reaches; the message itself is larger for a finger.
  #tap({ shown, item }) {
    const offered = unsentOffers(shown)
    const button = item.querySelector(".status")
    if (!button || button.disabled) return
    if (offered.length === 1) return this.#act(shown.id, offered[0])
    openMenu(button, {
      label: "What to do with the message",
      note: shown.status.failure?.explanation,
      items: offered.map((offer) => ({ ...offer, act: () => this.#act(shown.id, offer) })),
      onLost: () => this.#composer.focus(),
    })
  }

  #act(message, { type, goesToComposer }) {
    this.#intents.act({ type, message })
    if (goesToComposer) this.#composer.focus()
  }

  #openDelivered(row) {
    const { shown, act } = row
    const offers = deliveredOffers(shown)
    if (!act || act.disabled || !offers) return
    // One text is written at a time: who edits does not answer.
    const items = offers.items.filter(({ isReply }) => !(isReply && this.isEditing))
    openMenu(act, {
      label: "What to do with the message",
      reactions: offers.reactions.map((reaction) => ({
        ...reaction, act: () => this.#react(shown.id, reaction.value, !reaction.isMine),
      })),
      items: items.map((offer) => ({ ...offer, act: () => this.#actOnDelivered(shown.id, offer) })),
      onLost: () => this.#composer.focus(),
    })
  }

  #actOnDelivered(message, offer) {
    if (offer.isEdit) this.#composer.beginEdit(message)
    else if (offer.isReply) this.#composer.reply(message)
    else this.#act(message, offer)
  }

  // The button goes with the interruption, and the focus must be somewhere.
  #takeUp(message, type) {
    this.#intents.act({ type, message })
    this.#composer.focus()
  }

  #openOperation({ operation }, button) {
    if (!operation) return
    openMenu(button, {
      label: "What to do with the change",
      note: operation.status.failure?.explanation,
      items: operationOffers(operation).map((offer) => ({ ...offer, act: () => this.#act(operation.id, offer) })),
      onLost: () => this.#composer.focus(),
    })
  }

  #toggle(shown, chip) {
    if (!shown.actions.includes("react")) return
    this.#react(shown.id, chip.dataset.value, chip.getAttribute("aria-pressed") !== "true")
  }

  #react(message, text, isOn) {
    this.#intents.act({ type: "react", message, text, isOn })
  }

  // A finger has no hover: it rests on the message.
  #watchHolding() {
    let timer = 0
    let from = null
    const stop = () => clearTimeout(timer)
    this.#list.addEventListener("pointerdown", (event) => {
      stop()
      const row = this.#rowAt(event.target)
      if (event.pointerType === "mouse" || !row || !event.target.closest(".content")) return
      from = event
      timer = setTimeout(() => {
        // The system's own answer to a long press is to mark a word.
        getSelection().removeAllRanges()
        this.#openDelivered(row)
      }, hold)
    })
    this.#list.addEventListener("pointermove", (event) => {
      if (from && Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) > slip) stop()
    })
    for (const type of ["pointerup", "pointercancel"]) this.#list.addEventListener(type, stop)
    this.#list.addEventListener("contextmenu", (event) => {
      if (event.pointerType === "touch" && event.target.closest(".content")) event.preventDefault()
    })
  }
}
