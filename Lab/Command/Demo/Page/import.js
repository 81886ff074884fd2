// Brings in what an app had before: a file goes to the phone, and a sheet says how far it is and what became of it.
import { element, say } from "/words.js"

// The file picker, from the menu of the list.
export class Import {
  // Called with what is to be said of a file that is on its way to the phone, or did not get there. Null: it is there.
  onChange = null
  #intents
  #input

  constructor(intents) {
    this.#intents = intents
    this.#input = element("input", "")
    this.#input.type = "file"
    this.#input.accept = ".json,application/json"
    this.#input.addEventListener("change", () => {
      const file = this.#input.files[0]
      if (file) this.#bring(file)
      // The same file may be picked again.
      this.#input.value = ""
    })
  }

  pick() {
    this.#input.click()
  }

  async #bring(file) {
    const reading = { name: file.name, title: "Importing...", sentences: [], notes: [], problems: [], moreProblems: 0 }
    this.onChange?.({ ...reading, isComing: true })
    const refusal = await this.#intents.bringHistory(file)
    this.onChange?.(refusal ? { ...reading, title: "Not imported", sentences: [refusal] } : null)
  }
}

export class ImportSheet {
  #root
  #bar
  #button
  #problems
  #notes

  constructor(root) {
    this.#root = root
    this.#bar = root.querySelector("progress")
    this.#button = root.querySelector(".end-import")
    this.#problems = root.querySelector(".import-problems")
    this.#notes = root.querySelector(".import-notes")
  }

  draw({ name, title, fraction, isComing, sentences, notes, problems, moreProblems }) {
    const find = (part) => this.#root.querySelector(part)
    this.#root.setAttribute("aria-label", title)
    say(find("h4"), title)
    say(find(".import-name"), name)
    const isUnderWay = fraction !== undefined
    this.#bar.hidden = !isUnderWay && !isComing
    if (isUnderWay) this.#bar.value = fraction
    else this.#bar.removeAttribute("value")
    say(this.#button, isUnderWay || isComing ? "Stop" : "Done")
    // Disabled it would lose the focus, which is wanted here a moment later.
    this.#button.setAttribute("aria-disabled", String(Boolean(isComing)))
    say(find(".sentence"), sentences.join(" "))
    const lines = problems.map(({ place, explanation }) => {
      const line = element("li", "")
      line.append(element("span", "import-place", place), element("span", "", explanation))
      return line
    })
    if (moreProblems > 0) lines.push(element("li", "", `And ${moreProblems} more.`))
    this.#list(this.#problems, lines)
    this.#list(this.#notes, notes.map((note) => element("li", "", note)))
  }
  #list(list, lines) {
    list.replaceChildren(...lines)
    list.hidden = lines.length === 0
  }
}
