// What a tap on a message offers: the engine says which, the page says how it is called and what it asks for.

// What people answer most, in the order of their use. The names are for those who hear them.
const emoji = [
  ["👍", "Thumbs up"], ["❤️", "Heart"], ["😂", "Laughing"], ["😮", "Surprised"], ["😢", "Sad"], ["🙏", "Thank you"],
]

const ofUnsent = {
  retry: { text: "Retry", type: "retry" },
  decide: { text: "Decide", type: "decide" },
  edit: { text: "Edit", type: "takeBack", goesToComposer: true },
  cancel: { text: "Cancel", type: "cancel", isDangerous: true },
  delete: { text: "Delete", type: "cancel", isDangerous: true },
  info: { text: "Info", type: "info" },
}

const ofDelivered = {
  regenerateReply: { text: "Answer again", type: "regenerateReply" },
  edit: { text: "Edit", isEdit: true },
  delete: { text: "Delete for everybody", type: "delete", isDangerous: true },
}

// To give up what was done to a message, in the words of what is left then.
const givesUp = {
  edit: { text: "Discard the edit", isDangerous: true },
  delete: { text: "Keep the message" },
  react: { text: "Discard the reaction", isDangerous: true },
  unreact: { text: "Keep the reaction" },
}

const ofReply = {
  continueReply: { text: "Continue", type: "continueReply" },
  retryReply: { text: "Retry", type: "retryReply" },
  keepEarlierReply: { text: "Keep the earlier answer", type: "keepEarlierReply" },
  delete: { text: "Delete", type: "delete" },
}

const earlier = { text: "Bring back the earlier answer", type: "restoreReply" }

const stop = { text: "Stop", type: "stopReply" }

// A reply that stopped before its end, also because its writer failed.
export const isCutOff = ({ status }) => status.state === "interrupted" || status.failure?.code === "replyFailed"

export const isUnsent = (row) => ["sending", "queued", "held", "failed"].includes(row.status.state) && !isCutOff(row)

// What the line under an unsent message offers.
export function unsentOffers(row) {
  return !isUnsent(row) ? [] : row.actions.filter((action) => action in ofUnsent).map((action) => ofUnsent[action])
}

// What stands under a reply that was cut off, or that an assistant on this phone is writing.
export function replyOffers(row) {
  if (row.status.state === "streaming") return row.isWrittenHere ? [stop] : []
  return row.actions.filter((action) => action in ofReply).map((action) => ofReply[action])
}

// What the button beside a delivered message offers. Nil: it needs none.
export function deliveredOffers(row) {
  if (row.status.state !== "delivered" || row.actions.length === 0) return null
  const reactions = row.actions.includes("react") ? emoji.map(([value, name]) => ({
    value, name, isMine: row.reactions.some((reaction) => reaction.value === value && reaction.isMine),
  })) : []
  const items = row.actions.filter((action) => action in ofDelivered).map((action) => ofDelivered[action])
  const versions = row.versions > 0 ? [earlier] : []
  return { reactions, items: [{ text: "Reply", isReply: true }, ...versions, ...items] }
}

// What was done to a message and is not with the server: try it again, or give it up.
export function operationOffers({ kind, status }) {
  const first = status.state === "failed" ? { text: "Retry", type: "retry" } : { text: "Info", type: "info" }
  return [first, { ...givesUp[kind], type: "cancel" }]
}
