// Small things that several parts of the page need: elements, and times in words.

export function element(tag, className, text) {
  const made = document.createElement(tag)
  made.className = className
  if (text !== undefined) made.textContent = text
  return made
}

// Only what differs is written: a screen reader repeats what is written again.
export function say(place, text) {
  if (place.textContent !== text) place.textContent = text
}

// An assistant's ID names its account too: "alice/assistant/claude" is called "claude". "@alice:localhost" is called "Alice".
export function senderName(sender) {
  const name = sender.split("/assistant/").at(-1)
  return name.startsWith("@") ? name[1].toUpperCase() + name.slice(2).split(":")[0] : name
}

export function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`
}

// "4 s", "3 min", "2 h", "3 days".
export function spanText(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h`
  return count(Math.floor(seconds / 86400), "day")
}

// "3 min ago".
export function agoText(milliseconds) {
  return milliseconds < 60000 ? "just now" : `${spanText(milliseconds)} ago`
}

// "in 4 s", and "now" once it is due.
export function untilText(milliseconds) {
  return milliseconds < 500 ? "now" : `in ${spanText(milliseconds)}`
}

// "38 ms", "1.4 s".
export function quickText(milliseconds) {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  return milliseconds < 10000 ? `${(milliseconds / 1000).toFixed(1)} s` : spanText(milliseconds)
}

// "14:05" today, "3 Nov", and "3 Nov 2024" of another year.
export function whenText(milliseconds, now) {
  const [date, today] = [new Date(milliseconds), new Date(now)]
  if (date.toDateString() === today.toDateString()) return format({ hour: "2-digit", minute: "2-digit" }, date)
  const year = date.getFullYear() === today.getFullYear() ? undefined : "numeric"
  return format({ day: "numeric", month: "short", year }, date)
}

const format = (style, date) => new Intl.DateTimeFormat(undefined, style).format(date)

// Draws again each second for as long as there is something to count. It asks nobody: the clock is the browser's.
export class Ticker {
  #timer = 0
  #draw

  constructor(draw) {
    this.#draw = draw
  }

  run(isCounting) {
    clearTimeout(this.#timer)
    if (isCounting) this.#timer = setTimeout(() => this.#draw(), 1000 - (Date.now() % 1000))
  }
}
