// A menu beside what was tapped. One is open at a time; a tap elsewhere and Escape close it.
import { element } from "/words.js"

const margin = 8
// The menu that is open, and what it belongs to.
let opened = null
// The tap that closes a menu, on what it belongs to, must not open it again.
let closing = null

document.addEventListener("pointerdown", ({ target }) => {
  closing = null
  if (!opened || opened.menu.contains(target)) return
  const { anchor } = opened
  if ((anchor.closest(".tappable") ?? anchor).contains(target)) closing = anchor
  close(opened, false)
}, true)

// - reactions: [{ value, name, isMine, act }], in a row above the items.
// - items: [{ text, isDangerous, act }]
// - note: a sentence above them, or null.
// - onLost: called when the menu closes and what it belonged to is gone, so that the focus has somewhere to go.
export function openMenu(anchor, { label, items, reactions = [], note = null, onLost }) {
  if (closing === anchor) {
    closing = null
    return
  }
  if (opened) close(opened, false)
  const menu = element("div", "menu")
  // Not `auto`: the finger that rests on a message opens it, and lifting that finger would close it.
  menu.popover = "manual"
  if (note) menu.append(element("p", "menu-note", note))
  const list = element("div", "menu-list")
  list.setAttribute("role", "menu")
  list.setAttribute("aria-label", label)
  const present = { menu, anchor, onLost }
  if (reactions.length > 0) {
    const row = element("div", "menu-reactions")
    row.setAttribute("role", "group")
    row.setAttribute("aria-label", "React")
    row.append(...reactions.map((reaction) => makeReaction(present, reaction)))
    list.append(row)
  }
  const column = element("div", "menu-items")
  column.setAttribute("role", "none")
  column.append(...items.map((item) => makeItem(present, item)))
  list.append(column)
  menu.append(list)
  menu.addEventListener("keydown", (event) => move(event, present))
  menu.addEventListener("contextmenu", (event) => event.preventDefault())
  opened = present
  anchor.closest("section").append(menu)
  anchor.setAttribute("aria-expanded", "true")
  menu.showPopover()
  place(menu, anchor)
  list.querySelector("button")?.focus()
}

// - returnsFocus: it goes back to what the menu belongs to, and not where a finger or the tab key put it.
function close({ menu, anchor, onLost }, returnsFocus) {
  if (opened?.menu === menu) opened = null
  const hadFocus = menu.contains(document.activeElement)
  anchor.removeAttribute("aria-expanded")
  if (returnsFocus && hadFocus && anchor.isConnected) anchor.focus()
  menu.remove()
  if (!anchor.isConnected && document.activeElement === document.body) onLost?.()
}

function makeButton(present, className, text, act) {
  const button = element("button", className, text)
  button.type = "button"
  button.addEventListener("click", () => {
    close(present, true)
    act()
  })
  return button
}

function makeItem(present, { text, isDangerous, act }) {
  const button = makeButton(present, isDangerous ? "menu-item dangerous" : "menu-item", text, act)
  button.setAttribute("role", "menuitem")
  return button
}

function makeReaction(present, { value, name, isMine, act }) {
  const button = makeButton(present, "menu-reaction", value, act)
  button.setAttribute("role", "menuitemcheckbox")
  button.setAttribute("aria-checked", String(isMine))
  button.setAttribute("aria-label", name)
  return button
}

// Up and down go from line to line, of which the reactions are one; left and right go along it.
function move(event, present) {
  const items = [...present.menu.querySelectorAll("button")]
  const here = items.indexOf(document.activeElement)
  const isReaction = (item) => item.matches(".menu-reaction")
  const lines = items.filter((item, index) => !isReaction(item) || index === 0)
  const line = lines.indexOf(isReaction(items[here] ?? present.menu) ? items[0] : items[here])
  const along = isReaction(items[here] ?? present.menu) ? items.filter(isReaction) : []
  const next = {
    ArrowDown: lines[(line + 1) % lines.length],
    ArrowUp: lines[(line - 1 + lines.length) % lines.length],
    ArrowRight: along[(here + 1) % along.length],
    ArrowLeft: along[(here - 1 + along.length) % along.length],
    Home: items[0],
    End: items.at(-1),
  }[event.key]
  if (event.key === "Escape" || event.key === "Tab") {
    event.stopPropagation()
    if (event.key === "Escape") event.preventDefault()
    close(present, true)
  }
  if (!next) return
  event.preventDefault()
  next.focus()
}

// Below what was tapped and flush with its right edge, and on the phone's screen. Above where there is no room, and then above the whole message:
// whoever decides about it wants to see it.
function place(menu, anchor) {
  const there = anchor.getBoundingClientRect()
  const row = (anchor.closest(".row") ?? anchor).getBoundingClientRect()
  const { width, height } = menu.getBoundingClientRect()
  const room = anchor.closest(".screen")?.getBoundingClientRect() ?? { left: 0, right: innerWidth }
  const left = Math.min(Math.max(room.left + margin, there.right - width), room.right - width - margin)
  const below = there.bottom + 4
  const top = below + height + margin <= innerHeight ? below : Math.max(margin, row.top - height - 4)
  menu.style.left = `${left}px`
  menu.style.top = `${top}px`
}
