// An assistant's answer, from the blocks that the phone made of its Markdown. A block is a tree of texts and of
// [tag, attribute, ...nodes]. Elements are made of known tags alone, and nothing is ever read as HTML.
import { markRanges, rangesOf } from "/marks.js"
import { link } from "/opening.js"
import { element } from "/words.js"

const plain = new Set(["p", "blockquote", "ul", "li", "hr", "tr", "em", "strong", "del", "code"])
// How long a button says that it has copied, in milliseconds.
const thanks = 2000

// Those below the title of the conversation.
const heading = (level) => element(`h${Math.min(6, level + 3)}`, `heading heading-${level}`)

const make = {
  ol: (start) => Object.assign(element("ol", ""), { start }),
  li: (isDone) => isDone === null ? element("li", "") : makeTask(isDone),
  th: (side) => cell("th", side),
  td: (side) => cell("td", side),
  a: (address) => link(address, "link"),
  img: (address) => link(address, "link image-link"),
  pre: makeCode,
  table: makeTable,
}

function cell(tag, side) {
  const made = element(tag, { l: "start", c: "center", r: "end" }[side] ?? "")
  if (tag === "th") made.scope = "col"
  return made
}

function makeTask(isDone) {
  const item = element("li", "task")
  const box = element("input", "")
  box.type = "checkbox"
  box.checked = isDone
  box.disabled = true
  box.setAttribute("aria-label", isDone ? "Done" : "To do")
  item.append(box, element("span", "inside"))
  return item
}

function makeTable() {
  const frame = element("div", "table")
  frame.append(element("table", "inside"))
  return frame
}

function makeCode(language) {
  const frame = element("div", "code")
  const head = element("div", "code-head")
  const copy = element("button", "copy", "Copy")
  copy.type = "button"
  head.append(element("span", "language", language), copy)
  const text = element("pre", "")
  text.dir = "ltr"
  text.append(element("code", "inside"))
  frame.append(head, text)
  return frame
}

// Puts a block of code on the clipboard.
export async function copyCode(button) {
  const text = button.closest(".code").querySelector("code").textContent
  const isCopied = await navigator.clipboard.writeText(text).then(() => true, () => false)
  button.textContent = isCopied ? "Copied" : "Not copied"
  setTimeout(() => { button.textContent = "Copy" }, thanks)
}

// Where the nodes of an element are.
const inside = (made) => made.querySelector(":scope > .inside, :scope > pre > .inside") ?? made

const isText = (node) => typeof node === "string"
const isAlike = (one, other) => !isText(one) && !isText(other) && one[0] === other[0] && one[1] === other[1]

export class Markdown {
  #place
  // What is in the place: the blocks, as the phone said them, and as trees.
  #blocks = []
  #trees = []
  #sought = ""

  constructor(place) {
    this.#place = place
  }

  // Only what differs is made again: while an answer is written, that is its last text.
  // - sought: what was looked for and found in it.
  show(blocks, sought) {
    const marks = sought.join("\0")
    if (marks !== this.#sought || this.#place.childNodes.length !== this.#blocks.length) this.clear()
    this.#sought = marks
    const trees = blocks.map((block, index) => block === this.#blocks[index] ? this.#trees[index] : JSON.parse(block))
    this.#update(this.#place, this.#trees, trees, sought)
    this.#blocks = blocks
    this.#trees = trees
    // A block is written in one direction, and code from the left.
    for (const block of this.#place.children) if (!block.dir && !block.matches(".code")) block.dir = "auto"
  }

  clear() {
    this.#place.replaceChildren()
    this.#blocks = []
    this.#trees = []
  }

  #update(place, before, after, sought) {
    after.forEach((node, index) => {
      const [old, there] = [before[index], place.childNodes[index]]
      if (there && old === node) return
      if (there && isText(old) && isText(node) && sought.length === 0) there.data = node
      else if (there && isAlike(old, node)) this.#update(inside(there), old.slice(2), node.slice(2), sought)
      else if (there) there.replaceWith(this.#make(node, sought))
      else place.append(this.#make(node, sought))
    })
    while (place.childNodes.length > after.length) place.lastChild.remove()
  }

  #make(node, sought) {
    if (isText(node)) return this.#makeText(node, sought)
    const [tag, attribute, ...nodes] = node
    const level = /^h([1-6])$/.exec(tag)?.[1]
    const made = level ? heading(Number(level)) : make[tag]?.(attribute) ?? element(plain.has(tag) ? tag : "span", "")
    this.#update(inside(made), [], nodes, sought)
    return made
  }

  // One node in any case, so that the nodes of a place are those of its tree.
  #makeText(text, sought) {
    const ranges = rangesOf(text, sought)
    if (ranges.length === 0) return document.createTextNode(text)
    const made = element("span", "")
    made.append(...markRanges(text, ranges))
    return made
  }
}
