import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chown,
  copyFile,
  mkdir,
  open,
  readFile,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type PostgresPrograms, preparePostgresPrograms } from './postgres-programs'
import { disown, type Postmaster, postmasterOf, serves } from './postmaster'
import { createRole, HOST_ROLE, withClient } from './roles'
import { type RunAs, unprivileged } from './run-as'

export type Embedded = {
  /** Connects as the owner of all tables: for migrations, retention and backups. */
  url: string
  /** Connects as the role of the hosts. */
  hostUrl: string
  port: number
  pid: number
  adopted: boolean
  lives: () => Promise<boolean>
  /** Cuts its log if that is long. */
  trimLog: () => Promise<void>
  stop: () => Promise<void>
}
export type EmbeddedOptions = {
  directory: string
  /** False only for tests that do not test durability (F-17). */
  durable?: boolean
  /** False to run as the `postgres` user even where user namespaces work. */
  namespaces?: boolean
  /** The preferred port; another free port is used if it is taken or not given. */
  port?: number
}

const USER = 'teasel'
const MAJOR = '18'
const LOG_LIMIT = 8 * 1024 * 1024

type Cluster = { directory: string; log: string; password: string; programs: PostgresPrograms; as: RunAs; durable: boolean }

const command = ({ as }: Cluster, program: string, args: string[]): [string, string[]] => {
  const [first = program, ...rest] = [...as.prefix, program, ...args]
  return [first, rest]
}

const OWNER_PASSWORD = 'postgres.password'
const HOST_PASSWORD = 'postgres.host.password'

/** The text of a file; undefined if there is none. One that cannot be read is an error: it must not be written again. */
const findText = (path: string) =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new Error(`${path} cannot be read: ${error.message}`, { cause: error })
  })

const passwordIn = async (directory: string, name: string) => {
  const path = join(directory, name)
  const known = await findText(path)
  if (known !== undefined && known !== '') return known
  if (name === OWNER_PASSWORD && (await findText(join(directory, 'postgres/PG_VERSION'))) !== undefined)
    throw new Error(
      `${path} is missing, without which ${join(directory, 'postgres')} cannot be opened. Put it back, or restore a backup.`,
    )
  // F-16: the file is written completely or not at all, even if this process is killed here.
  const password = randomBytes(24).toString('base64url')
  await writeFile(`${path}.part`, password, { mode: 0o600 })
  await rename(`${path}.part`, path)
  return password
}

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(address !== null && typeof address === 'object' ? address.port : 0))
    })
  })

const give = async (path: string, owner: number): Promise<void> => {
  await chown(path, owner, owner)
  for (const entry of await readdir(path, { recursive: true })) await chown(join(path, entry), owner, owner)
}

const exit = (child: ChildProcess) =>
  new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('exit', resolve)
  })

// F-16: the cluster is created in a temporary folder and renamed when complete, so that a kill leaves no partial cluster.
const initialize = async (directory: string, cluster: Cluster) => {
  for (const left of (await readdir(directory)).filter((name) => name.startsWith('postgres.new-')))
    await rm(join(directory, left), { recursive: true, force: true }).catch(() => {})
  const fresh = join(directory, `postgres.new-${randomBytes(4).toString('hex')}`)
  await mkdir(fresh, { mode: 0o700 })
  if (process.getuid?.() === 0) await chown(fresh, cluster.as.owner, cluster.as.owner)
  const pwfile = `--pwfile=${join(directory, OWNER_PASSWORD)}`
  const args = ['-D', fresh, '-U', USER, pwfile, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-instructions']
  const child = spawn(...command(cluster, cluster.programs.initdb, args), { stdio: ['ignore', 'ignore', 'pipe'] })
  let complaint = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint += text))
  if ((await exit(child)) !== 0) throw new Error(`PostgreSQL could not create its cluster in ${fresh}: ${complaint.trim()}`)
  await rename(fresh, cluster.directory)
}

const settings = (cluster: Cluster, port: number) => [
  ['listen_addresses', '127.0.0.1'],
  ['port', String(port)],
  ['unix_socket_directories', ''],
  ['max_connections', '200'],
  ['timezone', 'UTC'],
  ['log_timezone', 'UTC'],
  ['jit', 'off'],
  ...(cluster.durable
    ? []
    : [
        ['fsync', 'off'],
        ['synchronous_commit', 'off'],
        ['full_page_writes', 'off'],
      ]),
]

const settled = async (cluster: string, pid: number, lives: () => Promise<boolean>): Promise<Postmaster | undefined> => {
  while (await lives()) {
    const found = await postmasterOf(cluster)
    if (found?.pid === pid && found.status === 'ready') return found
    await pause(20)
  }
  return undefined
}

// Runs in its own process group with its output in a file: signals to this process do not reach it.
const launch = async (cluster: Cluster, port: number): Promise<Postmaster | undefined> => {
  await disown(cluster.directory)
  const flags = settings(cluster, port).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = await open(cluster.log, 'a', 0o600)
  try {
    const args = command(cluster, cluster.programs.postgres, ['-D', cluster.directory, ...flags])
    const child = spawn(...args, { detached: true, stdio: ['ignore', log.fd, log.fd] })
    const gone = exit(child).then(() => undefined)
    child.unref()
    // The command line cannot be checked yet: it is empty for a moment while unshare executes postgres.
    const lives = async () => child.exitCode === null && child.signalCode === null
    return await Promise.race([child.pid === undefined ? gone : settled(cluster.directory, child.pid, lives), gone])
  } finally {
    await log.close()
  }
}

