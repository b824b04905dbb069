const apple = /Mac|iP/.test(globalThis.navigator?.platform ?? '')

/** The platform's command key, as on its keyboard. */
export const commandKey = apple ? '⌘' : 'Ctrl'

/** A key with it: ⌘K or Ctrl K. */
export const shortcut = (key: string): string => (apple ? `⌘${key}` : `Ctrl ${key}`)
