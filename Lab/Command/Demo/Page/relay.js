// The relay: its process, and what it is told to do wrong.
import { Intents } from "/intents.js"
import { openMenu } from "/menu.js"
import { ProcessControls } from "/process.js"
import { Ticker, count, say, spanText } from "/words.js"

const orders = [
  { text: "Refuse the next message", order: { type: "refuse", count: 1 } },
  { text: "Refuse the conversation", order: { type: "refuseConversation", count: 1 } },
  { text: "Lose the next 3 receipts", order: { type: "loseReceipts", count: 3 } },
  { text: "Take its time for 30 seconds", order: { type: "slow", seconds: 30 } },
  { text: "Answer 503 for 20 seconds", order: { type: "unavailable", seconds: 20 } },
  // An operator's deeds. The relay knows a conversation by each ID that it had.
  { text: "Delete “Weekend trip” for everyone", order: { type: "remove", conversation: "weekend-trip" } },
  { text: "Give “Weekend trip” another ID", order: { type: "rename", conversation: "weekend-trip" }, isNew: true },
]

const withNewID = (order) => ({ ...order, to: `trip-${crypto.randomUUID()}` })

export class Relay {
  #controls
  #misbehave
  #faults
  #text
  #report = null
  #ticker = new Ticker(() => this.#draw())

  // Other servers take no orders. Google's emulator would forget everything if it were killed.
  constructor(root, backend) {
    if (backend === "firestore") {
      root.setAttribute("aria-label", "Firestore")
      root.querySelector("h2").textContent = "Firestore emulator"
    }
    if (backend === "matrix") {
      root.setAttribute("aria-label", "Synapse")
      root.querySelector("h2").textContent = "Synapse"
      root.querySelector(".kill").textContent = "Kill Synapse"
      root.querySelector(".launch").textContent = "Launch Synapse"
    }
    const intents = new Intents("relay")
    this.#controls = new ProcessControls(root, intents)
    this.#faults = root.querySelector(".faults")
    this.#text = root.querySelector(".faults-text")
    this.#misbehave = root.querySelector(".misbehave")
    this.#misbehave.addEventListener("click", () =>
      openMenu(this.#misbehave, {
        label: "What the relay does wrong",
        items: orders.map(({ text, order, isNew }) => ({
          text,
          act: () => intents.act(isNew ? withNewID(order) : order),
        })),
      }))
    root.querySelector(".behave").addEventListener("click", () => {
      intents.act({ type: "behave" })
      // The button leaves with what it ends, and the focus stays where one can go on.
      this.#misbehave.focus()
    })
  }

  show({ process, snapshot }) {
    this.#controls.show(process)
    this.#misbehave.disabled = process.phase !== "running"
    this.#report = snapshot
    this.#draw()
  }

  cutOff() {
    this.#controls.cutOff()
    this.#misbehave.disabled = true
    this.#report = null
    this.#draw()
  }

  #draw() {
    const { refusals = 0, conversationRefusals = 0, lostReceipts = 0, ...until } = this.#report ?? {}
    const [left, slow] = [until.unavailableUntil, until.slowUntil].map((end) => (end ?? 0) - Date.now())
    const said = []
    if (left > 0) said.push(`Answers 503 for ${spanText(left)}`)
    if (slow > 0) said.push(`Takes its time for ${spanText(slow)}`)
    if (conversationRefusals > 0) said.push("Refuses the conversation of the next message")
    if (refusals > 0) said.push(`Refuses the next ${refusals === 1 ? "message" : count(refusals, "message")}`)
    if (lostReceipts > 0) said.push(`Loses the next ${lostReceipts === 1 ? "receipt" : count(lostReceipts, "receipt")}`)
    say(this.#text, said.join(" · "))
    this.#faults.hidden = said.length === 0
    this.#ticker.run(left > 0 || slow > 0)
  }
}
