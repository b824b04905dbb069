import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentCommand } from './agent'

/** The device's own data: the release of its state, and the bytes that its programs would start. */
type Running = { version: number | null; sha256: string | null }

/** A device of a test: a directory with its configuration, state and files. Its program runs on each visit. */
export type FieldDevice = {
  name: string
  root: string
  /** One check-in with everything that follows. Resolves also when the agent's exit code reports a failure. */
  visit: () => Promise<void>
  running: () => Running
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Creates a device from the configuration of a group. `installed` is the path of its program, below its root. */
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
        // 1 and above are results of the update; a killed process has no code.
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
