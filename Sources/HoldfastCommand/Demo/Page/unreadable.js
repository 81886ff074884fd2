// What could not be read, in its own place, and a button that reads it again. Rows of an earlier read stay beside it.
import { say } from "/words.js"

export class Unreadable {
  #root
  #what
  #why
  #again
  #title
  #onGone

  // - title: what could not be read.
  // - reload: reads it again.
  // - onGone: called when the button had the focus and has gone.
  constructor(root, { title, reload, onGone }) {
    this.#root = root
    this.#what = root.querySelector("strong")
    this.#why = root.querySelector("span")
    this.#again = root.querySelector(".again")
    this.#title = title
    this.#onGone = onGone
    this.#again.addEventListener("click", reload)
  }

  // - problem: why it could not be read. Null when it was read.
  // - isAlone: whether there is nothing of an earlier read.
  show(problem, isAlone, isRunning) {
    const hadFocus = document.activeElement === this.#again
    this.#root.hidden = !problem
    this.#root.classList.toggle("is-alone", isAlone)
    this.#again.disabled = !isRunning
    say(this.#what, problem ? this.#title : "")
    say(this.#why, problem ?? "")
    if (hadFocus && !problem) this.#onGone()
  }

  disable() {
    this.#again.disabled = true
  }
}
