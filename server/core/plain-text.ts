// T-19: C0 and C1 controls, and the marks that turn the direction of the text that follows.
// oxlint-disable-next-line no-control-regex -- naming control characters is the rule itself
const unsafe = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g
const names: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\u001b': '\\e' }
const escaped = (character: string) => names[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

const cut = (text: string, most: number) => {
  // No text has more characters than units.
  if (text.length <= most) return text
  const characters = Array.from(text.slice(0, 2 * most + 2))
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text
}

/** Text in which nothing can be hidden: control and direction characters are replaced by visible escapes. */
export const sanitizeText = (text: string, most: number): string => cut(text.toWellFormed().replace(unsafe, escaped), most)
