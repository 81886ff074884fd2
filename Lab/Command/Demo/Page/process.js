// The state of a process, and the buttons that kill it and launch it again.

const phases = { starting: "Starting", running: "Running", killed: "Killed", stopped: "Stopped" }

export class ProcessControls {
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
