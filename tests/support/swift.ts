import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { freePort } from './free-port'

const run = promisify(execFile)
const kinds = ['account', 'container', 'object'] as const

/** Whether OpenStack Swift is installed (tests/support/debian-programs.mjs). */
export const hasSwift = [...kinds, 'proxy'].every((kind) => existsSync(`/usr/bin/swift-${kind}-server`))

/** Swift runs as a normal user. */
const userOf = (): { name: string; uid: number; gid: number } => {
  if (process.getuid?.() !== 0) return { name: userInfo().username, uid: userInfo().uid, gid: userInfo().gid }
  const [name = '', , uid, gid] = /^swift:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0].split(':') ?? []
  return { name, uid: Number(uid), gid: Number(gid) }
}

const storageConf = (kind: string, common: string) => `${common}
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`

// `tempauth` demands a cache; nothing listens at its port.
const proxyConf = (common: string) => `${common}
[pipeline:main]
pipeline = catch_errors gatekeeper cache listing_formats bulk s3api tempauth slo dlo versioned_writes symlink proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
${['catch_errors', 'gatekeeper', 'listing_formats', 'bulk', 'slo', 'dlo', 'versioned_writes', 'symlink']
  .map((name) => `[filter:${name}]\nuse = egg:swift#${name}`)
  .join('\n')}
`

const credentials = { accessKeyId: 'test:tester', secretAccessKey: 'testing' }

/** Variables of a storage in a bucket of such a service. */
export const variablesOf = (endpoint: string, bucket: string): Record<string, string> => ({
  TEASEL_STORAGE: `s3://${bucket}/files`,
  TEASEL_S3_ENDPOINT: endpoint,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
})

export type Swift = {
  endpoint: string
  /** Variables of a storage in a new bucket of this service. */
  bucket: (name: string) => Promise<Record<string, string>>
  close: () => Promise<void>
}

/** A Swift of one replica with its S3 API, on loopback, in a directory of its own. */
export const startSwift = async (): Promise<Swift> => {
  const directory = await mkdtemp(join(tmpdir(), 'teasel-swift-'))
  const user = userOf()
  const own = async (path: string) => {
    await mkdir(path, { recursive: true, mode: 0o755 })
    await chown(path, user.uid, user.gid)
  }
  await chown(directory, user.uid, user.gid)
  await own(join(directory, 'devices'))
  await own(join(directory, 'devices/disk'))
  const children: ChildProcess[] = []
  let log = ''
  const begin = async (kind: string, port: number) => {
    const common = `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
user = ${user.name}
swift_dir = ${directory}
devices = ${join(directory, 'devices')}
mount_check = false
fallocate_reserve = 0
workers = 0
`
    const file = join(directory, `${kind}.conf`)
    await writeFile(file, kind === 'proxy' ? proxyConf(common) : storageConf(kind, common))
    const child = spawn(`/usr/bin/swift-${kind}-server`, [file, '-v'], {
      uid: user.uid,
      gid: user.gid,
      cwd: directory,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (log = `${log}${chunk.toString()}`.slice(-8000)))
    children.push(child)
    // Also when a test ends its process.
    process.once('exit', () => child.kill('SIGKILL'))
  }
  const close = async () => {
    for (const child of children)
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
    await rm(directory, { recursive: true, force: true })
  }
  try {
    for (const kind of kinds) {
      const port = await freePort()
      const builder = join(directory, `${kind}.builder`)
      await run('swift-ring-builder', [builder, 'create', '4', '1', '0'])
      await run('swift-ring-builder', [builder, 'add', `r1z1-127.0.0.1:${port}/disk`, '1'])
      await run('swift-ring-builder', [builder, 'rebalance'])
      await begin(kind, port)
    }
    const port = await freePort()
    await begin('proxy', port)
    const endpoint = `http://127.0.0.1:${port}`
    while (
      !(await fetch(`${endpoint}/info`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      const ended = children.find(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null)
      if (ended) throw new Error(`${ended.spawnargs.join(' ')} has ended:\n${log}`)
      await pause(100)
    }
    return {
      endpoint,
      bucket: async (name) => {
        const client = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true })
        await client.send(new CreateBucketCommand({ Bucket: name }))
        client.destroy()
        return variablesOf(endpoint, name)
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
