// The search over all messages: a field above the list, and what is found in the list's place.
import { markRanges } from "/marks.js"
import { count, element, say, senderName, whenText } from "/words.js"

export class Search {
  #field
  #clear
  #found
  #said
  #hits
  #more
  #server
  #again
  #intents
  #launch = null
  #shown = ""
  // The message whose hit was opened last.
  #opened = null

  constructor(section, intents) {
    this.#intents = intents
    this.#field = section.querySelector(".search-field")
    this.#clear = section.querySelector(".search-clear")
    this.#found = section.querySelector(".found")
    this.#said = section.querySelector(".found-words")
    this.#hits = section.querySelector(".hits")
    this.#more = section.querySelector(".more-hits")
    this.#server = section.querySelector(".server-words")
    this.#again = section.querySelector(".search-again")
    this.#again.addEventListener("click", () => intents.act({ type: "searchAgain" }))
    this.#field.addEventListener("input", () => this.#typed())
    this.#clear.addEventListener("click", () => this.#empty())
    this.#more.addEventListener("click", () => intents.act({ type: "moreHits" }))
    this.#hits.addEventListener("click", ({ target }) => this.#open(target.closest("button")))
    section.querySelector(".list-view").addEventListener("keydown", (event) => this.#move(event))
  }

  // Whether something is looked for, and what is found stands where the list is otherwise.
  get isOn() {
    return !this.#found.hidden
  }

  show({ search, handled }, ahead, launch, isRunning) {
    const isOther = isRunning && launch !== this.#launch
    if (isRunning) this.#launch = launch
    this.#field.disabled = !isRunning
    // What is typed here is newer than what the phone says, until it has all of it.
    const isTyping = document.activeElement === this.#field || !this.#intents.isIdle || handled < this.#intents.settled
    if (isOther || !isTyping) this.#field.value = search?.query ?? ""
    this.#clear.hidden = this.#field.value === ""
    this.#clear.disabled = !isRunning
    this.#found.hidden = !search
    this.#say(search ?? {})
    this.#draw(search?.hits ?? [], search?.mark, ahead)
    say(this.#server, search?.serverNote ?? "")
    this.#again.hidden = !search?.canRetry
    this.#more.hidden = !search?.hasMore
    for (const button of this.#found.querySelectorAll("button")) button.disabled = !isRunning
  }

  // Whoever comes back goes on where they left.
  focus() {
    (this.#hit(this.#opened) ?? this.#hits.querySelector("button") ?? this.#field).focus()
  }

  disable() {
    this.#field.disabled = true
    this.#clear.disabled = true
    for (const button of this.#found.querySelectorAll("button")) button.disabled = true
  }

  #hit(message) {
    return [...this.#hits.querySelectorAll("button")].find((button) => button.dataset.message === message)
  }

  #typed() {
    this.#clear.hidden = this.#field.value === ""
    this.#intents.replace({ type: "search", text: this.#field.value })
  }

  #empty() {
    this.#field.value = ""
    this.#typed()
    this.#field.focus()
  }

  #open(button) {
    if (!button) return
    const { conversation, message } = button.dataset
    this.#opened = message
    this.#intents.act({ type: "open", conversation, message })
  }

  // Up and down lead from the field along what is found.
  #move(event) {
    if (event.isComposing || !this.isOn || !["ArrowUp", "ArrowDown", "Escape"].includes(event.key)) return
    const stops = [this.#field, ...this.#hits.querySelectorAll("button")]
    const here = stops.indexOf(document.activeElement)
    if (here < 0) return
    event.preventDefault()
    if (event.key === "Escape") this.#empty()
    else stops[here + (event.key === "ArrowDown" ? 1 : -1)]?.focus()
  }

  #say({ hits = [], hasMore, progress, problem, note }) {
    const parts = []
    if (problem) parts.push(problem)
    else if (hits.length > 0) parts.push(hasMore ? `The best ${hits.length}` : count(hits.length, "message"))
    else if (note) parts.push(note)
    if (progress !== undefined && !problem) {
      parts.push(`older messages are still being read, ${Math.round(progress * 100)} % are searched`)
    }
    say(this.#said, parts.join("; "))
    this.#found.classList.toggle("is-empty", hits.length === 0)
  }

  #draw(hits, mark, ahead) {
    const shown = JSON.stringify([hits, ahead])
    // Drawn again, it would lose the focus.
    if (shown === this.#shown) return
    this.#shown = shown
    const focused = this.#hits.contains(document.activeElement) ? document.activeElement.dataset.message : null
    const now = Date.now() + ahead
    this.#hits.replaceChildren(...hits.map((hit) => this.#row(hit, mark, now)))
    if (focused) (this.#hit(focused) ?? this.#field).focus()
  }

  #row({ id, conversation, title, sender, isMine, createdAt, excerpt, isOnServer }, mark, now) {
    const button = element("button", "hit")
    button.type = "button"
    button.dataset.message = id
    button.dataset.conversation = conversation
    const name = element("span", "name", title)
    const when = element("time", "when", whenText(createdAt, now))
    when.dateTime = new Date(createdAt).toISOString()
    const words = element("span", "excerpt")
    name.dir = words.dir = "auto"
    words.append(element("span", "hit-sender", `${isMine ? "You" : senderName(sender)}: `), ...markRanges(excerpt.text, excerpt.matches))
    button.append(name, when, words)
    if (isOnServer) button.append(element("span", "hit-mark", mark))
    const item = document.createElement("li")
    item.append(button)
    return item
  }
}
