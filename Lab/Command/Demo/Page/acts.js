// What is done with a message: by a tap, a click or a finger that rests, and from the menus that open then.
import { copyCode } from "/markdown.js"
import { openMenu } from "/menu.js"
import { askToOpen } from "/opening.js"

// What people answer most, in the order of their use. The names are for those who hear them.
const emoji = [
  ["👍", "Thumbs up"], ["❤️", "Heart"], ["😂", "Laughing"], ["😮", "Surprised"], ["😢", "Sad"], ["🙏", "Thank you"],
]

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
    const addressed = target.closest("[data-address]")
    if (addressed) return askToOpen(addressed)
    const button = target.closest("button")
    if (button?.matches(".copy")) return copyCode(button)
    if (button?.matches(".chip")) return this.#toggle(row, button)
    if (button?.matches(".change")) return this.#openChange(row.looks.line.change, button)
    if (button?.matches(".act")) return this.#openDelivered(row)
    if (button?.matches(".reply-act")) return this.#takeUp(row.shown.id, button.dataset.type)
    // Whoever marks a text with the mouse does not tap.
    if (button || (target.closest(".tappable .bubble") && getSelection().isCollapsed)) this.#tap(row)
  }

  // The button under the message is what the keyboard reaches; the message itself is larger for a finger.
  #tap({ shown, looks, item }) {
    const button = item.querySelector(".status")
    if (!button || button.disabled) return
    if (looks.tap.length === 1) return this.#act(shown.id, looks.tap[0])
    openMenu(button, {
      label: "What to do with the message",
      note: looks.reason,
      items: this.#items(looks.tap, shown.id),
      onLost: () => this.#composer.focus(),
    })
  }

  #items(offers, id) {
    return offers.map((offer) => (
      { text: offer.title, isDangerous: offer.isDestructive, act: () => this.#act(id, offer) }))
  }

  #act(message, { kind, goesToComposer }) {
    if (kind === "beginEdit") return this.#composer.beginEdit(message)
    if (kind === "reply") return this.#composer.reply(message)
    this.#intents.act({ type: kind, message })
    if (goesToComposer) this.#composer.focus()
  }

  #openDelivered({ shown, looks, act }) {
    if (!act || act.disabled || !looks.menu) return
    // One text is written at a time: who edits does not answer.
    const offers = looks.menu.filter(({ kind }) => !(kind === "reply" && this.isEditing))
    openMenu(act, {
      label: "What to do with the message",
      reactions: looks.canReact ? this.#reactions(shown) : [],
      items: this.#items(offers, shown.id),
      onLost: () => this.#composer.focus(),
    })
  }

  #reactions({ id, reactions }) {
    return emoji.map(([value, name]) => {
      const isMine = reactions.some((reaction) => reaction.value === value && reaction.isMine)
      return { value, name, isMine, act: () => this.#react(id, value, !isMine) }
    })
  }

  // The button goes with the interruption, and the focus must be somewhere.
  #takeUp(message, type) {
    this.#intents.act({ type, message })
    this.#composer.focus()
  }

  #openChange(change, button) {
    if (!change) return
    openMenu(button, {
      label: "What to do with the change",
      note: change.reason,
      items: this.#items(change.offers, change.id),
      onLost: () => this.#composer.focus(),
    })
  }

  #toggle({ shown, looks }, chip) {
    if (!looks.canReact) return
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
