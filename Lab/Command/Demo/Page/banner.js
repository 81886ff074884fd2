// What slides in below a conversation's bar: how the way to the server is, and how far a long queue has gone out.
import { say } from "/words.js"

// The words leave with the banner and not before it, in milliseconds.
const leaving = 250

class Sliding {
  #root
  #timer = 0

  constructor(root) {
    this.#root = root
  }

  show(isShown, say) {
    clearTimeout(this.#timer)
    this.#root.classList.toggle("is-shown", isShown)
    if (isShown) say()
    else this.#timer = setTimeout(say, leaving)
  }
}

export class Banner {
  #banner
  #text
  #drain
  #bar
  #sliding
  #draining

  constructor(section) {
    this.#banner = section.querySelector(".banner")
    this.#text = this.#banner.querySelector("p")
    this.#drain = section.querySelector(".drain")
    this.#bar = this.#drain.querySelector("progress")
    this.#sliding = new Sliding(this.#banner)
    this.#draining = new Sliding(this.#drain)
  }

  show(banner, progress) {
    if (banner) this.#banner.dataset.kind = banner.kind
    this.#sliding.show(Boolean(banner), () => say(this.#text, banner?.text ?? ""))
    this.#draining.show(Boolean(progress), () => this.#drawProgress(progress))
  }

  // A screen reader hears the words of a progress bar when it is asked to, and not a hundred times.
  #drawProgress(progress) {
    say(this.#drain.querySelector("p"), progress?.text ?? "")
    this.#bar.hidden = !progress
    if (!progress) return
    this.#bar.max = progress.total
    this.#bar.value = progress.sent
    this.#bar.setAttribute("aria-valuetext", progress.text)
  }
}
