import { type AnyColumn, type SQL, sql } from 'drizzle-orm'

/** A pattern for `like` that matches the text literally. */
const pattern = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** A pattern for `like` that finds a text, whatever the case of its letters, in a value that `fold_case` was applied to. */
export const foldedPattern = (text: string): SQL => sql`fold_case(${`%${pattern(text)}%`}::text)`
export const foldedBeginning = (text: string): SQL => sql`fold_case(${`${pattern(text)}%`}::text)`

/** Whether a value contains a text, whatever the case of the letters of any script. Accents count. */
export const containsText = (value: AnyColumn | SQL, text: string): SQL => sql`fold_case(${value}) like ${foldedPattern(text)}`
export const beginsWithText = (value: AnyColumn | SQL, text: string): SQL =>
  sql`fold_case(${value}) like ${foldedBeginning(text)}`
