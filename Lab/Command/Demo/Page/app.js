// Listens to the demo's events and hands each part its newest state. Nothing is decided here: what the
// page shows is what the processes said last.
import { Device } from "/device.js"
import { Relay } from "/relay.js"
import { backend, phones } from "/stage.js"
import { completeClicks } from "/taps.js"

const names = { alice: "Alice", bob: "Bob" }
// The page shows all phones; or, under an address with a phone's name, that phone's second window.
const asked = new URLSearchParams(location.search).get("window")
const isWindow = phones.includes(asked)
const main = document.querySelector("main")
const notice = document.getElementById("notice")
const parts = new Map()
if (backend !== "device") parts.set("relay", new Relay(document.getElementById("relay"), backend))
document.body.classList.add(`on-${backend}`)

for (const part of phones) {
  if (isWindow && part !== asked) continue
  const name = names[part]
  const section = document.getElementById("phone").content.firstElementChild.cloneNode(true)
  parts.set(part, new Device(part, name, section, isWindow ? 2 : undefined))
  main.append(section)
}

if (isWindow) {
  document.body.classList.add("is-window")
  document.title = `${names[asked]}, second window`
}

// The token has done its work: the cookie carries it from here, and the address can be shown around.
history.replaceState(null, "", location.pathname + (isWindow ? `?window=${asked}` : "") + location.hash)

// A file that is dropped beside a phone is not to take the page's place.
for (const type of ["dragover", "drop"]) document.addEventListener(type, (event) => event.preventDefault())

completeClicks(document)

let retry = 0

async function explain() {
  try {
    const answer = await fetch("/icon.svg")
    return answer.status === 403 ? (await answer.text()).trim() : "Reconnecting to the demo..."
  } catch {
    return "The demo is not running. This page continues by itself when it is started again."
  }
}

function listen() {
  const events = new EventSource("/events")
  events.onopen = () => {
    notice.textContent = ""
    document.body.classList.remove("cut-off")
  }
  events.onmessage = (event) => {
    const state = JSON.parse(event.data)
    parts.get(state.part)?.show(state)
  }
  events.onerror = async () => {
    events.close()
    document.body.classList.add("cut-off")
    for (const part of parts.values()) part.cutOff()
    clearTimeout(retry)
    retry = setTimeout(listen, 1000)
    notice.textContent = await explain()
  }
}

listen()
