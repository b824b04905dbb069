export type JsonToken = ['ink' | 'string' | 'number' | 'word' | 'mark', string]

const pattern = /("(?:\\.|[^"\\])*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b|([{}[\],:])/g

/**
 * One line of JSON as colored tokens: keys in text color, strings, numbers and keywords in their own colors, punctuation muted.
 */
export const tokensOf = (line: string): JsonToken[] => {
  const tokens: JsonToken[] = []
  let at = 0
  for (const match of line.matchAll(pattern)) {
    if (match.index > at) tokens.push(['ink', line.slice(at, match.index)])
    const [whole, string, colon, number, word] = match
    if (string !== undefined) {
      tokens.push([colon === undefined ? 'string' : 'ink', string])
      if (colon !== undefined) tokens.push(['mark', colon])
    } else tokens.push([number !== undefined ? 'number' : word !== undefined ? 'word' : 'mark', whole])
    at = match.index + whole.length
  }
  if (at < line.length) tokens.push(['ink', line.slice(at)])
  return tokens
}
