import type { Json } from './redaction'

export type Change = { path: string; before?: string; after?: string }

const partsOf = (value: Json | undefined, path: string): [string, string][] => {
  if (value === undefined) return []
  if (typeof value !== 'object' || value === null) return [[path, JSON.stringify(value)]]
  const inside = Object.entries(value).flatMap(([name, part]) => partsOf(part, path === '' ? name : `${path}.${name}`))
  return inside.length > 0 ? inside : [[path, Array.isArray(value) ? '[]' : '{}']]
}

/** The differences of two contexts, by path. */
export const changesOf = (before: Json, after: Json): Change[] => {
  const [old, fresh] = [new Map(partsOf(before ?? {}, '')), new Map(partsOf(after ?? {}, ''))]
  return [...new Set([...old.keys(), ...fresh.keys()])]
    .filter((path) => old.get(path) !== fresh.get(path) && path !== '')
    .map((path) => {
      const [was, is] = [old.get(path), fresh.get(path)]
      return { path, ...(was !== undefined && { before: was }), ...(is !== undefined && { after: is }) }
    })
}
