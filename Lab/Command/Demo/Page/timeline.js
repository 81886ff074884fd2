// A conversation's messages.
import { Acts } from "/acts.js"
import { Row } from "/row.js"
import { element } from "/words.js"

const dayStyle = { weekday: "long", day: "numeric", month: "long" }
const day = new Intl.DateTimeFormat(undefined, dayStyle)
const dayOfYear = new Intl.DateTimeFormat(undefined, { ...dayStyle, year: "numeric" })
// So long after the last movement the app is told where the reader is, in milliseconds.
const settle = 150
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)")

function dayText(date, now) {
  const days = Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(date).setHours(0, 0, 0, 0)) / 86400000)
  if (days === 0) return "Today"
  if (days === 1) return "Yesterday"
  return (new Date(date).getFullYear() === new Date(now).getFullYear() ? day : dayOfYear).format(date)
}

export class Timeline {
  #scroller
  #list
  #above
  #older
  // Older messages come by themselves when the reader is near the first row.
  #loadsOlder = false
  #newer
  #empty
  #intents
  #acts
  #rows = new Map()
  #conversation = null
  #launch = null
  #isAtEnd = true
  // Where the list moves to in sight of the reader, who counts as being at the end meanwhile. Null: it rests.
  #goal = null
  // That movement has taken the place of another one, whose end may still be told.
  #isRenewed = false
  // Where the list was when that was found out.
  #top = 0
  // There is more behind the last row.
  #hasNewer = false
  #isAsking = false
  // The end was asked for, and is not loaded yet.
  #wantsEnd = false
  #reporting = 0
  // The message that was found and gone to last, and in which launch.
  #found = null
  // The message whose button the tab key stops at: one for all of them, and the arrows lead to the others.
  #stop = null

