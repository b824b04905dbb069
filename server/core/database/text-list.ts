import { type SQL, sql } from 'drizzle-orm'

/** A list of constant texts in parentheses, for `in`. The texts are not escaped: none may come from outside the program. */
export const textList = (texts: readonly string[]): SQL => sql.raw(`(${texts.map((text) => `'${text}'`).join(', ')})`)
