const shown = (text: string) =>
  text
    .normalize()
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

/**
 * Whether a person has typed a name as they see it. A page shows several spaces as one, other spaces and accents of two characters
 * like the usual ones, and format characters not at all.
 */
export const isTypedName = (typed: string, name: string): boolean => shown(typed) === shown(name)
