import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { root } from '../../server/core/root'

const program = '/usr/sbin/haproxy'
/** Debian's haproxy; without it its tests are named as not run. */
export const hasHaproxy = existsSync(program)

/** A certificate for this machine, signed by its own key: a PEM file with both, in a folder of its own. */
const createCertificate = (directory: string) => {
  const folder = join(directory, 'certs')
  mkdirSync(folder, { recursive: true })
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...kind, ...names, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  const ca = readFileSync(certificate, 'utf8')
  writeFileSync(join(folder, 'server.pem'), ca + readFileSync(key, 'utf8'), { mode: 0o600 })
  return { folder, ca }
}

/** A configuration of docs/deploy with other names, ports and files. Each text must occur. */
const replaceAll = (text: string, replacements: Record<string, string>) =>
  Object.entries(replacements).reduce((done, [from, to]) => {
    if (!done.includes(from)) throw new Error(`The configuration does not contain ${from}`)
    return done.replaceAll(from, to)
  }, text)

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

type Options = { file: string; directory: string; port: number; replacements: Record<string, string> }

/** Runs haproxy with a configuration of docs/deploy until `stop`; `port` is one of those it listens on. */
export const startHaproxy = async ({ file, directory, port, replacements }: Options) => {
  const { folder, ca } = createCertificate(directory)
  const text = readFileSync(join(root, 'docs/deploy', file), 'utf8')
  const config = join(directory, file)
  writeFileSync(config, replaceAll(text, replacements).replace('/etc/haproxy/certs/', folder))
  const child = spawn(program, ['-db', '-f', config], { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part: string) => (printed += part))
  const ended = once(child, 'exit')
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(printed)
    await pause(50)
  }
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { ca, stop, printed: () => printed }
}
