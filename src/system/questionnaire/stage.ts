/** Tells when a modal begins and ceases to stand on the page. Portals hang on the body itself, so nothing deeper is watched. */
export const watchStage = (page: Document, changed: (taken: boolean) => void): void => {
  let taken = false
  const look = () => {
    const now = page.querySelector('[role=dialog], [role=alertdialog]') !== null
    if (now === taken) return
    taken = now
    changed(now)
  }
  new MutationObserver(look).observe(page.body, { childList: true })
  look()
}
