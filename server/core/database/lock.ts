import { createHash } from 'node:crypto'
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { is, number, string, type } from 'superstruct'

const Holder = type({ pid: number(), since: string() })

export type Lock = { release: () => Promise<void> }

/** Thrown when another process uses the same data directory. The message names that process. */
class DirectoryHeld extends Error {
  override name = 'DirectoryHeld'
}

// F-22: an abstract socket belongs to the kernel and ends with its process, so no lock is ever stale. Systems without abstract
// sockets get a socket file, which counts as held only while a process answers on it.
const address = (directory: string) => {
  const name = `teasel-${createHash('sha256').update(directory).digest('hex').slice(0, 32)}`
  return process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.sock`)
}

const listen = (at: string) =>
  new Promise<Server>((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', reject)
    server.listen(at, () => resolve(server.unref()))
  })

const answers = (at: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(at, () => resolve(true)).once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
  })

const isTaken = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'

const holderOf = async (directory: string) => {
  const known: unknown = await readFile(join(directory, 'lock'), 'utf8').then(JSON.parse, () => undefined)
  return is(known, Holder) ? `process ${known.pid}, running since ${known.since}` : 'another process'
}

const hold = async (path: string, refusal: () => Promise<Error>): Promise<Server> => {
  const at = address(path)
  try {
    return await listen(at)
  } catch (error) {
    if (!isTaken(error)) throw error
    if (await answers(at)) throw await refusal()
    if (!at.startsWith('\0')) await rm(at, { force: true })
    return listen(at)
  }
}

const end = (server: Server) => new Promise<void>((done) => server.close(() => done()))

/** Takes a path, which need not exist, for this process. Throws an Error with this message if another one has it. */
export const lockPath = async (path: string, held: string): Promise<Lock> => {
  const server = await hold(path, async () => new Error(held))
  return { release: () => end(server) }
}

/** Takes the data directory for this process, or throws `DirectoryHeld`. The file `lock` only names the holder. */
export const lockDirectory = async (path: string): Promise<Lock> => {
  await mkdir(path, { recursive: true, mode: 0o700 })
  const directory = await realpath(path)
  const server = await hold(
    directory,
    async () =>
      new DirectoryHeld(
        `The data directory ${directory} is in use by ${await holderOf(directory)}. Stop it, or name another directory in TEASEL_DATA_DIR.`,
      ),
  )
  await writeFile(join(directory, 'lock'), JSON.stringify({ pid: process.pid, since: new Date().toISOString() }), { mode: 0o600 })
  return {
    release: async () => {
      await rm(join(directory, 'lock'), { force: true })
      await end(server)
    },
  }
}
