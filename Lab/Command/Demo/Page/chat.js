// One conversation: its bar, its banners, its timeline and its composer.
import { Banner } from "/banner.js"
import { Composer } from "/composer.js"
import { Timeline } from "/timeline.js"
import { Unreadable } from "/unreadable.js"
import { say } from "/words.js"

function awaitedText({ isInterrupted }, link) {
  if (!isInterrupted) return "Waiting for the answer of the other phone's assistant"
  return link === "online"
    ? "Interrupted - The relay knows nothing of an answer yet"
    : "Interrupted - The relay is asked once this phone is online"
}

export class Chat {
  #view
  #title
  #avatar
  #back
  #banner
  #refusal
  #again
  #awaited
  // The message whose answer is awaited.
  #question = null
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
    this.#refusal = this.#view.querySelector(".refusal:not(.awaited)")
    this.#awaited = this.#view.querySelector(".awaited")
    this.#awaited.querySelector("button").addEventListener("click", () => {
      intents.act({ type: "stopWaiting", conversation: this.#conversation, message: this.#question })
      this.#composer.focus()
    })
    this.#again = this.#refusal.querySelector("button")
    this.#again.addEventListener("click", () => {
      intents.act({ type: "retryConversation", conversation: this.#conversation })
      this.#composer.focus()
    })
    this.#composer = new Composer(this.#view, intents)
    this.#timeline = new Timeline(this.#view, intents, this.#composer)
    this.#unreadable = new Unreadable(this.#view.querySelector(".unreadable"), {
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
    this.#unreadable.show(snapshot.content, isRunning)
    this.#view.classList.toggle("is-unread", snapshot.content.isAlone)
    this.#timeline.show(snapshot, ahead, launch, isRunning)
    this.#showRefusal(conversation.refusal, isRunning)
    this.#showAwaited(conversation, snapshot.link, isRunning)
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
    this.#awaited.querySelector("button").disabled = true
    this.#timeline.disable()
    this.#unreadable.disable()
    this.#composer.disable()
  }

  // An answer that another phone writes. One that is written here says so itself, in its row.
  #showAwaited({ processing, rows }, link, isRunning) {
    // An answer that this phone writes itself is in the timeline already.
    const isAwaited = processing && rows.some(({ id, isMine }) => isMine && id === processing.id)
      && !rows.some(({ isWrittenHere }) => isWrittenHere)
    this.#question = isAwaited ? processing.id : null
    this.#awaited.hidden = !isAwaited
    this.#awaited.querySelector("button").disabled = !isRunning
    say(this.#awaited.querySelector("span"), isAwaited ? awaitedText(processing, link) : "")
  }

  #showRefusal(refusal, isRunning) {
    this.#refusal.hidden = !refusal
    this.#again.disabled = !isRunning
    say(this.#refusal.querySelector("span"), refusal?.explanation ?? "")
  }
}
