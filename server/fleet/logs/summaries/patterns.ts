/** Placeholder for a part that differs from line to line. */
const wild = '<*>'

// In this order: the longer form before the shorter one that it contains.
const masks: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b/gi, '<mac>'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, '<ip>'],
  [/(?<![\w/])\/(?:[\w.@+-]+\/)*[\w.@+-]+/g, '<path>'],
  [/\b0x[0-9a-f]+\b/gi, '<hex>'],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b/gi, '<hex>'],
  // A digit within a name stays: eth0, EXT4, IPv6.
  [/(?<![A-Za-z_\d])\d+(?:\.\d+)*/g, '<n>'],
]

/** A message with its variable parts replaced by placeholders. */
export const masked = (message: string): string => {
  let text = message
  for (const [form, mark] of masks) text = text.replace(form, mark)
  return text
}

export type Group<L> = { tokens: string[]; lines: L[] }

const SIMILAR = 0.5

const likeness = (tokens: readonly string[], other: readonly string[]) =>
  tokens.filter((token, index) => token === other[index]).length / tokens.length

const merged = (tokens: readonly string[], other: readonly string[]) =>
  tokens.map((token, index) => (token === other[index] ? token : wild))

/** More patterns than this in one bucket are noise: further messages join the most similar pattern. */
const MOST_IN_BUCKET = 100

/**
 * Groups lines whose messages differ only in their variable parts: a tree of fixed depth (unit, length, first word) with the
 * most similar pattern in its leaves, as in the Drain algorithm. The order of the lines decides, so the same lines give the
 * same groups.
 */
export const createPatterns = <L extends { unit: string | null; message: string }>() => {
  const leaves = new Map<string, Group<L>[]>()
  return {
    add: (line: L): void => {
      const tokens = masked(line.message).split(/\s+/).filter(Boolean).slice(0, 60)
      const first = tokens[0] ?? ''
      const key = `${line.unit ?? ''}\u0000${tokens.length}\u0000${first}`
      const leaf = leaves.get(key) ?? []
      leaves.set(key, leaf)
      let best: Group<L> | undefined
      let score = 0
      for (const group of leaf) {
        const found = likeness(tokens, group.tokens)
        if (found > score) [best, score] = [group, found]
      }
      if (best && (score >= SIMILAR || leaf.length >= MOST_IN_BUCKET)) {
        best.tokens = merged(best.tokens, tokens)
        best.lines.push(line)
      } else leaf.push({ tokens, lines: [line] })
    },
    groups: (): Group<L>[] => [...leaves.values()].flat(),
  }
}

export const patternOf = ({ tokens }: Pick<Group<unknown>, 'tokens'>): string => tokens.join(' ')
