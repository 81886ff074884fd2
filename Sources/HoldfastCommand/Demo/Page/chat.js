// One conversation: its bar, its banners, its timeline and its composer.
import { Timeline } from "/timeline.js"
import { Composer } from "/composer.js"

export class Chat {
  #view
  #title
  #avatar
  #back
  #banner
  #bannerText
  #leaving = 0
  #timeline
  #composer

  constructor(section, intents) {
    this.#view = section.querySelector(".chat-view")
    this.#title = section.querySelector(".title")
    this.#avatar = section.querySelector(".bar .avatar")
    this.#back = section.querySelector(".back")
    this.#back.addEventListener("click", () => intents.act({ type: "back" }))
    this.#banner = section.querySelector(".banner")
    this.#bannerText = this.#banner.querySelector("p")
    this.#composer = new Composer(this.#view, intents)
    this.#timeline = new Timeline(this.#view, intents, () => this.#composer.focus())
  }

  show(snapshot, ahead, launch, isRunning, isVisible, hasFocus) {
    this.#showBanner(snapshot.banner)
    const appears = this.#view.hidden && isVisible
    this.#view.hidden = !isVisible
    this.#back.disabled = !isRunning
    if (!isVisible) return
    const { conversation, composer } = snapshot
    this.#title.textContent = conversation.title
    this.#avatar.textContent = [...conversation.title.trim()][0]?.toUpperCase() ?? ""
    this.#timeline.show(conversation, ahead, isRunning)
    this.#composer.show(composer, conversation.id, launch, snapshot.handled, isRunning)
    if (appears && hasFocus) this.#composer.focus()
  }

  focus() {
    this.#composer.focus()
  }

  // There is nothing to show yet: the app is starting for the first time.
  wait() {
    this.#timeline.wait()
    this.disable()
  }

  disable() {
    this.#back.disabled = true
    this.#timeline.disable()
    this.#composer.disable()
  }

  #showBanner(banner) {
    clearTimeout(this.#leaving)
    this.#banner.classList.toggle("is-shown", Boolean(banner))
    if (banner) {
      this.#banner.dataset.kind = banner.kind
      this.#say(banner.text)
    } else {
      // The words leave with the banner and not before it.
      this.#leaving = setTimeout(() => this.#say(""), 250)
    }
  }

  #say(text) {
    if (this.#bannerText.textContent !== text) this.#bannerText.textContent = text
  }
}
