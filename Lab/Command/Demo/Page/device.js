// A phone from the outside: its switch, its date, its buttons, and the state of its app's process.
import { Chat } from "/chat.js"
import { Import } from "/import.js"
import { Intents } from "/intents.js"
import { List } from "/list.js"
import { openMenu } from "/menu.js"
import { Panel } from "/panel.js"
import { ProcessControls } from "/process.js"
import { Sheet } from "/sheet.js"
import { count, say } from "/words.js"

const day = 86400000
// What belongs to one window of a phone, and is not said where it is not there.
const firstWindow = {
  conversation: undefined, messages: undefined, bodies: undefined, content: undefined, sheet: undefined, composer: undefined, info: undefined,
  explanation: undefined, explanationProblem: undefined, fileProblem: undefined, versions: undefined, deletion: undefined, anchor: undefined, isPanelOpen: undefined, lost: undefined, search: undefined,
  hit: undefined,
}

export class Device {
  #controls
  #intents
  #section
  #airplane
  // Where the user has turned the switch, until the demo says the same.
  #wanted = null
  #days
  #date
  #chat
  #list
  #sheet
  #panel
  #screen
  #notice
  #gone
  #window
  // The launch in which this window was asked for.
  #opened = null

  // - window: the number of the window that is shown. Undefined: the first one, with everything around it.
  constructor(part, name, section, window) {
    section.id = part
    section.setAttribute("aria-label", name)
    section.querySelector("h2").textContent = name
    this.#section = section
    this.#window = window
    section.querySelector(".window").href = `/?window=${part}`
    section.querySelector(".window").target = `holdfast-${part}`
    this.#intents = new Intents(part, window)
    this.#controls = new ProcessControls(section, this.#intents)
    this.#screen = section.querySelector(".screen")
    this.#chat = new Chat(section, this.#intents)
    const imports = new Import(this.#intents)
    this.#list = new List(section, this.#intents, imports, (row) => this.#sheet.rename(row))
    this.#sheet = new Sheet(this.#screen, this.#intents, () =>
      (section.classList.contains("shows-list") ? this.#list : this.#chat).focus())
    imports.onChange = (reading) => this.#sheet.tellOfImport(reading)
    this.#panel = new Panel(section, this.#intents)
    this.#notice = section.querySelector(".phone-notice")
    this.#gone = section.querySelector(".gone")
    this.#airplane = section.querySelector("input[role=switch]")
    this.#airplane.addEventListener("change", () => this.#turn(this.#airplane.checked))
    this.#date = section.querySelector(".date")
    this.#days = section.querySelector(".days")
    this.#days.addEventListener("click", () =>
      openMenu(this.#days, {
        label: "How much time passes",
        items: [[1, "1 day passes"], [3, "3 days pass"], [8, "8 days pass"], [365, "1 year passes"]].map(([days, text]) => ({
          text,
          act: () => this.#intents.press({ type: "pass", days }),
        })),
      }))
  }

  show({ process, launch, airplane, daysAhead, snapshot }) {
    const isRunning = process.phase === "running"
    const ahead = daysAhead * day
    this.#controls.show(process)
    this.#airplane.disabled = false
    this.#days.disabled = false
    // A state from before the turn, still on its way here, must not turn the switch back.
    if (this.#wanted === airplane) this.#wanted = null
    this.#airplane.checked = this.#wanted ?? airplane
    this.#section.classList.toggle("airplane", airplane)
    const years = daysAhead / 365
    const later = Number.isInteger(years) ? count(years, "year") : count(daysAhead, "day")
    say(this.#date, daysAhead > 0 ? `${later} later` : "")
    this.#showGone(process)
    if (!isRunning) this.#intents.forget()
    const shown = this.#inWindow(snapshot, launch, isRunning)
    this.#showNotice(isRunning ? snapshot?.notice ?? shown?.lost : null)
    this.#panel.show(shown, ahead, launch, isRunning)
    if (shown) this.#showScreen(shown, ahead, launch, isRunning)
    else this.#chat.wait()
  }

  // What this window shows of it. A launch knows nothing of a second window until it is asked for.
  #inWindow(snapshot, launch, isRunning) {
    if (!this.#window || !snapshot) return snapshot
    if (snapshot.second) return { ...snapshot, ...firstWindow, ...snapshot.second }
    if (isRunning && this.#opened !== launch) {
      this.#opened = launch
      this.#intents.act({ type: "appear", conversation: snapshot.conversation?.id })
    }
    return null
  }

  #showScreen(snapshot, ahead, launch, isRunning) {
    const showsChat = Boolean(snapshot.conversation)
    // Whoever went there with the keyboard goes on with the keyboard.
    const hasFocus = this.#screen.contains(document.activeElement)
    this.#section.classList.toggle("shows-list", !showsChat)
    this.#list.show(snapshot, ahead, launch, isRunning, !showsChat, hasFocus)
    this.#chat.show(snapshot, ahead, launch, isRunning, showsChat, hasFocus)
    this.#sheet.show(snapshot, ahead, isRunning)
  }
  cutOff() {
    this.#controls.cutOff()
    this.#airplane.disabled = true
    this.#days.disabled = true
    this.#wanted = null
    this.#intents.forget()
    this.#list.disable()
    this.#chat.disable()
    this.#panel.show(null, 0, null, false)
  }

  #turn(isOn) {
    this.#wanted = isOn
    this.#intents.act({ type: "airplane", isOn })
  }

  #showNotice(text) {
    this.#notice.hidden = !text
    say(this.#notice, text ?? "")
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
