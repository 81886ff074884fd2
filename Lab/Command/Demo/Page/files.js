// A file, as it is shown: in the composer, and with its message.
import { showPicture } from "/opening.js"
import { element, say } from "/words.js"

// The types that the demo serves to be looked at; the others are saved.
const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp"]
const units = ["bytes", "KB", "MB"]

// "312 bytes", "48 KB", "2.4 MB".
export function sizeText(bytes) {
  const power = bytes < 1000 ? 0 : bytes < 999500 ? 1 : 2
  const size = bytes / 1000 ** power
  return `${power === 2 && size < 100 ? size.toFixed(1) : Math.round(size)} ${units[power]}`
}

export const isPicture = ({ mediaType }) => pictures.includes(mediaType)

// The demo finds a file by what it is, and not by where it is.
export function address(part, { checksum, name }) {
  return `/file?part=${part}&checksum=${checksum}&name=${encodeURIComponent(name)}`
}

export const shape = (path) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg")
  svg.setAttribute("viewBox", "0 0 24 24")
  svg.setAttribute("aria-hidden", "true")
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path")
  line.setAttribute("d", path)
  svg.append(line)
  return svg
}

export const fileShape = () => shape(
  "M13.500 3.500H7.500A1.500 1.500 0 0 0 6 5v14a1.500 1.500 0 0 0 1.500 1.500h9A1.500 1.500 0 0 0 18 19V8zM13.500 3.500V8H18")
const fetchShape = () => shape("M12 5v10M7.500 11l4.500 4.500 4.500-4.500M6 19h12")

// How much of a file is over, as a ring that closes.
class Ring {
  constructor() {
    this.item = element("span", "ring")
    this.item.setAttribute("role", "progressbar")
  }

  show(state, fraction, name) {
    const percent = Math.round((fraction ?? 0) * 100)
    this.item.hidden = state !== "uploading" && state !== "downloading"
    this.item.setAttribute("aria-label", `${state === "uploading" ? "Sending" : "Fetching"} ${name}`)
    this.item.setAttribute("aria-valuenow", percent)
    this.item.style.setProperty("--over", `${percent}%`)
  }
}

// What stands beside the name: how large it is, or how far.
function stateText(state, fraction, attachment) {
  const percent = `${Math.round((fraction ?? 0) * 100)}%`
  const size = sizeText(attachment.byteCount)
  const moving = `${percent} of ${size}`
  return { waiting: `${size} · waits`, uploading: moving, downloading: moving }[state] ?? size
}

// A file of a message. It is made anew when there is more to see of it, and changed in place while it is on its way.
export class MessageFile {
  #part
  #fetch
  #ring = new Ring()
  #size
  #look = ""

  // - fetch: asks for a file that is not here.
  constructor(part, fetch) {
    this.#part = part
    this.#fetch = fetch
    this.item = element("div", "file")
  }

  show({ attachment, state, fraction, file }) {
    const { checksum, name, mediaType, byteCount } = attachment
    const look = JSON.stringify([checksum, name, mediaType, byteCount, Boolean(file), state === "remote"])
    if (look !== this.#look) this.#make(attachment, Boolean(file), state === "remote")
    this.#look = look
    this.#ring.show(state, fraction, attachment.name)
    this.item.dataset.state = state
    if (this.#size) say(this.#size, stateText(state, fraction, attachment))
  }

  #make(attachment, isHere, isRemote) {
    const isShown = isHere && isPicture(attachment)
    this.item.classList.toggle("picture", isShown)
    this.item.replaceChildren(isShown ? this.#makePicture(attachment) : this.#makeCard(attachment, isHere, isRemote))
  }

  #makePicture(attachment) {
    this.#size = null
    const link = element("a", "file-link")
    link.href = address(this.#part, attachment)
    link.target = "_blank"
    link.rel = "noopener"
    const picture = element("img", "thumbnail")
    picture.src = link.href
    picture.alt = attachment.name
    // With a key held down, it opens in a tab of its own, as any link.
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      showPicture(link, link.href, attachment.name)
    })
    link.append(picture, this.#ring.item)
    return link
  }

  #makeCard(attachment, isHere, isRemote) {
    const card = element(isHere ? "a" : "div", "card")
    const mark = element("span", "file-mark")
    mark.append(fileShape(), this.#ring.item)
    const words = element("span", "file-words")
    const name = element("span", "file-name", attachment.name)
    name.dir = "auto"
    this.#size = element("span", "file-size")
    words.append(name, this.#size)
    card.append(mark, words)
    if (isHere) {
      card.href = address(this.#part, attachment)
      card.download = attachment.name
      card.setAttribute("aria-label", `Save ${attachment.name}`)
    } else if (isRemote) {
      const button = element("button", "file-fetch")
      button.type = "button"
      button.setAttribute("aria-label", `Fetch ${attachment.name}`)
      button.append(fetchShape())
      button.addEventListener("click", () => this.#fetch(attachment.checksum))
      card.append(button)
    }
    return card
  }
}