const sizeOf = (path: string) =>
  stat(path).then(
    (it) => it.size,
    () => 0,
  )

// PostgreSQL appends to a file that this program has opened: it goes on at the new end.
const trimLog = async (log: string) => {
  if ((await sizeOf(log)) <= LOG_LIMIT) return
  // A full disk must not keep the log from being cut.
  await copyFile(log, `${log}.1`).catch(() => rm(`${log}.1`, { force: true }))
  await truncate(log)
}

const isTaken = (complaint: string) => /could not bind|Address already in use/.test(complaint)
const isTransient = (complaint: string) => isTaken(complaint) || complaint.includes('pre-existing shared memory block')

const start = async (cluster: Cluster, wanted: number | undefined): Promise<Postmaster> => {
  const size = () => sizeOf(cluster.log)
  await trimLog(cluster.log)
  let port = wanted ?? (await freePort())
  for (let attempt = 1; ; attempt++) {
    const before = await size()
    const found = await launch(cluster, port)
    if (found) return found
    const complaint = (await readFile(cluster.log)).subarray(before).toString().trim()
    if (attempt === 40 || !isTransient(complaint)) throw new Error(`PostgreSQL did not start: ${complaint.slice(-2000)}`)
    if (isTaken(complaint)) port = await freePort()
    await pause(250)
  }
}

const adopt = async (cluster: string): Promise<Postmaster | undefined> => {
  const found = await postmasterOf(cluster)
  return found && settled(cluster, found.pid, () => serves(found.pid, cluster))
}

const urlOf = (user: string, password: string, port: number) => `postgres://${user}:${password}@127.0.0.1:${port}/postgres`

// Changed only if the login fails, because two programs may open the same server at once.
const makeHostRole = (url: string, hostUrl: string, password: string) =>
  withClient(hostUrl, async () => {}).catch(() => withClient(url, (client) => createRole(client, HOST_ROLE, password)))

const stop = async (cluster: string, pid: number) => {
  // SIGINT requests PostgreSQL's fast shutdown: sessions end and everything is written.
  if (await serves(pid, cluster)) process.kill(pid, 'SIGINT')
  while (await serves(pid, cluster)) await pause(20)
}

/** Whether a server that does not answer is about to be gone: the kernel may need a moment for a process that was killed. */
const ends = async (cluster: string, pid: number): Promise<boolean> => {
  for (let tries = 0; tries < 100; tries++) {
    if (!(await serves(pid, cluster))) return true
    await pause(20)
  }
  return false
}

const passwordOf = (directory: string) => readFile(join(directory, OWNER_PASSWORD), 'utf8')

/** The PostgreSQL of the data directory if it is running; starts nothing. */
export const findEmbedded = async (directory: string): Promise<{ url: string } | undefined> => {
  const cluster = await realpath(join(directory, 'postgres')).catch(() => undefined)
  const found = cluster === undefined ? undefined : await adopt(cluster)
  return found && { url: urlOf(USER, await passwordOf(directory), found.port) }
}

/** The PostgreSQL of the data directory: adopted if it is still running, otherwise started, and created if it does not exist. */
export const openEmbedded = async (options: EmbeddedOptions): Promise<Embedded> => {
  await mkdir(options.directory, { recursive: true, mode: 0o700 })
  const directory = await realpath(options.directory)
  const cluster = join(directory, 'postgres')
  const password = await passwordIn(directory, OWNER_PASSWORD)
  const hostPassword = await passwordIn(directory, HOST_PASSWORD)
  const log = join(directory, 'postgres.log')
  const opened = async (found: Postmaster, adopted: boolean): Promise<Embedded> => {
    const url = urlOf(USER, password, found.port)
    const hostUrl = urlOf(HOST_ROLE, hostPassword, found.port)
    await makeHostRole(url, hostUrl, hostPassword)
    return {
      url,
      hostUrl,
      port: found.port,
      pid: found.pid,
      adopted,
      lives: () => serves(found.pid, cluster),
      trimLog: () => trimLog(log),
      stop: () => stop(cluster, found.pid),
    }
  }
  const running = await adopt(cluster)
  const adopted =
    running &&
    (await opened(running, true).catch(async (error: unknown) => {
      if (!(await ends(cluster, running.pid))) throw error
      return undefined
    }))
  if (adopted) return adopted
  const as = await unprivileged(options.namespaces)
  const created: Cluster = {
    directory: cluster,
    log,
    password,
    programs: await preparePostgresPrograms(),
    as,
    durable: options.durable ?? true,
  }
  const version = await findText(join(cluster, 'PG_VERSION'))
  if (version === undefined) await initialize(directory, created)
  else if (version.trim() !== MAJOR)
    throw new Error(
      `${cluster} was created by PostgreSQL ${version.trim()}; this program includes PostgreSQL ${MAJOR}. Start the version of the program that created it, back it up with that version, and restore the backup into a new data directory.`,
    )
  if (process.getuid?.() === 0 && (await stat(cluster)).uid !== as.owner) await give(cluster, as.owner)
  const started = await start(created, options.port)
  return opened(started, false).catch(async (error: unknown) => {
    await stop(cluster, started.pid)
    throw error
  })
}
