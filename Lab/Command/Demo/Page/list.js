// The list of conversations.
import { openMenu } from "/menu.js"
import { Search } from "/search.js"
import { Undo } from "/undo.js"
import { Unreadable } from "/unreadable.js"
import { element, say, whenText } from "/words.js"

export class List {
  #view
  #rows
  #empty
  #more
  #intents
  #search
  #undo
  #unreadable
  #import
  #askTitle
  #hasAssistant = false
  #titles = new Map()
  #shown = ""

  // - imports: lets the user pick a file.
  // - rename: asks for another title of a row.
  constructor(section, intents, imports, rename) {
    this.#import = imports
    this.#askTitle = rename
    this.#view = section.querySelector(".list-view")
    this.#rows = section.querySelector(".conversations")
    this.#empty = section.querySelector(".no-conversations")
    this.#more = section.querySelector(".list-more")
    this.#intents = intents
    this.#search = new Search(section, intents)
    this.#undo = new Undo(section, intents)
    this.#undo.onGone = (id) => this.#isVisible && (this.#button(id) ?? this.#first ?? this.#more).focus()
    this.#unreadable = new Unreadable(this.#view.querySelector(".unreadable"), {
      reload: () => intents.act({ type: "reload" }),
      onGone: () => this.#isVisible && (this.#first ?? this.#more).focus(),
    })
    this.#rows.addEventListener("click", ({ target }) => {
      const button = target.closest("button")
      if (button?.matches(".conversation-act")) this.#openActions(button)
      else if (button) intents.act({ type: "open", conversation: button.dataset.id })
    })
    this.#more.addEventListener("click", () => this.#openMore())
  }

  show(snapshot, ahead, launch, isRunning, isVisible, hasFocus) {
    const appears = this.#view.hidden && isVisible
    this.#view.hidden = !isVisible
    this.#search.show(snapshot, ahead, launch, isRunning)
    const { list: { rows, undoable }, conversations, listContent } = snapshot
    this.#hasAssistant = snapshot.hasAssistant
    this.#rows.hidden = this.#search.isOn
    this.#view.classList.toggle("is-loading", listContent.isLoading && !this.#search.isOn)
    this.#empty.hidden = !listContent.note || this.#search.isOn
    say(this.#empty, listContent.note ?? "")
    this.#more.disabled = !isRunning
    const shown = JSON.stringify([rows, conversations, ahead])
    const focused = this.#rows.contains(document.activeElement) ? document.activeElement : null
    if (shown !== this.#shown) {
      this.#shown = shown
      this.#titles = new Map(rows.map(({ id, title }) => [id, title]))
      this.#rows.replaceChildren(...rows.map((row, index) => this.#row(row, conversations[index], ahead)))
    }
    this.#unreadable.show(this.#search.isOn ? null : listContent, isRunning)
    this.#undo.show(undoable, isRunning)
    for (const button of this.#rows.querySelectorAll("button")) button.disabled = !isRunning
    if (focused && !focused.isConnected) this.#refocus(focused)
    if (!appears || !hasFocus) return
    if (this.#search.isOn) this.#search.focus()
    else (this.#first ?? this.#more).focus()
  }

  focus() {
    this.#more.focus()
  }

  disable() {
    this.#search.disable()
    this.#unreadable.disable()
    this.#more.disabled = true
    for (const button of this.#rows.querySelectorAll("button")) button.disabled = true
  }

  get #isVisible() {
    return !this.#view.hidden
  }

  get #first() {
    return this.#rows.querySelector("button")
  }

  #button(id, kind = ".conversation") {
    return [...this.#rows.querySelectorAll(kind)].find((button) => button.dataset.id === id)
  }

  // The focus stays on its conversation. Of one that was deleted, what can still be done is to bring it back.
  #refocus({ dataset, className }) {
    const place = this.#button(dataset.id, `.${className}`) ?? this.#undo.button ?? this.#first ?? this.#more
    place.focus()
  }

  #openActions(button) {
    openMenu(button, {
      label: "What to do with the conversation",
      items: [{ text: "Rename…", act: () => this.#rename(button.dataset.id) }, {
        text: "Clear messages…", isDangerous: true,
        act: () => this.#intents.act({ type: "askEmpty", conversation: button.dataset.id }),
      }, {
        text: "Delete", isDangerous: true,
        act: () => this.#intents.act({ type: "deleteConversation", conversation: button.dataset.id }),
      }],
      onLost: () => (this.#undo.button ?? this.#first ?? this.#more).focus(),
    })
  }

  #rename(id) {
    if (this.#titles.has(id)) this.#askTitle({ id, title: this.#titles.get(id) })
  }

  #openMore() {
    const items = []
    if (this.#hasAssistant) {
      items.push({ text: "New chat with the assistant", act: () => this.#intents.act({ type: "newChat" }) })
    }
    items.push({ text: "Import history…", act: () => this.#import.pick() })
    if (this.#first) {
      items.push({
        text: "Delete all conversations…", isDangerous: true,
        act: () => this.#intents.act({ type: "askDeleteAll" }),
      })
    }
    openMenu(this.#more, { label: "Chats", items })
  }

  // - looks: how the row looks, as the engine says it.
  #row(row, looks, ahead) {
    const button = element("button", "conversation")
    button.type = "button"
    button.dataset.id = row.id
    const avatar = element("span", "avatar", looks.initial)
    avatar.setAttribute("aria-hidden", "true")
    const title = element("span", "name", row.title)
    const excerpt = element("span", "excerpt")
    title.dir = excerpt.dir = "auto"
    if (looks.isRefused) excerpt.append(element("span", "refusal-mark", looks.excerpt))
    else excerpt.append(...this.#excerpt(looks))
    button.append(avatar, title, element("time", "when", whenText(row.updatedAt, Date.now() + ahead)), excerpt)
    const badges = element("span", "badges")
    if (looks.unread) badges.append(this.#badge("unread", looks.unread))
    if (looks.unsent) badges.append(this.#badge("unsent", looks.unsent))
    if (badges.childElementCount > 0) button.append(badges)
    const actions = element("button", "conversation-act")
    actions.type = "button"
    actions.dataset.id = row.id
    actions.setAttribute("aria-label", "Conversation actions")
    actions.setAttribute("aria-description", row.title)
    actions.setAttribute("aria-haspopup", "menu")
    const item = document.createElement("li")
    item.append(button, actions)
    return item
  }

  #excerpt({ mark, isDraft, excerpt }) {
    if (!mark) return [excerpt]
    return [isDraft ? element("span", "draft-mark", `${mark} `) : `${mark} `, excerpt]
  }

  #badge(kind, { text, spoken, isRefused }) {
    const made = element("span", kind, text)
    made.setAttribute("aria-label", spoken)
    made.classList.toggle("refused", isRefused)
    return made
  }
}
