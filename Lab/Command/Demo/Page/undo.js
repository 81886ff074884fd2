// What was deleted a moment ago, and is brought back for as long as the phone offers it.
import { element } from "/words.js"

export class Undo {
  // Called with the conversation that is brought back, or null, when what had the focus has gone.
  onGone = null
  #root
  #intents
  #shown = ""
  // The conversation that is being brought back.
  #wanted = null

  constructor(section, intents) {
    this.#root = section.querySelector(".undo-deletion")
    this.#intents = intents
    this.#root.addEventListener("click", ({ target }) => {
      const button = target.closest("button")
      if (!button) return
      this.#wanted = button.dataset.id
      const type = button.dataset.isEmptied ? "undoEmptying" : "undoDeletion"
      intents.act({ type, conversation: button.dataset.id })
    })
  }

  show(undoable, isRunning) {
    const offered = isRunning ? undoable : []
    const shown = JSON.stringify(offered)
    if (shown === this.#shown) return
    this.#shown = shown
    const hadFocus = this.#root.contains(document.activeElement)
    const there = new Map([...this.#root.children].map((line) => [line.dataset.id, line]))
    // A line that stays is left alone: a screen reader says again what is made again.
    for (const [id, line] of there) if (!offered.some((one) => one.id === id)) line.remove()
    for (const one of offered) if (!there.has(one.id)) this.#root.append(this.#line(one))
    if (hadFocus && !this.#root.contains(document.activeElement)) this.onGone?.(this.#wanted)
    this.#wanted = null
  }

  // Nil: nothing is offered.
  get button() {
    return this.#root.querySelector("p:last-child button")
  }

  #line({ id, text, isEmptied }) {
    const line = element("p", "undo-line")
    line.dataset.id = id
    const words = element("span", "undo-words", text)
    words.dir = "auto"
    const button = element("button", "undo-button", "Undo")
    button.type = "button"
    button.dataset.id = id
    if (isEmptied) button.dataset.isEmptied = "true"
    line.append(words, button)
    return line
  }
}
