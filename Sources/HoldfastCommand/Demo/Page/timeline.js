// A conversation's messages. Each row is made once and changed in place, so nothing moves or flickers
// that did not change.
import { openMenu } from "/menu.js"
import { element } from "/words.js"

const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" })
const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" })

// What a tap on a message offers: the engine says which, the page says how it is called and what it asks for.
const actions = {
  retry: { text: "Retry", intent: "retry" },
  decide: { text: "Decide", intent: "decide" },
  edit: { text: "Edit", intent: "takeBack", goesToComposer: true },
  cancel: { text: "Cancel", intent: "cancel", isDangerous: true },
  delete: { text: "Delete", intent: "cancel", isDangerous: true },
  info: { text: "Info", intent: "info" },
}

// The engine offers more than the page does: nothing yet for a message that has been delivered, nothing that it has no
// name for.
function offers(row) {
  return row.delivery.delivered ? [] : row.actions.filter((action) => action in actions)
}

function dayText(date, now) {
  const days = Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(date).setHours(0, 0, 0, 0)) / 86400000)
  if (days === 0) return "Today"
  return days === 1 ? "Yesterday" : day.format(date)
}

// What a row's line under the message depends on.
const looks = ({ tone, status, createdAt, actions }) => JSON.stringify([tone, status, createdAt, actions])

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
    this.item.classList.toggle("tappable", offers(row).length > 0)
    this.item.dataset.message = row.id
    if (shown.body !== row.body) this.#bubble.textContent = row.body
    this.item.classList.toggle("big", isBig(row.body))
    if (shown.tone === undefined || looks(shown) !== looks(row)) {
      this.item.dataset.tone = row.tone
      // Only a message that was waiting before this page's eyes fades over to its time.
      const fades = shown.tone !== undefined && shown.tone !== row.tone
      const hadFocus = this.#meta.contains(document.activeElement)
      this.#meta.replaceChildren(this.#makeMeta(row))
      if (hadFocus) this.#meta.querySelector("button")?.focus()
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
    const look = { queued: "badge", failed: "failed" }[row.tone] ?? "waiting"
    if (offers(row).length === 0) return element("span", look, row.status)
    const made = element("button", look, row.status)
    made.type = "button"
    if (offers(row).length > 1) made.setAttribute("aria-haspopup", "menu")
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
  #intents
  #toComposer
  #rows = new Map()
  #shown = new Map()
  #conversation = null
  #isAtEnd = true

  // - toComposer: called when a text is on its way back there.
  constructor(view, intents, toComposer) {
    this.#intents = intents
    this.#toComposer = toComposer
    this.#scroller = view.querySelector(".scroller")
    this.#list = view.querySelector(".rows")
    this.#older = view.querySelector(".older")
    this.#newer = view.querySelector(".newer")
    this.#empty = view.querySelector(".empty")
    this.#older.addEventListener("click", () => intents.act({ type: "loadOlder" }))
    this.#newer.addEventListener("click", () => this.#toEnd())
    this.#list.addEventListener("click", (event) => {
      const item = event.target.closest(".tappable")
      // Whoever marks a text with the mouse does not tap.
      if (item && getSelection().isCollapsed && event.target.closest("button, .bubble")) this.#tap(item)
    })
    this.#scroller.addEventListener("scroll", () => {
      const { scrollHeight, scrollTop, clientHeight } = this.#scroller
      this.#isAtEnd = scrollHeight - scrollTop - clientHeight < 24
      if (this.#isAtEnd) this.#newer.hidden = true
    })
    // A banner that slides in or a composer that grows must not hide the newest message.
    new ResizeObserver(() => this.#isAtEnd && this.#toEnd()).observe(this.#scroller)
  }

  show(conversation, ahead, isRunning) {
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

    this.#render(conversation.rows, Date.now() + ahead)
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

  // The button under the message is what the keyboard reaches; the message itself is larger for a finger.
  #tap(item) {
    const row = this.#shown.get(item.dataset.message)
    const button = item.querySelector(".meta button")
    if (!row || !button || button.disabled) return
    const offered = offers(row)
    if (offered.length === 1) return this.#act(row, offered[0])
    openMenu(button, {
      label: "What to do with the message",
      note: row.delivery.failed?._0.explanation,
      items: offered.map((action) => ({ ...actions[action], act: () => this.#act(row, action) })),
      onLost: () => this.#toComposer(),
    })
  }

  #act(row, action) {
    const { intent, goesToComposer } = actions[action]
    this.#intents.act({ type: intent, message: row.id })
    if (goesToComposer) this.#toComposer()
  }

  #render(rows, now) {
    const items = []
    const kept = new Map()
    let previousDay = ""
    rows.forEach((row, index) => {
      const text = dayText(row.createdAt, now)
      if (text !== previousDay) items.push(this.#dayItem(text))
      previousDay = text
      const shown = this.#rows.get(row.id) ?? new Row()
      const next = rows[index + 1]
      shown.show(row, !next || next.sender !== row.sender || dayText(next.createdAt, now) !== text)
      kept.set(row.id, shown)
      items.push(shown.item)
    })
    this.#rows = kept
    this.#shown = new Map(rows.map((row) => [row.id, row]))
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
