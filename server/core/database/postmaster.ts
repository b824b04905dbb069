import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The contents of `postmaster.pid`. Status is `starting`, `stopping` or `ready`. */
export type Postmaster = { pid: number; port: number; status: string }

const commandOf = async (pid: number): Promise<string> => {
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').then((text) => text.replaceAll('\0', ' '))
  return promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).then(({ stdout }) => stdout)
}

/**
 * Whether this process is the server of this cluster. Process ids are reused, above all in containers; a zombie has no command.
 */
export const serves = (pid: number, cluster: string): Promise<boolean> =>
  commandOf(pid).then(
    (command) => command.includes('postgres') && command.includes(`-D ${cluster} `),
    () => false,
  )

/** The running server of a cluster, or undefined. */
export const postmasterOf = async (cluster: string): Promise<Postmaster | undefined> => {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const [pid, , , port, , , , status = ''] = text.split('\n').map((line) => line.trim())
  if (!pid || !(await serves(Number(pid), cluster))) return undefined
  return { pid: Number(pid), port: Number(port), status }
}

/**
 * Makes the pid file of a killed server harmless. PostgreSQL refuses to start while the noted process id is alive, even as
 * another program's, but ignores the id of its own parent: so the file gets the id of this process. Its check for surviving
 * workers stays in force.
 */
export const disown = async (cluster: string) => {
  const path = join(cluster, 'postmaster.pid')
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text !== undefined) await writeFile(path, text.replace(/^\d*/, String(process.pid)))
}
