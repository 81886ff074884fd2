// What opens over the page: an address that others wrote, which is shown before it is opened, and a picture in full.
import { element } from "/words.js"

// An address in the web, as a browser reads it. Null: it is another one, or none.
function webAddress(text) {
  const url = URL.canParse(text) ? new URL(text) : null
  return url && ["http:", "https:"].includes(url.protocol) ? url : null
}

// It has no `href`, so that a browser neither follows it nor looks up its host in advance.
export function link(address, className) {
  const made = element("span", className)
  if (!webAddress(address)) return made
  made.setAttribute("role", "link")
  made.tabIndex = 0
  made.title = address
  made.dataset.address = address
  made.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return
    event.preventDefault()
    askToOpen(made)
  })
  return made
}

function button(className, text, act) {
  const made = element("button", className, text)
  made.type = "button"
  made.addEventListener("click", act)
  return made
}

// A browser closes it on Escape, and gives the focus back.
function open(anchor, className, label) {
  const dialog = element("dialog", className)
  dialog.setAttribute("aria-label", label)
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close())
  dialog.addEventListener("close", () => dialog.remove())
  anchor.closest("section").append(dialog)
  return dialog
}

// As a browser reads it: nothing in it looks like another host.
function addressText(url) {
  const text = element("p", "address")
  const [before, after] = [`${url.protocol}//`, url.href.slice(url.href.indexOf(url.host, url.protocol.length + 2) + url.host.length)]
  const user = url.username ? `${url.username}${url.password ? ":…" : ""}@` : ""
  text.append(before + user, element("strong", "", url.host), after)
  return text
}

// Asks before the address of an element opens.
export function askToOpen(anchor) {
  const { address } = anchor.dataset
  const url = webAddress(address)
  const title = url ? "Open this address?" : "This is no address on the web"
  const dialog = open(anchor, "over", title)
  const sheet = element("div", "sheet")
  const text = url ? addressText(url) : element("p", "address", address)
  text.dir = "ltr"
  const sentence = url ? "It opens in a new tab. Its server then sees your visit." : "It cannot be opened here."
  const buttons = element("div", "sheet-buttons stacked")
  if (url) {
    buttons.append(button("primary", "Open in a new tab", () => {
      dialog.close()
      window.open(url.href, "_blank", "noopener,noreferrer")
    }))
  }
  const close = button("", url ? "Cancel" : "Done", () => dialog.close())
  close.autofocus = true
  buttons.append(close)
  sheet.append(element("h4", "", title), text, element("p", "sentence", sentence), buttons)
  dialog.append(sheet)
  // It covers the phone's screen, and not the other phone.
  const place = () => {
    const { left, top, width, height } = anchor.closest(".screen").getBoundingClientRect()
    Object.assign(dialog.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` })
  }
  addEventListener("resize", place)
  addEventListener("scroll", place, true)
  dialog.addEventListener("close", () => {
    removeEventListener("resize", place)
    removeEventListener("scroll", place, true)
  })
  place()
  dialog.showModal()
}

// Shows a picture as large as the window.
export function showPicture(anchor, address, name) {
  const dialog = open(anchor, "picture-view", name)
  const picture = element("img", "")
  picture.src = address
  picture.alt = name
  const caption = element("p", "picture-name", name)
  caption.dir = "auto"
  const close = button("picture-close", "", () => dialog.close())
  close.setAttribute("aria-label", "Close")
  close.autofocus = true
  dialog.append(picture, caption, close)
  picture.addEventListener("click", () => dialog.close())
  dialog.showModal()
}
