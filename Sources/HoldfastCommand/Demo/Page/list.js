// The list of conversations.
import { Search } from "/search.js"
import { element, whenText } from "/words.js"

const initials = (title) => [...title.trim()][0]?.toUpperCase() ?? "?"

export class List {
  #view
  #rows
  #intents
  #search
  #shown = ""

  constructor(section, intents) {
    this.#view = section.querySelector(".list-view")
    this.#rows = section.querySelector(".conversations")
    this.#intents = intents
    this.#search = new Search(section, intents)
    this.#rows.addEventListener("click", (event) => {
      const row = event.target.closest("button")
      if (row) intents.act({ type: "open", conversation: row.dataset.id })
    })
  }

  show(snapshot, ahead, launch, isRunning, isVisible, hasFocus) {
    const appears = this.#view.hidden && isVisible
    this.#view.hidden = !isVisible
    this.#search.show(snapshot, ahead, launch, isRunning)
    this.#rows.hidden = this.#search.isOn
    const shown = JSON.stringify([snapshot.list.rows, ahead])
    if (shown !== this.#shown) {
      this.#shown = shown
      const focused = this.#rows.contains(document.activeElement) ? document.activeElement.dataset.id : null
      this.#rows.replaceChildren(...snapshot.list.rows.map((row) => this.#row(row, ahead)))
      if (focused) this.#button(focused)?.focus()
    }
    for (const button of this.#rows.querySelectorAll("button")) button.disabled = !isRunning
    if (!appears || !hasFocus) return
    if (this.#search.isOn) this.#search.focus()
    else this.#rows.querySelector("button")?.focus()
  }

  disable() {
    this.#search.disable()
    for (const button of this.#rows.querySelectorAll("button")) button.disabled = true
  }

  #button(id) {
    return [...this.#rows.querySelectorAll("button")].find((button) => button.dataset.id === id)
  }

  #row(row, ahead) {
    const button = element("button", "conversation")
    button.type = "button"
    button.dataset.id = row.id
    const avatar = element("span", "avatar", initials(row.title))
    avatar.setAttribute("aria-hidden", "true")
    const title = element("span", "name", row.title)
    const excerpt = element("span", "excerpt")
    title.dir = excerpt.dir = "auto"
    if (row.isDraft) excerpt.append(element("span", "draft-mark", "Draft: "))
    excerpt.append(row.excerpt || "Nothing written yet")
    button.append(avatar, title, element("time", "when", whenText(row.updatedAt, Date.now() + ahead)), excerpt)
    if (row.unsentCount > 0) {
      const badge = element("span", "unsent", String(row.unsentCount))
      badge.setAttribute("aria-label",
        row.refusal ? `${row.unsentCount} not sent, the conversation takes no messages` : `${row.unsentCount} not sent`)
      badge.classList.toggle("refused", Boolean(row.refusal))
      button.append(badge)
    }
    const item = document.createElement("li")
    item.append(button)
    return item
  }
}
