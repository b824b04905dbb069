/** Where a text stops being JSON, and what was expected there. `at` counts from 0; line and column count from 1. */
export type JsonPlace = { at: number; line: number; column: number; wanted: string }

const numberForm = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
// oxlint-disable-next-line no-control-regex -- JSON forbids control characters in strings
const stringForm = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y
// oxlint-disable-next-line no-control-regex -- as far as a broken string is right
const stringStart = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y
const wordForm = /true|false|null/y
const space = /[ \t\n\r]*/y

class Stop extends Error {
  readonly at: number
  constructor(at: number, wanted: string) {
    super(wanted)
    this.at = at
  }
}

const deepest = 500

/** A parser of the grammar of RFC 8259; throws a `Stop` at the first error. */
const reader = (text: string) => {
  let at = 0
  const take = (form: RegExp) => {
    form.lastIndex = at
    const found = form.exec(text)
    if (found) at += found[0].length
    return found !== null
  }
  const is = (mark: string) => {
    take(space)
    if (text[at] !== mark) return false
    at += 1
    return true
  }
  const string = (wanted: string) => {
    take(space)
    if (text[at] !== '"') throw new Stop(at, wanted)
    if (take(stringForm)) return
    take(stringStart)
    throw new Stop(at, text[at] === '\\' ? 'an escape that JSON knows' : 'the closing quotation mark')
  }
  const value = (depth: number) => {
    take(space)
    if (depth > deepest) throw new Stop(at, 'fewer levels')
    if (is('{')) members(depth)
    else if (is('[')) elements(depth)
    else if (text[at] === '"') string('a string')
    else if (!take(numberForm) && !take(wordForm)) throw new Stop(at, 'a value')
  }
  const members = (depth: number) => {
    if (is('}')) return
    do {
      string('a key in quotation marks')
      if (!is(':')) throw new Stop(at, 'a colon')
      value(depth + 1)
    } while (is(','))
    if (!is('}')) throw new Stop(at, 'a comma or }')
  }
  const elements = (depth: number) => {
    if (is(']')) return
    do value(depth + 1)
    while (is(','))
    if (!is(']')) throw new Stop(at, 'a comma or ]')
  }
  return () => {
    value(0)
    take(space)
    if (at < text.length) throw new Stop(at, 'the end')
  }
}

/** The first error; undefined for valid JSON. Engines differ in message and position, and some give no position. */
export const brokenAt = (text: string): JsonPlace | undefined => {
  try {
    reader(text)()
    return undefined
  } catch (stop) {
    if (!(stop instanceof Stop)) throw stop
    const lines = text.slice(0, stop.at).split('\n')
    return { at: stop.at, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, wanted: stop.message }
  }
}

/** "Line 3, column 5: a comma or } is expected". */
export const placeWords = ({ line, column, wanted }: JsonPlace): string =>
  `Line ${line}, column ${column}: ${wanted} ${wanted === 'fewer levels' ? 'are' : 'is'} expected`
