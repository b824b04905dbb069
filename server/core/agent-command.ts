import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { root } from './root'

const built = join(root, 'dist/agent/teasel-agent.mjs')

const command = () => (existsSync(built) ? [built] : ['--import', 'tsx', join(root, 'agent/main.ts')])

/** Runs a command of the device agent. Keys are made and manifests signed outside the server, which never sees a private key. */
export const agentCommand = async (args: readonly string[], input: Uint8Array = new Uint8Array()): Promise<string> => {
  const child = spawn(process.execPath, [...command(), ...args], { cwd: root, stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  child.stdin.end(input)
  const [printed, complaint, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  if (code !== 0) throw new Error(`teasel-agent ${args[0]} ended with ${code}: ${complaint.trim()}`)
  return printed
}
