// A conversation's messages. Each row is made once and changed in place, so nothing moves or flickers
// that did not change.

const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" })
const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" })

function dayText(date) {
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(date).setHours(0, 0, 0, 0)) / 86400000)
  if (days === 0) return "Today"
  return days === 1 ? "Yesterday" : day.format(date)
}

function element(tag, className, text) {
  const made = document.createElement(tag)
  made.className = className
  if (text !== undefined) made.textContent = text
  return made
}

class Row {
  #meta
  #bubble
  #shown = {}

  constructor() {
    this.item = element("li", "row")
    this.#bubble = element("div", "bubble")
    this.#bubble.dir = "auto"
    this.#meta = element("div", "meta")
    this.item.append(this.#bubble, this.#meta)
  }

  show(row, isLastOfGroup) {
    const shown = this.#shown
    this.item.classList.toggle("mine", row.isMine)
    this.item.classList.toggle("last", isLastOfGroup)
    if (shown.body !== row.body) this.#bubble.textContent = row.body
    this.item.classList.toggle("big", isBig(row.body))
    if (shown.tone !== row.tone || shown.status !== row.status || shown.createdAt !== row.createdAt) {
      this.item.dataset.tone = row.tone
      // Only a message that was waiting before this page's eyes fades over to its time.
      const fades = shown.tone !== undefined && shown.tone !== row.tone
      this.#meta.replaceChildren(this.#makeMeta(row))
      this.#meta.classList.toggle("fades", fades)
    }
    this.#shown = row
  }

  #makeMeta(row) {
    if (row.tone === "delivered") {
      const made = element("time", "time", time.format(row.createdAt))
      made.dateTime = new Date(row.createdAt).toISOString()
      return made
    }
    if (row.tone !== "failed") return element("span", row.tone === "queued" ? "badge" : "waiting", row.status)
    const made = element("button", "failed", row.status)
    made.type = "button"
    made.dataset.message = row.id
    return made
  }
}

// A message of up to three emoji and nothing else is shown large, as people are used to.
function isBig(body) {
  return body.length <= 40 && /^(\p{RGI_Emoji}){1,3}$/v.test(body)
}

export class Timeline {
  #scroller
  #list
  #older
  #newer
  #empty
  #rows = new Map()
  #conversation = null
  #isAtEnd = true

  constructor(view, intents) {
    this.#scroller = view.querySelector(".scroller")
    this.#list = view.querySelector(".rows")
    this.#older = view.querySelector(".older")
    this.#newer = view.querySelector(".newer")
    this.#empty = view.querySelector(".empty")
    this.#older.addEventListener("click", () => intents.act({ type: "loadOlder" }))
    this.#newer.addEventListener("click", () => this.#toEnd())
    this.#list.addEventListener("click", (event) => {
      const failed = event.target.closest("button.failed")
      if (failed) intents.act({ type: "retry", message: failed.dataset.message })
    })
    this.#scroller.addEventListener("scroll", () => {
      const { scrollHeight, scrollTop, clientHeight } = this.#scroller
      this.#isAtEnd = scrollHeight - scrollTop - clientHeight < 24
      if (this.#isAtEnd) this.#newer.hidden = true
    })
    // A banner that slides in or a composer that grows must not hide the newest message.
    new ResizeObserver(() => this.#isAtEnd && this.#toEnd()).observe(this.#scroller)
  }

  show(conversation, isRunning) {
    if (this.#conversation !== conversation.id) {
      this.#conversation = conversation.id
      this.#rows.clear()
      this.#list.replaceChildren()
      this.#isAtEnd = true
      this.#newer.hidden = true
    }
    this.#scroller.classList.remove("is-loading")
    const before = { height: this.#scroller.scrollHeight, top: this.#scroller.scrollTop }
    const first = this.#list.querySelector("li.row")
    const last = this.#rows.size > 0 ? [...this.#rows.keys()].at(-1) : null

    this.#render(conversation.rows)
    this.#older.hidden = !conversation.hasOlder
    this.#older.disabled = !isRunning
    for (const button of this.#list.querySelectorAll("button")) button.disabled = !isRunning
    this.#empty.hidden = conversation.rows.length > 0
    this.#empty.textContent = conversation.exists ? "No messages yet. Say hello!" : "Conversation not found"

    const newest = conversation.rows.at(-1)
    const isNew = newest && newest.id !== last
    if (this.#isAtEnd || (isNew && newest.isMine)) {
      this.#toEnd()
    } else {
      // Older rows came in above: the reader stays where the eyes are.
      const added = first && first !== this.#list.querySelector("li.row")
      if (added) this.#scroller.scrollTop = before.top + this.#scroller.scrollHeight - before.height
      if (isNew && last !== null) this.#newer.hidden = false
    }
  }

  wait() {
    this.#scroller.classList.add("is-loading")
    this.#empty.hidden = true
  }

  disable() {
    this.#older.disabled = true
    for (const button of this.#list.querySelectorAll("button")) button.disabled = true
  }

  #toEnd() {
    this.#scroller.scrollTop = this.#scroller.scrollHeight
    this.#isAtEnd = true
    this.#newer.hidden = true
  }

  #render(rows) {
    const items = []
    const kept = new Map()
    let previousDay = ""
    rows.forEach((row, index) => {
      const text = dayText(row.createdAt)
      if (text !== previousDay) items.push(this.#dayItem(text))
      previousDay = text
      const shown = this.#rows.get(row.id) ?? new Row()
      const next = rows[index + 1]
      shown.show(row, !next || next.sender !== row.sender || dayText(next.createdAt) !== text)
      kept.set(row.id, shown)
      items.push(shown.item)
    })
    this.#rows = kept
    this.#place(items)
  }

  // Moves only what is not in its place: a row that is moved would lose the focus and its fade.
  #place(items) {
    const wanted = new Set(items)
    for (const child of [...this.#list.children]) if (!wanted.has(child)) child.remove()
    items.forEach((item, index) => {
      const there = this.#list.children[index]
      if (there !== item) this.#list.insertBefore(item, there ?? null)
    })
  }

  #dayItem(text) {
    const there = [...this.#list.querySelectorAll(".day")].find((item) => item.textContent === text)
    if (there) return there
    const item = element("li", "day", text)
    item.setAttribute("role", "none")
    return item
  }
}
