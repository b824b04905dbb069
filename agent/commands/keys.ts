import type { KeyAnswer } from '../../cli/keys/answer'
import { type ExitCode, exitCodes } from '../core/exit-codes'

const codes = { done: exitCodes.done, failed: exitCodes.error, refused: exitCodes.refusedUpdate } as const

/** Prints what a command about keys found, as before these commands were part of `teasel`. */
export const answerKeys = ({ ending, printed, notes }: KeyAnswer): ExitCode => {
  process.stdout.write(printed)
  for (const note of notes) process.stderr.write(`${note}\n`)
  return codes[ending]
}
