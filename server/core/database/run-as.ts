import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'

/** How to run a program that refuses to run as root: a command prefix, and the owner of its files. */
export type RunAs = { prefix: string[]; owner: number }

const exits = (command: string, args: string[]) =>
  new Promise<boolean>((resolve) => {
    spawn(command, args, { stdio: 'ignore' })
      .once('error', () => resolve(false))
      .once('exit', (code) => resolve(code === 0))
  })

// initdb looks its user up by id, so the id must be known on this machine.
const accounts = async () => {
  const lines = await readFile('/etc/passwd', 'utf8').then((text) => text.split('\n').map((line) => line.split(':')))
  const known = lines.map(([name, , uid]) => ({ name, uid: Number(uid) })).filter(({ uid }) => uid > 0)
  const named = (name: string) => known.find((account) => account.name === name)?.uid
  return { mapped: known.some(({ uid }) => uid === 1000) ? 1000 : named('nobody'), own: named('postgres') ?? named('nobody') }
}

/**
 * As root, PostgreSQL runs in a user namespace: it has another user id there but still owns its files. Where namespaces are
 * disabled it runs as `postgres`, with only the capability to traverse folders that root alone may enter.
 */
export const unprivileged = async (namespaces = true): Promise<RunAs> => {
  if (process.getuid?.() !== 0) return { prefix: [], owner: process.getuid?.() ?? 0 }
  const { mapped, own } = await accounts()
  const unshare = ['unshare', '--user', `--map-user=${mapped}`, '--']
  if (namespaces && mapped && (await exits('unshare', [...unshare.slice(1), 'true']))) return { prefix: unshare, owner: 0 }
  const setpriv = [
    'setpriv',
    `--reuid=${own}`,
    `--regid=${own}`,
    '--clear-groups',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    '--',
  ]
  if (own && (await exits('setpriv', [...setpriv.slice(1), 'true']))) return { prefix: setpriv, owner: own }
  throw new Error(
    'PostgreSQL does not run as root, and neither unshare nor setpriv works here. Run as an ordinary user, or name a server in DATABASE_URL.',
  )
}
