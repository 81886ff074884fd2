// One conversation: its bar, its banners, its timeline and its composer.
import { Banner } from "/banner.js"
import { Composer } from "/composer.js"
import { Timeline } from "/timeline.js"
import { Unreadable } from "/unreadable.js"
import { say } from "/words.js"

export class Chat {
  #view
  #title
  #avatar
  #back
  #banner
  #refusal
  #again
  #timeline
  #unreadable
  #composer
  #conversation = null

  constructor(section, intents) {
    this.#view = section.querySelector(".chat-view")
    this.#title = section.querySelector(".title")
    this.#avatar = section.querySelector(".bar .avatar")
    this.#back = section.querySelector(".back")
    this.#back.addEventListener("click", () => intents.act({ type: "back" }))
    this.#banner = new Banner(section)
    this.#refusal = this.#view.querySelector(".refusal")
    this.#again = this.#refusal.querySelector("button")
    this.#again.addEventListener("click", () => {
      intents.act({ type: "retryConversation", conversation: this.#conversation })
      this.#composer.focus()
    })
    this.#composer = new Composer(this.#view, intents)
    this.#timeline = new Timeline(this.#view, intents, this.#composer)
    this.#unreadable = new Unreadable(this.#view.querySelector(".unreadable"), {
      title: "The messages could not be read.",
      reload: () => intents.act({ type: "reload", conversation: this.#conversation }),
      onGone: () => this.#composer.focus(),
    })
  }

  // The conversation that is shown, or was shown last. Nil: there was none yet.
  get conversation() {
    return this.#conversation
  }

  show(snapshot, ahead, launch, isRunning, isVisible, hasFocus) {
    this.#banner.show(snapshot.banner, isRunning ? snapshot.progress : null)
    const appears = this.#view.hidden && isVisible
    this.#view.hidden = !isVisible
    this.#back.disabled = !isRunning
    if (!isVisible) return
    const { conversation, list } = snapshot
    this.#conversation = conversation.id
    const title = conversation.title || (list.rows.find(({ id }) => id === conversation.id)?.title ?? "")
    this.#title.textContent = title
    this.#avatar.textContent = [...title.trim()][0]?.toUpperCase() ?? ""
    const isUnread = Boolean(snapshot.problem) && conversation.rows.length === 0
    this.#unreadable.show(snapshot.problem, isUnread, isRunning)
    this.#view.classList.toggle("is-unread", isUnread)
    this.#timeline.show(snapshot, ahead, launch, isRunning)
    this.#showRefusal(conversation.refusal, isRunning)
    this.#composer.show(snapshot, launch, isRunning)
    if (!appears || !hasFocus) return
    if (snapshot.hit?.number) this.#timeline.focus()
    else this.#composer.focus()
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
    this.#again.disabled = true
    this.#timeline.disable()
    this.#unreadable.disable()
    this.#composer.disable()
  }

  #showRefusal(refusal, isRunning) {
    this.#refusal.hidden = !refusal
    this.#again.disabled = !isRunning
    say(this.#refusal.querySelector("span"), refusal?.explanation ?? "")
  }
}
