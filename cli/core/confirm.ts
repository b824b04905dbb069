import { createInterface } from 'node:readline/promises'
import { Usage } from './errors'

/** Asks on the terminal; without one, `--yes` is required. */
export const confirm = async (question: string, yes: boolean | undefined): Promise<boolean> => {
  if (yes) return true
  if (!process.stdin.isTTY) throw new Usage('--yes is required where nobody can be asked')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await lines.question(`${question} [y/N] `)
  lines.close()
  return /^y(es)?$/i.test(answer.trim())
}
