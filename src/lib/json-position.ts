import { parse, type ParseError, printParseErrorCode } from 'jsonc-parser'

/** Where a text stops being JSON, and what was expected there. `at` counts from 0; line and column count from 1. */
export type JsonPosition = { at: number; line: number; column: number; wanted: string }

const wantedInstead: Record<string, string> = {
  PropertyNameExpected: 'a key in quotation marks',
  ColonExpected: 'a colon',
  CommaExpected: 'a comma or a closing bracket',
  CloseBraceExpected: 'a comma or }',
  CloseBracketExpected: 'a comma or ]',
  EndOfFileExpected: 'the end',
  InvalidCommentToken: 'no comment',
  UnexpectedEndOfString: 'the closing quotation mark',
  UnexpectedEndOfNumber: 'a digit',
  InvalidUnicode: 'a string with valid escapes',
  InvalidEscapeCharacter: 'a string with valid escapes',
  InvalidCharacter: 'a string without control characters',
}

const firstError = (text: string): { at: number; wanted: string } | undefined => {
  const errors: ParseError[] = []
  try {
    parse(text, errors, { disallowComments: true })
  } catch (error) {
    // The parser calls itself for each level.
    if (error instanceof RangeError) return { at: 0, wanted: 'fewer levels' }
    throw error
  }
  const [first, second] = errors.map((error) => ({ ...error, name: printParseErrorCode(error.error) }))
  if (!first) return undefined
  // Of an unknown word the second error says what belongs in its place.
  const name = first.name === 'InvalidSymbol' && second ? second.name : first.name
  const length = first.name.startsWith('UnexpectedEnd') ? first.length : 0
  return { at: first.offset + length, wanted: wantedInstead[name] ?? 'a value' }
}

/** The first error; undefined for valid JSON. Engines differ in message and position, and some give no position. */
export const brokenAt = (text: string): JsonPosition | undefined => {
  const error = firstError(text)
  if (!error) return undefined
  const lines = text.slice(0, error.at).split('\n')
  return { ...error, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

/** "Line 3, column 5: a colon is expected". */
export const formatJsonPosition = ({ line, column, wanted }: JsonPosition): string =>
  `Line ${line}, column ${column}: ${wanted} ${wanted === 'fewer levels' ? 'are' : 'is'} expected`
