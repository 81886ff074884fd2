// A phone from the outside: its switch, its buttons, and the state of its app's process.
import { Intents } from "/intents.js"
import { Chat } from "/chat.js"
import { List } from "/list.js"

const phases = { starting: "Starting", running: "Running", killed: "Killed", stopped: "Stopped" }

class ProcessControls {
  constructor(root, intents) {
    this.root = root
    this.text = root.querySelector(".process-text")
    this.pid = root.querySelector(".pid")
    this.kill = root.querySelector(".kill")
    this.launch = root.querySelector(".launch")
    this.kill.addEventListener("click", () => intents.press({ type: "kill" }))
    this.launch.addEventListener("click", () => intents.press({ type: "launch" }))
    this.show({ phase: "starting" })
  }

  show(process) {
    const alive = process.phase === "running" || process.phase === "starting"
    this.root.dataset.phase = process.phase
    this.text.textContent = phases[process.phase]
    this.pid.textContent = process.pid ? `pid ${process.pid}` : ""
    this.text.title = process.detail ?? ""
    // The focus moves along with the button that took it away, so the keyboard does not fall to the page.
    const hadFocus = document.activeElement === (alive ? this.launch : this.kill)
    this.kill.disabled = !alive
    this.launch.disabled = alive
    if (hadFocus) (alive ? this.kill : this.launch).focus()
  }

  cutOff() {
    this.root.dataset.phase = "unknown"
    this.text.textContent = "Unknown"
    this.pid.textContent = ""
    this.kill.disabled = true
    this.launch.disabled = true
  }
}

export class Relay {
  #controls

  constructor(root) {
    this.#controls = new ProcessControls(root, new Intents("relay"))
  }

  show(state) {
    this.#controls.show(state.process)
  }

  cutOff() {
    this.#controls.cutOff()
  }
}

export class Device {
  #controls
  #intents
  #section
  #airplane
  // Where the user has turned the switch, until the demo says the same.
  #wanted = null
  #chat
  #list
  #screen
  #gone

  constructor(part, name, section) {
    section.id = part
    section.setAttribute("aria-label", name)
    section.querySelector("h2").textContent = name
    this.#section = section
    this.#intents = new Intents(part)
    this.#controls = new ProcessControls(section, this.#intents)
    this.#chat = new Chat(section, this.#intents)
    this.#list = new List(section, this.#intents)
    this.#screen = section.querySelector(".screen")
    this.#gone = section.querySelector(".gone")
    this.#airplane = section.querySelector("input[role=switch]")
    this.#airplane.addEventListener("change", () => this.#turn(this.#airplane.checked))
  }

  show({ process, launch, airplane, snapshot }) {
    const isRunning = process.phase === "running"
    this.#controls.show(process)
    this.#airplane.disabled = false
    // A state from before the turn, still on its way here, must not turn the switch back.
    if (this.#wanted === airplane) this.#wanted = null
    this.#airplane.checked = this.#wanted ?? airplane
    this.#section.classList.toggle("airplane", airplane)
    this.#showGone(process)
    if (!isRunning) this.#intents.forget()
    if (snapshot) {
      const showsChat = Boolean(snapshot.conversation)
      // Whoever went there with the keyboard goes on with the keyboard.
      const hasFocus = this.#screen.contains(document.activeElement)
      this.#section.classList.toggle("shows-list", !showsChat)
      this.#list.show(snapshot, isRunning, !showsChat, hasFocus)
      this.#chat.show(snapshot, launch, isRunning, showsChat, hasFocus)
    } else {
      this.#chat.wait()
    }
  }

  cutOff() {
    this.#controls.cutOff()
    this.#airplane.disabled = true
    this.#wanted = null
    this.#intents.forget()
    this.#list.disable()
    this.#chat.disable()
  }

  #turn(isOn) {
    this.#wanted = isOn
    this.#intents.act({ type: "airplane", isOn })
  }

  #showGone({ phase, detail }) {
    const isGone = phase === "killed" || phase === "stopped"
    this.#gone.hidden = !isGone
    this.#section.classList.toggle("is-gone", isGone)
    if (!isGone) return
    this.#gone.querySelector(".gone-title").textContent = phase === "killed" ? "App killed" : "App stopped"
    this.#gone.querySelector(".gone-text").textContent =
      detail ?? "The process is gone. What it had stored is on disk."
  }
}
