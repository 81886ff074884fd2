// One message of the timeline. It is made once and changed in place, so nothing moves or flickers that did not change.
import { MessageFile } from "/files.js"
import { Markdown } from "/markdown.js"
import { markRanges, rangesOf } from "/marks.js"
import { References } from "/references.js"
import { element, say, senderName } from "/words.js"

const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" })
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })

function button(className, text) {
  const made = element("button", className, text)
  made.type = "button"
  return made
}

export class Row {
  // What the row shows at present, and how it looks, as the engine said it.
  shown = null
  looks = null
  #bubble
  // The bubble of an answer. Null: it shows a text as it was typed.
  #markdown = null
  #references = new References()
  #quote
  // The message that it quotes.
  #quoted = null
  #reasoning
  #list
  #files = new Map()
  #intents
  #act
  #reactions
  #meta
  // The button in the line under a message that waits.
  #status = button("status", "")
  #time = element("time", "time")
  #ticks = element("span", "ticks")
  #marked = null

  constructor(intents) {
    this.#intents = intents
    this.item = element("li", "row")
    this.#bubble = element("div", "bubble")
    this.#bubble.dir = "auto"
    this.#act = button("act")
    this.#act.setAttribute("aria-label", "Message actions")
    this.#act.setAttribute("aria-haspopup", "menu")
    this.#list = element("div", "files")
    this.#list.setAttribute("role", "group")
    this.#list.setAttribute("aria-label", "Files")
    const content = element("div", "content")
    this.#quote = this.#makeQuote()
    this.#reasoning = this.#makeReasoning()
    content.append(this.#quote, this.#reasoning, this.#list, this.#references.item, this.#bubble)
    const line = element("div", "line")
    line.append(content, this.#act)
    this.#reactions = element("div", "reactions")
    this.#reactions.setAttribute("role", "group")
    this.#reactions.setAttribute("aria-label", "Reactions")
    this.#meta = element("div", "meta")
    this.item.append(line, this.#reactions, this.#meta)
  }

  // The button beside a delivered message. Nil: there is nothing to do with it.
  get act() {
    return this.#act.hidden ? null : this.#act
  }

  // - looks: how the row looks, and what it offers.
  // - body: the blocks of an answer, and the tiles of images and videos. Undefined: it has neither.
  // - sought: what was looked for and found in it, as it stands there.
  show(row, looks, body, sought) {
    const [before, looked] = [this.shown, this.looks]
    const { classList, dataset } = this.item
    classList.toggle("mine", looks.isOwn)
    classList.toggle("streaming", row.status.state === "streaming")
    classList.toggle("interrupted", looks.isCutOff)
    classList.toggle("last", looks.endsGroup)
    classList.toggle("tappable", looks.tap.length > 0)
    classList.toggle("deleted", row.isDeleted)
    classList.toggle("big", looks.isLarge)
    dataset.message = row.id
    classList.toggle("sought", sought.length > 0)
    if (body?.blocks) this.#showAnswer(body.blocks, sought)
    else this.#showBody(looks.body, sought)
    this.#bubble.hidden = this.#bubble.childNodes.length === 0
    this.#references.show(body?.references ?? [])
    this.#showQuote(row.quote)
    this.#showReasoning(row.content, looks, before?.content)
    this.#showFiles(row.attachments)
    this.#act.hidden = !looks.menu
    this.#showReactions(row.reactions, looks.canReact)
    this.looks = looks
    if (!before || before.createdAt !== row.createdAt || JSON.stringify([looked.line, looked.tap]) !== JSON.stringify([looks.line, looks.tap])) {
      dataset.tone = row.status.tone
      this.#showMeta(row, looks)
      // Only a message that was waiting before this page's eyes fades over to its time.
      if (before?.status.tone !== row.status.tone) this.#meta.classList.toggle("fades", Boolean(before))
    }
    this.shown = row
  }

  #showAnswer(blocks, sought) {
    if (!this.#markdown) this.#bubble.replaceChildren()
    this.#markdown ??= new Markdown(this.#bubble)
    this.#marked = null
    this.#bubble.classList.add("rich")
    this.#markdown.show(blocks, sought)
  }

  #showBody(text, sought) {
    if (this.#markdown) this.#bubble.replaceChildren()
    this.#markdown = null
    this.#bubble.classList.remove("rich")
    if (sought.length === 0 && this.#bubble.childElementCount === 0) return say(this.#bubble, text)
    const marked = [text, ...sought].join("\0")
    if (this.#marked === marked) return
    this.#marked = marked
    this.#bubble.replaceChildren(...markRanges(text, rangesOf(text, sought)))
  }

  #makeQuote() {
    const made = element("div", "quote")
    made.setAttribute("role", "group")
    const words = element("span", "quote-words")
    words.dir = "auto"
    const go = button("quote-go")
    go.append(element("span", "quote-name"), words)
    go.addEventListener("click", () => this.#intents.act({ type: "goTo", message: this.#quoted }))
    made.append(go)
    return made
  }

  #showQuote(quote) {
    this.#quote.hidden = !quote
    if (!quote) return
    const sender = quote.sender && senderName(quote.sender)
    const name = quote.isMine ? "You" : sender ?? "A message"
    this.#quote.setAttribute("aria-label", `Answers ${quote.isMine ? "you" : sender ?? "a message"}`)
    this.#quoted = quote.id
    const [nameLine, words] = this.#quote.firstChild.children
    say(nameLine, name)
    say(words, quote.note ?? quote.excerpt)
  }

  #makeReasoning() {
    const made = element("details", "reasoning")
    made.append(element("summary", "", "Reasoning"), element("p", "", ""))
    made.lastChild.dir = "auto"
    return made
  }

  // Open for as long as there is nothing else to read. Whoever opens or closes it later is left in peace.
  #showReasoning({ reasoning, text }, { showsReasoning }, before) {
    this.#reasoning.hidden = !reasoning
    say(this.#reasoning.lastChild, reasoning ?? "")
    const isChanged = !before?.reasoning || (before.text === "" && text !== "")
    if (reasoning && isChanged && (showsReasoning || before)) this.#reasoning.open = showsReasoning
  }

  #showFiles(rows) {
    const key = ({ attachment }) => `${attachment.checksum}/${attachment.name}`
    const kept = new Map(rows.map((row) => [
      key(row),
      this.#files.get(key(row)) ?? new MessageFile(this.#intents.part, (checksum) =>
        this.#intents.act({ type: "download", attachment: checksum })),
    ]))
    for (const row of rows) kept.get(key(row)).show(row)
    for (const [key, file] of this.#files) if (!kept.has(key)) file.item.remove()
    for (const [key, file] of kept) if (!this.#files.has(key)) this.#list.append(file.item)
    this.#files = kept
    this.#list.hidden = kept.size === 0
  }

  // Each reaction keeps its button, and with it the focus.
  #showReactions(reactions, canReact) {
    const there = new Map([...this.#reactions.children].map((chip) => [chip.dataset.value, chip]))
    const chips = reactions.map(({ value, count, isMine }) => {
      const chip = there.get(value) ?? this.#makeChip(value)
      say(chip.lastChild, count > 1 ? String(count) : "")
      chip.setAttribute("aria-pressed", String(isMine))
      chip.setAttribute("aria-label", `${value} ${count}${isMine ? ", yours too" : ""}`)
      chip.classList.toggle("fixed", !canReact)
      return chip
    })
    for (const [value, chip] of there) {
      if (!reactions.some((reaction) => reaction.value === value)) chip.remove()
    }
    chips.forEach((chip, index) => {
      const present = this.#reactions.children[index]
      if (present !== chip) this.#reactions.insertBefore(chip, present ?? null)
    })
    this.#reactions.hidden = chips.length === 0
  }

  #makeChip(value) {
    const chip = button("chip")
    chip.dataset.value = value
    chip.append(element("span", "chip-value", value), element("span", "chip-count", ""))
    return chip
  }

  // A button that only says something else stays where it is: a tap ends on the element on which it began, or nowhere.
  #showMeta(row, looks) {
    const parts = this.#makeMeta(row, looks)
    const there = [...this.#meta.children]
    if (parts.length === there.length && parts.every((part, index) => part === there[index])) return
    const focused = this.#meta.contains(document.activeElement)
    this.#meta.replaceChildren(...parts)
    if (focused) this.#meta.querySelector("button")?.focus()
  }

  #makeMeta(row, looks) {
    const { line } = looks
    if (looks.isCutOff) return this.#makeInterrupted(line)
    if (row.status.state === "streaming") return [element("span", "waiting", line.text), ...this.#makeButtons(line)]
    if (line.look !== "time") return [this.#makeStatus(looks)]
    say(this.#time, time.format(row.createdAt))
    this.#time.dateTime = new Date(row.createdAt).toISOString()
    const parts = [this.#time]
    if (line.editedAt) {
      const edited = element("span", "edited", "edited")
      edited.title = moment.format(line.editedAt)
      parts.push(edited)
    }
    if (line.change) parts.push(this.#makeChange(line.change))
    if (line.receipt) parts.push(this.#makeTicks(line.receipt))
    return parts
  }

  // One tick: the message is delivered. Two ticks: another member has read it.
  #makeTicks({ isRead, text }) {
    this.#ticks.classList.toggle("read", isRead)
    say(this.#ticks, isRead ? "✓✓" : "✓")
    this.#ticks.setAttribute("role", "img")
    this.#ticks.setAttribute("aria-label", isRead ? "Read" : "Delivered")
    this.#ticks.title = text
    return this.#ticks
  }

  #makeButtons({ buttons }) {
    return buttons.map(({ title, kind }) => {
      const made = button("reply-act", title)
      made.dataset.type = kind
      return made
    })
  }

  #makeInterrupted(line) {
    const reason = line.reason ? [element("span", "failure-reason", line.reason)] : []
    return [element("span", line.reason ? "failed" : "cut-off-mark", line.text), ...reason, ...this.#makeButtons(line)]
  }

  #makeStatus({ line, tap }) {
    const look = { badge: "badge", failed: "failed" }[line.look] ?? "waiting"
    if (tap.length === 0) return element("span", look, line.text)
    this.#status.className = `status ${look}`
    say(this.#status, line.text)
    if (tap.length > 1) this.#status.setAttribute("aria-haspopup", "menu")
    else this.#status.removeAttribute("aria-haspopup")
    return this.#status
  }

  // What was done to the message, and waits: quiet, for the message itself is where it belongs.
  #makeChange({ look, text }) {
    const tone = { failed: "failed", badge: "is-queued", time: "is-delivered" }[look] ?? "is-sending"
    const made = button(`change ${tone}`, text)
    made.setAttribute("aria-haspopup", "menu")
    return made
  }
}
