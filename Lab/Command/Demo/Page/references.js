// The images and videos of a message that are elsewhere: a tile for each, with what it is and where. Nothing is fetched.
import { shape } from "/files.js"
import { element } from "/words.js"

const shapes = {
  image: "M5.500 5h13A1.500 1.500 0 0 1 20 6.500v11a1.500 1.500 0 0 1-1.500 1.500h-13A1.500 1.500 0 0 1 4 17.500v-11A1.500 1.500 0 0 1 5.500 5zM4.500 16.500l4.500-5 4 4.500 2.500-2.500 4 4M15.500 9.200v.100",
  video: "M5.500 5.500h13A1.500 1.500 0 0 1 20 7v10a1.500 1.500 0 0 1-1.500 1.500h-13A1.500 1.500 0 0 1 4 17V7a1.500 1.500 0 0 1 1.500-1.500zM10.200 9.300v5.400l4.500-2.700z",
}

export class References {
  #shown = ""

  constructor() {
    this.item = element("div", "references")
    this.item.setAttribute("role", "group")
    this.item.setAttribute("aria-label", "Images and videos")
    this.item.hidden = true
  }

  show(references) {
    const shown = JSON.stringify(references)
    if (shown === this.#shown) return
    this.#shown = shown
    this.item.hidden = references.length === 0
    this.item.replaceChildren(...references.map(makeTile))
  }
}

function makeTile({ kind, label, name, host, address }) {
  const tile = element("button", "card tile")
  tile.type = "button"
  tile.dataset.address = address
  tile.setAttribute("aria-haspopup", "dialog")
  const mark = element("span", "file-mark")
  mark.append(shape(shapes[kind]))
  const words = element("span", "file-words")
  const first = element("span", "file-name", name)
  first.dir = "auto"
  words.append(first, element("span", "file-size", host ? `${label} · ${host}` : label))
  tile.append(mark, words)
  return tile
}
