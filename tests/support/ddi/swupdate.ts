import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { within } from '../machine-load'

const run = promisify(execFile)

const debian = '/usr/bin/swupdate'
/** Debian's package `swupdate`. */
export const isInstalled = existsSync(debian)
/** A newer one that was built from source. */
const newer = process.env.TEASEL_SWUPDATE ?? ''
export const programs = [
  { name: 'swupdate', path: debian },
  { name: 'newer-swupdate', path: newer },
].filter(({ path }) => existsSync(path))

type Entry = { name: string; bytes: Buffer }

const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])

/** A cpio archive with checksums (070702), as SWUpdate reads it. */
const cpio = (entries: readonly Entry[]): Buffer => {
  const one = ({ name, bytes }: Entry, inode: number) => {
    const sum = bytes.reduce((total, byte) => (total + byte) >>> 0, 0)
    const fields = [inode, 0o100_644, 0, 0, 1, 0, bytes.length, 0, 0, 0, 0, name.length + 1, name === 'TRAILER!!!' ? 0 : sum]
    const head = `070702${fields.map((value) => value.toString(16).padStart(8, '0')).join('')}${name}\0`
    return Buffer.concat([padded(Buffer.from(head)), padded(bytes)])
  }
  return Buffer.concat([...entries, { name: 'TRAILER!!!', bytes: Buffer.alloc(0) }].map(one))
}

/** A certificate that may sign bundles, and its key. */
export const createSigner = async (directory: string): Promise<{ cert: string; key: string }> => {
  await mkdir(directory, { recursive: true })
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  await run('openssl', [
    ...'req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=bundles -addext extendedKeyUsage=emailProtection'.split(' '),
    ...`-keyout ${key} -out ${cert}`.split(' '),
  ])
  return { cert, key }
}

type Bundle = { directory: string; signer: { cert: string; key: string }; version: string; content: Buffer; target: string }

/** A signed .swu that writes its content into a file. */
export const createBundle = async ({ directory, signer, version, content, target }: Bundle): Promise<Buffer> => {
  await mkdir(directory, { recursive: true })
  const description = join(directory, 'sw-description')
  const sha256 = createHash('sha256').update(content).digest('hex')
  await writeFile(
    description,
    `software = {
  version = "${version}";
  hardware-compatibility: [ "1.0" ];
  files: ( { filename = "app.bin"; path = "${target}"; type = "rawfile"; sha256 = "${sha256}"; } );
}
`,
  )
  await run('openssl', [
    ...`cms -sign -in ${description} -out ${description}.sig -signer ${signer.cert} -inkey ${signer.key}`.split(' '),
    ...'-outform DER -nosmimecap -binary -noattr'.split(' '),
  ])
  return cpio([
    { name: 'sw-description', bytes: await readFile(description) },
    { name: 'sw-description.sig', bytes: await readFile(`${description}.sig`) },
    { name: 'app.bin', bytes: content },
  ])
}

type Settings = {
  directory: string
  url: string
  id: string
  token: string
  cert: string
  version: string
  bootId: string
  /** For so long at most. */
  withinMs?: number
  program?: string | undefined
}

/**
 * Runs the real program as one boot of a device until `isDone`, with `confirm` as its start scripts do it (2: success). Returns what
 * it printed.
 */
export const runSwupdate = async (
  { directory, url, id, token, cert, version, bootId, withinMs = 45_000, program = debian }: Settings,
  isDone: (printed: string) => Promise<boolean> | boolean,
  confirm?: 2 | 3,
): Promise<string> => {
  await mkdir(directory, { recursive: true })
  const config = join(directory, 'swupdate.cfg')
  await writeFile(
    config,
    `globals : { verbose = true; loglevel = 5; syslog = false; public-key-file = "${cert}"; };
suricatta : { tenant = "default"; id = "${id}"; url = "${url}"; gatewaytoken = "${token}"; retry = 3; retrywait = 1; };
identify : ( { name = "sw_version"; value = "${version}"; }, { name = "boot_id"; value = "${bootId}"; } );
`,
  )
  const env = { ...process.env, TMPDIR: directory, RUNTIME_DIRECTORY: directory }
  const child = spawn(program, ['-f', config, '-H', 'board:1.0', '-u', confirm === undefined ? '' : `-c ${confirm}`], {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const deadline = performance.now() + within(withinMs)
  while (isRunning() && !(await isDone(printed)) && performance.now() < deadline)
    await new Promise((resolve) => void setTimeout(resolve, 50))
  if (isRunning() && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  await ended
  return printed
}
