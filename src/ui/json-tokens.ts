export type JsonToken = ['ink' | 'string' | 'number' | 'word' | 'mark', string]

const pattern = /("(?:\\.|[^"\\])*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b|([{}[\],:])/g

/** One line of JSON in coloured pieces: keys are ink, strings, numbers and words have their own colour, marks are quiet. */
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
