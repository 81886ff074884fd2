// Completes a click on a button that was drawn again between pressing and releasing the mouse. A browser gives a click to the
// element that was pressed, and drops it when that one is gone. A finger's tap is looked up where it ends, and is not dropped.

// The button that a person sees, whichever element shows it.
const identity = (button) => {
  const row = button.closest("[data-message]")?.dataset.message
  return JSON.stringify([row, button.className, button.dataset, button.id])
}

const buttonAt = (target) => target.closest?.("button")

export function completeClicks(page) {
  let pressed = null
  page.addEventListener("pointerdown", ({ target, button, pointerType }) => {
    const at = pointerType === "mouse" && button === 0 ? buttonAt(target) : null
    pressed = at && { element: at, identity: identity(at) }
  }, true)
  page.addEventListener("pointerup", ({ target }) => {
    const [begun, at] = [pressed, buttonAt(target)]
    pressed = null
    if (begun && at && !begun.element.isConnected && begun.identity === identity(at)) at.click()
  }, true)
}
