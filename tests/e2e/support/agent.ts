import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ended, root } from './product'

const run = promisify(execFile)
const program = join(root, 'dist/agent/teasel-agent.mjs')

/** The commands of the client as a person types them. Rejects with the output when one fails. */
export const agentCommand = (...args: string[]): Promise<string> => agentCommandWith([], ...args)

/** The same with options of Node. */
export const agentCommandWith = async (options: readonly string[], ...args: string[]): Promise<string> =>
  (await run(process.execPath, [...options, program, ...args])).stdout

export type Agent = { process: ChildProcess; output: () => string; stop: () => Promise<number | null> }

/** A device: a separate process with nothing but its device.json. */
export const startAgent = (config: string): Agent => {
  const child = spawn(process.execPath, [program, '--config', config], { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  return {
    process: child,
    output: () => printed,
    stop: () => {
      child.kill('SIGTERM')
      return ended(child)
    },
  }
}
