import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentCommand } from './agent'

/** What the device itself has: the release of its own state, and the bytes that its programs would start. */
export type Running = { version: number | null; sha256: string | null }

/** A device of a bench: a directory with its configuration, its state and its files. Its program runs when it is visited. */
export type FieldDevice = {
  name: string
  root: string
  /** One check-in with all that follows from it. Resolves also when the agent reports a failure by its exit code. */
  visit: () => Promise<void>
  running: () => Running
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Makes a device of its own from the configuration of a group. `installed` is where its program lies, below its root. */
export const makeFieldDevice = (
  bench: string,
  name: string,
  { group, server, installed }: { group: Readonly<Record<string, unknown>>; server?: string; installed: string },
): FieldDevice => {
  const home = join(bench, name)
  const root = join(home, 'root')
  const state = join(home, 'state')
  const config = join(home, 'device.json')
  mkdirSync(root, { recursive: true })
  const own = { name, persistent_directory: state, install_root: root, ...(server !== undefined && { server_url: server }) }
  writeFileSync(config, JSON.stringify({ ...group, ...own }))
  return {
    name,
    root,
    visit: () =>
      agentCommand('--config', config, '--once').then(
        () => {},
        // 1 and above are outcomes of the update; a process that was ended has no code.
        (error: { code?: unknown }) => {
          if (typeof error.code !== 'number') throw error
        },
      ),
    running: () => {
      const kept = JSON.parse(readFileSync(join(state, 'state.json'), 'utf8')) as { installed: { version: number } | null }
      const program = join(root, installed)
      return { version: kept.installed?.version ?? null, sha256: existsSync(program) ? sha256(readFileSync(program)) : null }
    },
  }
}

export const hashOf = sha256
