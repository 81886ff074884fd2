// The files that go with what is written: picked, pasted or dropped, shown above the text field, and taken out again.
import { address, fileShape, isPicture, sizeText } from "/files.js"
import { element, say } from "/words.js"

export class Picks {
  // Called when the last file has arrived at the app.
  onIdle = null
  #list
  #input
  #button
  #problem
  #intents
  #conversation = null
  #canPick = false
  #shown = ""
  // Why the app did not take a file, and why one did not get there.
  #refused = ""
  #failed = ""
  // Those on their way to the app, and the loop that brings them.
  #coming = []
  #bringing = null

  constructor(view, intents) {
    this.#intents = intents
    this.#list = view.querySelector(".picked")
    this.#input = view.querySelector(".pick-input")
    this.#button = view.querySelector(".pick")
    this.#problem = view.querySelector(".pick-problem")
    this.#button.addEventListener("click", () => this.#input.click())
    this.#input.addEventListener("change", () => {
      this.#bring(this.#input.files)
      // The same file may be picked again.
      this.#input.value = ""
    })
    view.querySelector("textarea").addEventListener("paste", (event) => {
      // Who copies from a table brings a picture of it too: the text is meant.
      if (event.clipboardData.files.length === 0 || event.clipboardData.types.includes("text/plain")) return
      event.preventDefault()
      this.#bring(event.clipboardData.files)
    })
    this.#listenForDrops(view)
  }

  // A message that is sent now would go without them.
  get isBusy() {
    return this.#coming.length > 0
  }

  // - problem: why the app did not take the last one. Undefined: it did.
  show(attachments, conversation, canPick, problem) {
    if (conversation !== this.#conversation) this.#failed = ""
    this.#conversation = conversation
    this.#refused = problem ?? ""
    this.#drawProblem()
    this.#canPick = canPick
    this.#button.hidden = !canPick
    this.#draw(attachments)
  }

  #listenForDrops(view) {
    const isFile = (event) => event.dataTransfer.types.includes("Files")
    let depth = 0
    const mark = (by) => {
      depth = Math.max(0, depth + by)
      view.classList.toggle("is-over", depth > 0 && this.#canPick)
    }
    view.addEventListener("dragenter", (event) => isFile(event) && mark(1))
    view.addEventListener("dragleave", (event) => isFile(event) && mark(-1))
    view.addEventListener("dragover", (event) => isFile(event) && event.preventDefault())
    view.addEventListener("drop", (event) => {
      if (!isFile(event)) return
      event.preventDefault()
      depth = 0
      mark(0)
      this.#bring(event.dataTransfer.files)
    })
  }

  #bring(files) {
    if (!this.#canPick || this.#button.disabled || this.#conversation === null) return
    this.#failed = ""
    this.#drawProblem()
    for (const file of files) this.#coming.push({ file, conversation: this.#conversation })
    this.#drawComing()
    this.#bringing ??= this.#bringAll()
  }

  // One after the other, so that they stand in the order in which they were picked.
  async #bringAll() {
    while (this.isBusy) {
      const { file, conversation } = this.#coming[0]
      const refusal = await this.#intents.bring(file, conversation)
      this.#coming.shift()
      if (refusal) this.#failed = refusal
      this.#drawProblem()
      this.#drawComing()
    }
    this.#bringing = null
    this.onIdle?.()
  }

  #drawProblem() {
    const text = this.#refused || this.#failed
    say(this.#problem, text)
    this.#problem.hidden = text === ""
  }

  #draw(attachments) {
    const shown = JSON.stringify(attachments.map(({ attachment }) => attachment))
    if (shown !== this.#shown) {
      this.#shown = shown
      for (const chip of this.#list.querySelectorAll(".chosen")) chip.remove()
      this.#list.prepend(...attachments.map(({ attachment }) => this.#makeChip(attachment)))
    }
    this.#drawComing()
  }

  #drawComing() {
    for (const chip of this.#list.querySelectorAll(".coming")) chip.remove()
    for (const { file } of this.#coming) {
      const chip = element("li", "coming")
      chip.append(element("span", "picked-name", file.name), element("span", "picked-size", "Adding..."))
      this.#list.append(chip)
    }
    this.#list.hidden = this.#list.childElementCount === 0
  }

  #makeChip(attachment) {
    const chip = element("li", "chosen")
    const mark = element("span", "picked-mark")
    if (isPicture(attachment)) {
      const picture = element("img", "")
      picture.src = address(this.#intents.part, attachment)
      picture.alt = ""
      mark.append(picture)
    } else {
      mark.append(fileShape())
    }
    const name = element("span", "picked-name", attachment.name)
    name.dir = "auto"
    const remove = element("button", "picked-remove")
    remove.type = "button"
    remove.setAttribute("aria-label", `Remove ${attachment.name}`)
    remove.addEventListener("click", () => {
      // As the engine names an attachment.
      const id = `${attachment.checksum}/${attachment.name}`
      this.#intents.act({ type: "detach", conversation: this.#conversation, attachment: id })
      this.#button.focus()
    })
    chip.append(mark, name, element("span", "picked-size", sizeText(attachment.byteCount)), remove)
    return chip
  }
}
