import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../server/core/root'
import { isFull } from '../support/counts'
import { freePort } from '../support/free-port'
import { within } from '../support/machine-load'

const tools = ['/usr/bin/buildah', '/usr/bin/mmdebstrap']
const canBuild = isFull && process.getuid?.() === 0 && tools.every((it) => existsSync(it))
const BASE = 'localhost/teasel-base'
const IMAGE = 'localhost/teasel'
const authorities = '/etc/ssl/certs/ca-certificates.crt'
/** Packages that this machine has downloaded. */
const npmCache = join(homedir(), '.npm')

let directory: string
let container: string
let running: ChildProcess | undefined

const run = async (program: string, ...args: string[]) => {
  const { stdout } = await promisify(execFile)(program, args, { cwd: root, maxBuffer: 64 * 1024 * 1024 })
  return stdout.trim()
}
const store = () => ['--root', join(directory, 'store'), '--runroot', join(directory, 'run')]
const buildah = (...args: string[]) => run('buildah', ...store(), ...args)

/** Debian with this machine's Node and npm, made without an image from elsewhere. */
const createBase = async () => {
  const archive = join(directory, 'base.tar')
  await run('mmdebstrap', '--variant=minbase', '--include=libstdc++6,ca-certificates', 'bookworm', archive)
  const made = await buildah('from', 'scratch')
  await buildah('add', made, archive, '/')
  await buildah('copy', made, await realpath(process.execPath), '/usr/bin/node')
  const npm = await realpath(process.env.npm_execpath ?? join(dirname(process.execPath), 'npm'))
  await buildah('copy', made, dirname(dirname(npm)), '/usr/lib/node_modules/npm')
  const mounted = await buildah('mount', made)
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(mounted, 'usr/bin/npm'))
  await buildah('umount', made)
  // npm must trust whom this machine trusts: its registry may be behind a proxy of the network.
  await buildah('copy', made, authorities, authorities)
  await buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${authorities}`, '--env', 'npm_config_cache=/var/cache/npm', made)
  await buildah('commit', '--rm', made, BASE)
}

beforeAll(async () => {
  if (!canBuild) return
  directory = await mkdtemp(join(tmpdir(), 'teasel-container-'))
  await createBase()
  // Without a runtime for containers: a command of the build runs in a chroot.
  await mkdir(npmCache, { recursive: true })
  const options = [
    '--isolation',
    'chroot',
    '--build-arg',
    `BASE=${BASE}`,
    '--volume',
    `${npmCache}:/var/cache/npm`,
    '--tag',
    IMAGE,
  ]
  await buildah('bud', '--file', 'docs/deploy/Containerfile', ...options, '.')
  container = await buildah('from', IMAGE)
}, within(1_800_000))
afterAll(async () => {
  if (!canBuild) return
  running?.kill('SIGKILL')
  await buildah('rm', '--all').catch(() => {})
  await rm(directory, { recursive: true, force: true })
})

describe.skipIf(!canBuild)('the image of docs/deploy/Containerfile', () => {
  it('serves the three hosts as an ordinary user, with the embedded PostgreSQL, and ends by a signal', async () => {
    const image: { OCIv1: { config: { User: string; Cmd: string[] } } } = JSON.parse(
      await buildah('inspect', '--type', 'image', IMAGE),
    )
    const { config } = image.OCIv1
    expect(config.User).toBe('10001:10001')
    const ports = [await freePort(), await freePort(), await freePort()]
    const [api, web, signIn] = ports
    const variables = [`TEASEL_API_PORT=${api}`, `TEASEL_WEB_PORT=${web}`, `TEASEL_SIGN_IN_PORT=${signIn}`, 'TEASEL_EMPTY=1']
    const env = variables.flatMap((it) => ['--env', it])
    // The command prints its own process id: `buildah run` passes no signals on.
    const command = ['sh', '-c', `echo pid: $$; exec ${config.Cmd.join(' ')}`]
    running = spawn('buildah', [...store(), 'run', '--isolation', 'chroot', ...env, container, '--', ...command])
    let printed = ''
    for (const stream of [running.stdout, running.stderr])
      stream?.setEncoding('utf8').on('data', (part: string) => (printed += part))
    const ended = once(running, 'exit')
    await expect.poll(() => printed).toContain('data: /data')
    for (const port of ports) expect((await fetch(`http://localhost:${port}/readyz`)).status).toBe(200)
    expect(await (await fetch(`http://localhost:${web}/`)).text()).toContain('<div id="root"')
    process.kill(Number(/^pid: (\d+)$/m.exec(printed)?.[1]), 'SIGTERM')
    expect(await ended).toEqual([0, null])
    running = undefined
  })
})
