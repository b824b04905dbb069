import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** What `postmaster.pid` says. Status is `starting`, `stopping` or `ready`. */
export type Postmaster = { pid: number; port: number; status: string }

const commandOf = async (pid: number): Promise<string> => {
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').then((text) => text.replaceAll('\0', ' '))
  return promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).then(({ stdout }) => stdout)
}

/** Is this process the server of this cluster? Process numbers are used again, most of all in containers; a zombie has no command. */
export const serves = (pid: number, cluster: string): Promise<boolean> =>
  commandOf(pid).then(
    (command) => command.includes('postgres') && command.includes(`-D ${cluster} `),
    () => false,
  )

/** The live server of a cluster, or nothing. */
export const postmasterOf = async (cluster: string): Promise<Postmaster | undefined> => {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const [pid, , , port, , , , status = ''] = text.split('\n').map((line) => line.trim())
  if (!pid || !(await serves(Number(pid), cluster))) return undefined
  return { pid: Number(pid), port: Number(port), status }
}

/**
 * Makes the notes of a killed server harmless. PostgreSQL refuses to start while the noted process number is alive, even
 * as a stranger's, but overlooks its own parent's: so the note gets ours. Its check for surviving workers stays in force.
 */
export const disown = async (cluster: string) => {
  const path = join(cluster, 'postmaster.pid')
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text !== undefined) await writeFile(path, text.replace(/^\d*/, String(process.pid)))
}
