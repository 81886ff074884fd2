// A menu beside what was tapped. One is open at a time; a tap elsewhere and Escape close it.
import { element } from "/words.js"

const margin = 8
let opened = null
// The tap that closes a menu, on what it belongs to, must not open it again.
let closing = null
document.addEventListener("pointerdown", ({ target }) => {
  closing = opened && (opened.closest(".tappable") ?? opened).contains(target) ? opened : null
}, true)

// - items: [{ text, isDangerous, act }]
// - note: a sentence above them, or null.
// - onLost: called when the menu closes and what it belonged to is gone, so that the focus has somewhere to go.
export function openMenu(anchor, { label, items, note = null, onLost }) {
  if (closing === anchor) {
    closing = null
    return
  }
  const menu = element("div", "menu")
  menu.popover = "auto"
  if (note) menu.append(element("p", "menu-note", note))
  const list = element("div", "menu-items")
  list.setAttribute("role", "menu")
  list.setAttribute("aria-label", label)
  list.append(...items.map((item) => makeItem(menu, item)))
  menu.append(list)
  menu.addEventListener("keydown", (event) => move(event, menu, list))
  menu.addEventListener("toggle", (event) => {
    if (event.newState !== "closed") return
    if (opened === anchor) opened = null
    anchor.removeAttribute("aria-expanded")
    menu.remove()
    if (!anchor.isConnected && document.activeElement === document.body) onLost?.()
  })
  opened = anchor
  anchor.closest("section").append(menu)
  anchor.setAttribute("aria-expanded", "true")
  menu.showPopover()
  place(menu, anchor)
  list.firstElementChild?.focus()
}

function makeItem(menu, { text, isDangerous, act }) {
  const button = element("button", isDangerous ? "menu-item dangerous" : "menu-item", text)
  button.type = "button"
  button.setAttribute("role", "menuitem")
  button.addEventListener("click", () => {
    menu.hidePopover()
    act()
  })
  return button
}

function move(event, menu, list) {
  const items = [...list.children]
  const here = items.indexOf(document.activeElement)
  const next = {
    ArrowDown: (here + 1) % items.length,
    ArrowUp: (here - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  }[event.key]
  if (event.key === "Tab") menu.hidePopover()
  if (next === undefined) return
  event.preventDefault()
  items[next].focus()
}

// Below what was tapped and flush with its right edge. Above where there is no room, and then above the whole message:
// whoever decides about it wants to see it.
function place(menu, anchor) {
  const there = anchor.getBoundingClientRect()
  const row = (anchor.closest(".tappable") ?? anchor).getBoundingClientRect()
  const { width, height } = menu.getBoundingClientRect()
  const left = Math.min(Math.max(margin, there.right - width), innerWidth - width - margin)
  const below = there.bottom + 4
  const top = below + height + margin <= innerHeight ? below : Math.max(margin, row.top - height - 4)
  menu.style.left = `${left}px`
  menu.style.top = `${top}px`
}
