import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DeviceConfig } from '../../contract/device/config'
import type { Manifest } from '../../contract/device/manifest'
import { hashFile } from '../core/hash'
import { agentPaths } from './paths'

export type HookName = keyof Manifest['hooks']
const timeLimitMs = 600_000
/** How long output is read after the end of a hook, if a program that it has left behind keeps the pipes open. */
const drainMs = 1000
const keptOutput = 8192

type Ended = { ok: boolean; output: string }

const killGroup = (pid: number | undefined): void => {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

const run = (path: string, cwd: string, env: NodeJS.ProcessEnv, onLine: (line: string) => void): Promise<Ended> =>
  new Promise((resolve) => {
    // Its own process group, so that a hanging hook is killed with everything it started.
    const child = spawn(path, [], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let output = ''
    const take = (data: Buffer) => {
      output = `${output}${data.toString('utf8')}`.slice(-keptOutput)
      for (const line of data.toString('utf8').split('\n')) if (line.trim() !== '') onLine(line)
    }
    const outputs = [child.stdout, child.stderr]
    for (const stream of outputs) stream.on('data', take)
    let timer = setTimeout(() => killGroup(child.pid), timeLimitMs)
    const end = (ok: boolean, why: string) => {
      clearTimeout(timer)
      // Still read, but ignored: a closed pipe would end the program that writes to it.
      for (const stream of outputs) stream.off('data', take).resume()
      resolve({ ok, output: ok ? output : [why, output.trim()].filter(Boolean).join('\n').slice(0, 1024) })
    }
    child.once('error', (error) => end(false, error.message))
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      const why = signal === null ? `The hook ended with code ${code}` : `The hook was ended by ${signal}`
      timer = setTimeout(() => end(code === 0, why), drainMs)
      child.once('close', () => end(code === 0, why))
    })
  })

/** Runs one hook of the release, if there is one: exactly the signed bytes, without the agent's secrets. */
export const runHook = async (
  config: DeviceConfig,
  manifest: Manifest,
  name: HookName,
  facts: { slot: 'a' | 'b' | null; previousVersion: number | null },
  onLine: (line: string) => void,
): Promise<Ended> => {
  const sha256 = manifest.hooks[name]
  if (sha256 === null) return { ok: true, output: '' }
  const paths = agentPaths(config)
  const path = paths.blob(sha256)
  if ((await hashFile(path)) !== sha256) return { ok: false, output: 'The hook on disk differs from the signed one' }
  chmodSync(path, 0o700)
  const scratch = mkdtempSync(join(config.temporary_directory, 'teasel-'))
  try {
    return await run(
      path,
      scratch,
      {
        PATH: process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin',
        HOME: scratch,
        TMPDIR: scratch,
        TEASEL_HOOK: name,
        TEASEL_RELEASE_ID: manifest.id,
        TEASEL_VERSION: String(manifest.version),
        TEASEL_PREVIOUS_VERSION: facts.previousVersion === null ? '' : String(facts.previousVersion),
        TEASEL_HARDWARE_MODEL: config.hardware_model,
        TEASEL_INSTALL_ROOT: config.install_root,
        TEASEL_SLOT: facts.slot ?? '',
        TEASEL_SLOT_PATH: facts.slot === null ? '' : paths.slot(facts.slot),
      },
      onLine,
    )
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
