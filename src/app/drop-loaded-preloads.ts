/** A preload that has loaded is of no more use: each page would leave some in the document for as long as the console is open. */
export const dropLoadedPreloads = (head: HTMLHeadElement): void =>
  head.addEventListener(
    'load',
    ({ target }) => {
      if (target instanceof HTMLLinkElement && target.rel === 'modulepreload') target.remove()
    },
    // This event does not bubble.
    true,
  )