  // - composer: where a message is edited and answered.
  constructor(view, intents, composer) {
    this.#intents = intents
    this.#scroller = view.querySelector(".scroller")
    this.#list = view.querySelector(".rows")
    this.#acts = new Acts(this.#list, (message) => this.#rows.get(message), intents, composer)
    this.#above = view.querySelector(".above")
    this.#older = view.querySelector(".older")
    this.#newer = view.querySelector(".newer")
    this.#empty = view.querySelector(".empty")
    this.#older.addEventListener("click", () => intents.act({ type: "loadOlder" }))
    this.#newer.addEventListener("click", () => {
      this.#wantsEnd = this.#hasNewer
      if (this.#hasNewer) intents.act({ type: "loadNewest" })
      else this.#toEnd()
    })
    this.#list.addEventListener("keydown", (event) => this.#move(event))
    this.#list.addEventListener("focusin", ({ target }) => {
      if (target.classList.contains("act")) this.#stopAt(target.closest(".row").dataset.message)
    })
    this.#scroller.addEventListener("scroll", () => {
      const distance = this.#lookWhere()
      if (this.#isAtEnd && !this.#hasNewer) this.#newer.hidden = true
      this.#askForNewer(distance)
      this.#askForOlder()
      clearTimeout(this.#reporting)
      this.#reporting = setTimeout(() => this.#report(), settle)
    })
    this.#scroller.addEventListener("scrollend", () => this.#arrive())
    // The reader's own movement ends that of the list.
    for (const type of ["wheel", "touchmove", "pointerdown", "keydown"]) {
      this.#scroller.addEventListener(type, () => { this.#goal = null }, { passive: true })
    }
    // A banner that slides in or a composer that grows must not hide the newest message.
    new ResizeObserver(() => {
      // Out of sight nothing moves.
      if (this.#scroller.clientHeight === 0) this.#goal = null
      this.#noticeMovement()
      if (this.#isAtEnd) this.#toEnd()
    }).observe(this.#scroller)
  }

  show({ conversation, messages, bodies, content, composer, anchor, hit }, ahead, launch, isRunning) {
    this.#acts.isEditing = Boolean(composer.editing)
    this.#noticeMovement()
    const isOther = this.#conversation !== conversation.id || (isRunning && this.#launch !== launch)
    if (isOther) {
      clearTimeout(this.#reporting)
      // Rows that are still being read, or cannot be read, come as those of another conversation.
      this.#conversation = content.isLoading || content.isAlone ? null : conversation.id
      if (isRunning) this.#launch = launch
      this.#rows.clear()
      this.#list.replaceChildren()
      this.#goal = null
      this.#isAtEnd = true
      this.#newer.hidden = true
    }
    if (content.isLoading) return this.wait()
    this.#scroller.classList.remove("is-loading")
    const before = this.#places()
    const last = this.#rows.size > 0 ? [...this.#rows.keys()].at(-1) : null

    this.#render(conversation.rows, messages, bodies, Date.now() + ahead, hit)
    const hadNewer = this.#hasNewer && !isOther
    this.#hasNewer = conversation.hasNewer
    this.#isAsking = false
    this.#above.hidden = !content.above
    this.#above.textContent = content.above ?? ""
    this.#older.hidden = !content.olderLabel
    this.#older.textContent = content.olderLabel ?? ""
    this.#older.disabled = !isRunning
    this.#loadsOlder = content.loadsOlder
    for (const button of this.#list.querySelectorAll("button")) button.disabled = !isRunning
    this.#stopAt(this.#stop)
    this.#empty.hidden = !content.note
    this.#empty.textContent = content.note ?? ""

    const newest = messages.at(-1)
    // What is loaded behind the last row is not new, unless it was sent just now.
    const isNew = newest && newest.id !== last && (!hadNewer || newest.tap.length > 0)
    const found = hit?.number && `${launch}-${hit.number}`
    if (found && found !== this.#found && this.#goToMiddle(hit.message)) {
      this.#found = found
      this.#newer.hidden = !this.#hasNewer
    } else if (isOther && this.#goTo(anchor)) {
      this.#newer.hidden = !this.#hasNewer
    } else if (!this.#hasNewer && (this.#wantsEnd || (this.#isAtEnd && !hadNewer) || (isNew && newest.isOwn))) {
      this.#wantsEnd = false
      this.#toEnd({ isSeen: isNew && last !== null && newest.isOwn })
    } else {
      this.#keep(before)
      if ((isNew && last !== null) || this.#hasNewer) this.#newer.hidden = false
    }
  }

  // Where on the screen the rows are that the reader sees, from above.
  #places() {
    const { top: edge, bottom: end } = this.#scroller.getBoundingClientRect()
    const places = []
    for (const { item } of this.#rows.values()) {
      const { top, bottom } = item.getBoundingClientRect()
      if (bottom > edge && top < end) places.push({ item, top })
    }
    return places
  }

  // Rows came in or went above: the reader stays where the eyes are.
  #keep(places) {
    const place = places.find(({ item }) => item.isConnected)
    const moved = place ? place.item.getBoundingClientRect().top - place.top : 0
    if (Math.abs(moved) < 1) return
    this.#scroller.scrollTop += moved
    this.#top = this.#scroller.scrollTop
  }

  // Shows a message where it was. False: it is not there.
  #goTo(anchor) {
    const item = anchor && this.#rows.get(anchor.message)?.item
    if (!item) return false
    const { top, height } = item.getBoundingClientRect()
    this.#goal = null
    this.#scroller.scrollTop += top - this.#scroller.getBoundingClientRect().top + anchor.offset * height
    this.#lookWhere()
    return true
  }

  // Whether the reader is at the end. Returns how far from it.
  #lookWhere() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller
    // On the way to the end nothing leads back but the reader.
    if (scrollTop < this.#top - 1) this.#goal = null
    this.#top = scrollTop
    this.#isAtEnd = this.#goal !== null || scrollHeight - scrollTop - clientHeight < 24
    return scrollHeight - scrollTop - clientHeight
  }

  // The browser tells of a movement with its next frame, and what is shown before that must not take the reader back.
  // What only changes the list's height is no movement.
  #noticeMovement() {
    if (this.#scroller.scrollTop !== this.#top) this.#lookWhere()
  }

  // Shows a message with what is before and behind it, unless it is longer than that. False: it is not there.
  #goToMiddle(message) {
    const item = this.#rows.get(message)?.item
    if (!item) return false
    const { height } = item.getBoundingClientRect()
    const lead = Math.max(0, (this.#scroller.clientHeight - height) / 2)
    return this.#goTo({ message, offset: -lead / height })
  }

  focus() {
    this.#scroller.focus({ preventScroll: true })
  }

  // Tells which message is at the upper edge, and how much of it is above.
  #report() {
    if (this.#conversation === null || this.#older.disabled) return
    const edge = this.#scroller.getBoundingClientRect().top
    let place = {}
    for (const { shown, item } of this.#isAtEnd && !this.#hasNewer ? [] : this.#rows.values()) {
      const { top, bottom, height } = item.getBoundingClientRect()
      if (bottom <= edge) continue
      place = { message: shown.id, offset: Math.max(0, (edge - top) / height) }
      break
    }
    this.#intents.act({ type: "scroll", conversation: this.#conversation, ...place })
  }

  #askForNewer(distance) {
    if (!this.#hasNewer || this.#isAsking || this.#older.disabled || distance > this.#scroller.clientHeight) return
    this.#isAsking = true
    this.#intents.act({ type: "loadNewer" })
  }

  // What the phone has is a button's, so that nobody loads all of it by scrolling. What it lacks comes by itself.
  #askForOlder() {
    const { scrollTop, clientHeight } = this.#scroller
    if (!this.#loadsOlder || this.#older.disabled || scrollTop > clientHeight / 2) return
    this.#loadsOlder = false
    this.#intents.act({ type: "loadOlder" })
  }

  wait() {
    this.#above.hidden = true
    this.#older.hidden = true
    this.#scroller.classList.add("is-loading")
    this.#empty.hidden = true
  }

  disable() {
    this.#older.disabled = true
    for (const button of this.#list.querySelectorAll("button")) button.disabled = true
  }

  // - isSeen: the reader sees the list move, unless they prefer less motion.
  #toEnd({ isSeen = false } = {}) {
    this.#isAtEnd = true
    this.#newer.hidden = true
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller
    const end = scrollHeight - clientHeight
    if ((isSeen || this.#goal !== null) && !reducedMotion.matches && scrollTop < end - 1) {
      if (this.#goal === end) return
      this.#isRenewed = this.#goal !== null
      this.#goal = end
      return this.#scroller.scrollTo({ top: end, behavior: "smooth" })
    }
    this.#goal = null
    this.#scroller.scrollTop = end
    this.#top = this.#scroller.scrollTop
  }

  // The list has come to rest: at its end, or where something else has stopped it.
  #arrive() {
    if (this.#goal === null) return
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller
    const isThere = scrollTop > Math.min(this.#goal, scrollHeight - clientHeight) - 2
    if (!isThere && this.#isRenewed) {
      this.#isRenewed = false
      return
    }
    this.#goal = null
    if (isThere) this.#toEnd()
    else this.#lookWhere()
  }

  #move(event) {
    if (!event.target.classList.contains("act")) return
    const buttons = [...this.#rows.values()].map(({ act }) => act).filter(Boolean)
    const next = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (!next) return
    event.preventDefault()
    buttons[buttons.indexOf(event.target) + next]?.focus()
  }

  #stopAt(message) {
    const stops = [...this.#rows.values()].filter(({ act }) => act)
    const stop = stops.find(({ shown }) => shown.id === message) ?? stops.at(-1)
    for (const row of stops) row.act.tabIndex = row === stop ? 0 : -1
    this.#stop = stop === stops.at(-1) ? null : stop?.shown.id ?? null
  }

  #render(rows, messages, bodies, now, hit) {
    const items = []
    const kept = new Map()
    rows.forEach((row, index) => {
      const looks = messages[index]
      if (looks.beginsDay) items.push(this.#dayItem(dayText(row.createdAt, now)))
      const shown = this.#rows.get(row.id) ?? new Row(this.#intents)
      const sought = hit?.message === row.id ? hit.words : []
      shown.show(row, looks, bodies[row.id], sought)
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
