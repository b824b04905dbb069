export type Piece = { text: string; hit: boolean }

/** A name split at the typed words: the first occurrence of each word, ignoring case. */
export const marked = (name: string, typed: string): Piece[] => {
  const lower = name.toLowerCase()
  // Letters whose lower case is longer would shift all positions after them.
  if (lower.length !== name.length) return [{ text: name, hit: false }]
  const hits = Array.from({ length: name.length }, () => false)
  for (const word of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    const at = lower.indexOf(word)
    if (at >= 0) hits.fill(true, at, at + word.length)
  }
  const pieces: Piece[] = []
  for (const [index, letter] of [...Array(name.length).keys()].map((n) => [n, name.charAt(n)] as const)) {
    const hit = hits[index] ?? false
    const last = pieces.at(-1)
    if (last?.hit === hit) last.text += letter
    else pieces.push({ text: letter, hit })
  }
  return pieces
}
