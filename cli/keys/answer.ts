/** What a command about keys found: for the standard output, for people beside it, and as JSON. */
export type KeyAnswer = {
  ending: 'done' | 'failed' | 'refused'
  printed: string
  notes: readonly string[]
  data: object
}

export const done = (data: object, printed: string, notes: readonly string[] = []): KeyAnswer => ({
  ending: 'done',
  printed,
  notes,
  data,
})
export const failed = (message: string): KeyAnswer => ({ ending: 'failed', printed: '', notes: [message], data: { message } })
/** The check was made, and did not pass. */
export const refused = (message: string, data: object = {}): KeyAnswer => ({
  ending: 'refused',
  printed: '',
  notes: [`refused: ${message}`],
  data: { message, ...data },
})
