// What the engine says of itself: the link, the outbox, and why a message waits.
import { Ticker, count, quickText, say, spanText, untilText } from "/words.js"

const links = { offline: "Offline", reconnecting: "Reconnecting", online: "Online" }

function depthText({ waiting, held, failed }) {
  const parts = []
  if (waiting > 0) parts.push(`${waiting} waiting`)
  if (held > 0) parts.push(`${held} held`)
  if (failed > 0) parts.push(`${failed} failed`)
  return parts.join(", ") || "Empty"
}

export class Panel {
  #root
  #places = {}
  #snapshot = null
  #ahead = 0
  // The launch whose panel was taken over.
  #launch = null
  #ticker = new Ticker(() => this.#draw())

  constructor(section, intents) {
    this.#root = section.querySelector(".panel")
    // Where there is room beside the phone it is open; elsewhere the phone comes first.
    this.#root.open = matchMedia("(min-width: 1240px)").matches
    this.#root.querySelector("summary").addEventListener("click", () => {
      // It turns after the click.
      intents.act({ type: "panel", isOn: !this.#root.open })
    })
    for (const name of ["link", "depth", "oldest", "times", "why"]) {
      this.#places[name] = this.#root.querySelector(`.panel-${name}`)
    }
  }

  // - ahead: by how many milliseconds the phone's date is ahead of the browser's.
  show(snapshot, ahead, launch, isRunning) {
    if (isRunning && snapshot && launch !== this.#launch) {
      this.#launch = launch
      this.#root.open = snapshot.isPanelOpen ?? this.#root.open
    }
    this.#root.classList.toggle("is-stale", !isRunning)
    this.#snapshot = isRunning ? snapshot : null
    this.#ahead = ahead
    this.#draw()
  }

  #draw() {
    if (!this.#snapshot) {
      for (const place of Object.values(this.#places)) say(place, "-")
      return this.#ticker.run(false)
    }
    const { link, outbox, explanation, explanationProblem } = this.#snapshot
    const now = Date.now() + this.#ahead
    const { oldestSince, delivered, p50, p95 } = outbox
    say(this.#places.link, links[link])
    say(this.#places.depth, depthText(outbox))
    say(this.#places.oldest, oldestSince ? `waits for ${spanText(now - oldestSince)}` : "-")
    say(this.#places.times, delivered > 0
      ? `${quickText(p50)} (p50), ${quickText(p95)} (p95), of ${count(delivered, "message")}` : "-")
    const next = explanation?.status.nextAttempt
    const attempt = next ? ` Next attempt ${untilText(next - now)}.` : ""
    const why = explanationProblem ?? (explanation && explanation.sentence + attempt)
    say(this.#places.why, why && (oldestSince || this.#snapshot.info) ? why : "-")
    this.#ticker.run(Boolean(oldestSince || next))
  }
}
