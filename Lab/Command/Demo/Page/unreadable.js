// What could not be read, in its own place, and a button that reads it again. Rows of an earlier read stay beside it.
import { say } from "/words.js"

export class Unreadable {
  #root
  #what
  #why
  #again
  #onGone

  // - reload: reads it again.
  // - onGone: called when the button had the focus and has gone.
  constructor(root, { reload, onGone }) {
    this.#root = root
    this.#what = root.querySelector("strong")
    this.#why = root.querySelector("span")
    this.#again = root.querySelector(".again")
    this.#onGone = onGone
    this.#again.addEventListener("click", reload)
  }

  // - content: what stands in the place of the rows, as the engine says it. Null: nothing is said.
  show(content, isRunning) {
    const hadFocus = document.activeElement === this.#again
    const failure = content?.failure
    this.#root.hidden = !failure
    this.#root.classList.toggle("is-alone", Boolean(content?.isAlone))
    this.#again.disabled = !isRunning
    say(this.#what, failure ?? "")
    say(this.#why, content?.reason ?? "")
    if (hadFocus && !failure) this.#onGone()
  }

  disable() {
    this.#again.disabled = true
  }
}
