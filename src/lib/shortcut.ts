const apple = /Mac|iP/.test(globalThis.navigator?.platform ?? '')

/** The platform's command key, as on its keyboard. */
export const commandKey = apple ? '⌘' : 'Ctrl'

/** A key with it: ⌘K or Ctrl K. */
export const shortcut = (key: string): string => (apple ? `⌘${key}` : `Ctrl ${key}`)

/** Whether no control has the focus: a letter is then a key of the page. Its heading and its main part take it to be read. */
export const isPageFocused = (): boolean => {
  const { activeElement: active, body } = document
  return active === null || active === body || active.id === 'main' || active.matches('main h1')
}
