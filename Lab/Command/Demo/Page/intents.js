// Carries what the user did to one part of the demo, in order and one at a time.

// The answer, or null when the intent was not taken.
async function post(intent) {
  try {
    const answer = await fetch("/intent", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(intent),
      keepalive: intent.type === "rest",
    })
    if (answer.status === 204) return {}
    return answer.status === 200 ? await answer.json() : null
  } catch {
    return null
  }
}

// The answer is a sentence when a file could not be brought.
async function deliver(path, about, file) {
  const query = about.filter(([, value]) => value).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  try {
    const answer = await fetch(`${path}?${query.join("&")}`, {
      method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file,
    })
    return answer.ok ? null : (await answer.text()).trim()
  } catch {
    return "The file did not get through. Try again."
  }
}

export class Intents {
  // Snapshots are true for everything that was sent up to this number.
  settled = 0
  #from
  #waiting = []
  #running = null

  // - window: the number of the phone's window in which things are done. Undefined: the first one.
  constructor(part, window) {
    this.#from = { part, window }
  }

  get part() {
    return this.#from.part
  }

  // Brings a file to the phone's app, beside what is typed meanwhile. The answer is a sentence when it could not.
  async bring(file, conversation) {
    const { part, window } = this.#from
    const about = Object.entries({ part, window, conversation, name: file.name, type: file.type })
    return deliver("/file", about, file)
  }

  // The same with what an app had before, which the phone reads afterwards.
  async bringHistory(file) {
    return deliver("/history", Object.entries({ part: this.part, name: file.name }), file)
  }

  // Nothing is on its way: what the newest snapshot says about the text field includes all typing.
  get isIdle() {
    return this.#running === null && this.#waiting.length === 0
  }

  // A newer state of a text field replaces one that has not left yet; nothing else is ever dropped.
  edit(intent) {
    this.replace({ type: "edit", ...intent })
  }

  replace(intent) {
    if (this.#waiting.at(-1)?.type === intent.type) this.#waiting.pop()
    this.act(intent)
  }

  act(intent) {
    this.#waiting.push({ ...this.#from, ...intent })
    this.#running ??= this.#drain()
  }

  // For the buttons that must work when the app hangs: behind what was typed before, but not behind an
  // answer that does not come.
  async press(intent) {
    if (this.#running) {
      await Promise.race([this.#running, new Promise((done) => setTimeout(done, 1000))])
    }
    await post({ ...this.#from, ...intent })
  }

  // The app is gone, and what was meant for it with it. The device's own switch is not the app's.
  forget() {
    this.#waiting = this.#waiting.filter((intent) => intent.type === "airplane")
  }

  async #drain() {
    while (this.#waiting.length > 0) {
      const intent = this.#waiting.shift()
      const answer = await post(intent)
      if (answer?.number) this.settled = answer.number
      if (answer?.isRefused) this.onRefused?.(intent)
    }
    this.#running = null
    this.onIdle?.()
  }
}
