/** Limits of a JSON text that is to be parsed: levels of nesting, and values in all. */
export type JsonLimits = { depth: number; values: number }
/** `path`: the dotted path of the first place beyond the limit. */
export type JsonBreach = { path: string; rule: string }

const codes = { quote: 34, comma: 44, backslash: 92, list: 91, listEnd: 93, object: 123, objectEnd: 125 } as const

type Level = { isList: boolean; index: number; key: [from: number, to: number] }

const pathOf = (text: string, levels: readonly Level[]) =>
  levels.map(({ isList, index, key }) => (isList ? String(index) : text.slice(...key).slice(0, 64))).join('.')

/** The position after the text that begins at `at`. */
const endOfText = (text: string, at: number): number => {
  let end = at + 1
  for (let code = text.charCodeAt(end); code !== codes.quote && end < text.length; code = text.charCodeAt(end))
    end += code === codes.backslash ? 2 : 1
  return end + 1
}

/**
 * The first limit that a JSON text breaks, before anything of it is built in memory. In one pass, without recursion. Of a text that is
 * no JSON the result means nothing: `JSON.parse` refuses it.
 */
export const findJsonBreach = (text: string, { depth, values }: JsonLimits): JsonBreach | undefined => {
  const levels: Level[] = []
  let count = 1
  let last: [number, number] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const level = levels.at(-1)
    if (code === codes.quote) {
      const end = endOfText(text, at)
      last = [at + 1, end - 1]
      at = end - 1
    } else if (code === codes.list || code === codes.object) {
      if (level && !level.isList) level.key = last
      if (levels.length === depth) return { path: pathOf(text, levels), rule: `Nested deeper than ${depth} levels` }
      levels.push({ isList: code === codes.list, index: 0, key: [at, at] })
      count++
    } else if (code === codes.listEnd || code === codes.objectEnd) levels.pop()
    else if (code === codes.comma) {
      if (level) level.index++
      count++
    }
    if (count > values)
      return { path: pathOf(text, levels.slice(0, -1)), rule: `Too many values: at most ${values.toLocaleString('en')}` }
  }
  return undefined
}
