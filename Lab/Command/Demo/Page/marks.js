// Marks in a text what was looked for.
import { element } from "/words.js"

// - ranges: [{ start, end }] in UTF-16 code units, in order and without overlap.
export function markRanges(text, ranges) {
  const parts = []
  let over = 0
  for (const { start, end } of ranges) {
    parts.push(text.slice(over, start), element("mark", "", text.slice(start, end)))
    over = end
  }
  parts.push(text.slice(over))
  return parts.filter((part) => part !== "")
}

// Everywhere, as they stand there.
export function rangesOf(text, words) {
  if (words.length === 0) return []
  // A longer one first: what begins with a shorter one is it.
  const wanted = [...words].sort((one, other) => other.length - one.length)
  const either = wanted.map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|")
  return [...text.matchAll(new RegExp(either, "g"))].map((match) => (
    { start: match.index, end: match.index + match[0].length }))
}
