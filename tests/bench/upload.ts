// Uploads beside a bare server that receives and hashes the same bytes of the same sender: `npx tsx tests/bench/upload.ts [MiB]`,
// 3584 by default, in one piece and in pieces of 64 MiB, three times each in turn. The sender of pieces waits for each answer, of the
// bare server too.
import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { createAsset } from '../../contract/updates/release-assets'
import { createRelease, release } from '../../contract/updates/releases'
import { sessionHeader } from '../../contract/accounts/sessions'
import { createUpload } from '../../contract/updates/uploads'
import { root } from '../../server/core/root'
import { call } from '../e2e/support/call'
import { type Hosts, signUpOverHttp } from '../e2e/support/visitor'
import { secondsOf } from './processor'
import { measured, owner, quantile, unlimited, withServer } from './server'

const MiB = 2 ** 20
const size = Number(process.argv[2] ?? 3584) * MiB
const piece = 64 * MiB
const rounds = 3
const block = Buffer.alloc(MiB, 'the same bytes in every block ')
const agent = new Agent({ keepAlive: true })

const whole = () => {
  const hash = createHash('sha256')
  for (let at = 0; at < size; at += MiB) hash.update(block)
  return hash.digest('hex')
}

/** Sends bytes as fast as the other side takes them. */
const send = async (url: string, method: string, headers: Record<string, string>, length: number): Promise<string> => {
  const { hostname, port, pathname } = new URL(url)
  const sending = request({
    hostname,
    port,
    path: pathname,
    method,
    agent,
    headers: { ...headers, 'content-length': String(length) },
  })
  const answered = once(sending, 'response')
  for (let at = 0; at < length; at += MiB) if (!sending.write(block)) await once(sending, 'drain')
  sending.end()
  const [answer] = await answered
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  if (answer.statusCode >= 300) throw new Error(`${method} ${pathname}: ${answer.statusCode} ${text}`)
  return text
}

const figures = { bare: [] as number[], barePieces: [] as number[], whole: [] as number[], pieces: [] as number[] }
const ratios = { whole: [] as number[], pieces: [] as number[], samePieces: [] as number[] }
/** Of the process that receives, in seconds for a GiB. */
const processor: typeof figures = { bare: [], barePieces: [], whole: [], pieces: [] }

const timed = async (kind: keyof typeof figures, pid: number, work: () => Promise<unknown>): Promise<number> => {
  const [began, used] = [performance.now(), await secondsOf(pid)]
  await work()
  const rate = size / MiB / ((performance.now() - began) / 1000)
  figures[kind].push(rate)
  processor[kind].push(((await secondsOf(pid)) - used) / (size / 2 ** 30))
  return rate
}

/** Creates the file of a release and its upload. */
const begin = async ({ api }: Hosts, as: string, projectId: string, version: number) => {
  const facts = { name: `Image ${version}`, version, type: 'file' as const, hardware_models: ['gw'] }
  const { body: made } = await call(api, createRelease, { projectId }, { as, body: facts })
  const file = { name: 'image.bin', kind: 'payload' as const, size, install_location: '/opt/image.bin' }
  const { body: asset } = await call(api, createAsset, { releaseId: made.id }, { as, body: file })
  const metadata = { filename: 'image.bin', purpose: 'release_asset', target_id: asset.id }
  const pairs = Object.entries(metadata).map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(size), 'upload-metadata': pairs.join(',') }
  const { headers: answered } = await call(api, createUpload, {}, { as, headers })
  return { releaseId: made.id, url: new URL(answered.get('location') ?? '', api).href }
}

const upload = async (url: string, as: string, length: number) => {
  for (let at = 0; at < size; at += length) {
    const headers = {
      [sessionHeader]: as,
      'tus-resumable': '1.0.0',
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(at),
    }
    await send(url, 'PATCH', headers, Math.min(length, size - at))
  }
}

const sendPieces = async () => {
  for (let at = 0; at < size; at += piece) await send(`http://127.0.0.1:${port}/`, 'POST', {}, Math.min(piece, size - at))
}

const bare = fork(join(root, 'tests/bench/bare-hashing.ts'), { execArgv: ['--import', 'tsx'] })
const [port] = await once(bare, 'message')
const sha256 = whole()
await withServer({ TEASEL_LIMIT_REQUESTS_PER_MINUTE: unlimited }, async (hosts, _, directory, server) => {
  const pid = (await server.pidOf('api')) ?? 0
  for (let round = 0; round < rounds; round++) {
    // The plan of a new account holds the files of one round.
    const as = await signUpOverHttp(hosts, { ...owner, email: `round-${round}@example.com` })
    const { body: project } = await call(hosts.api, createPersonalProject, {}, { as, body: { name: 'Orchard' } })
    for (const [version, kind] of (['whole', 'pieces'] as const).entries()) {
      const rate = await timed('bare', bare.pid ?? 0, () => send(`http://127.0.0.1:${port}/`, 'POST', {}, size))
      const { releaseId, url } = await begin(hosts, as, project.id, version + 1)
      const own = await timed(kind, pid, () => upload(url, as, kind === 'whole' ? size : piece))
      const { body: stored } = await call(hosts.api, release, { releaseId }, { as })
      if (stored.assets[0]?.sha256 !== sha256) throw new Error('The server has stored other bytes than were sent.')
      ratios[kind].push(own / rate)
      if (kind === 'pieces') ratios.samePieces.push(own / (await timed('barePieces', bare.pid ?? 0, sendPieces)))
      await rm(join(directory, 'artifacts'), { recursive: true, force: true })
    }
  }
})
bare.kill()
await once(bare, 'exit')
agent.destroy()

measured('bare hashing server, median', quantile(figures.bare, 0.5), 'MiB/s')
measured('bare hashing server in pieces of 64 MiB, median', quantile(figures.barePieces, 0.5), 'MiB/s')
measured('upload in one piece, median', quantile(figures.whole, 0.5), 'MiB/s')
measured('upload in pieces of 64 MiB, median', quantile(figures.pieces, 0.5), 'MiB/s')
measured('in one piece to bare, median', 100 * quantile(ratios.whole, 0.5), '%')
measured('in pieces to bare, median', 100 * quantile(ratios.pieces, 0.5), '%')
measured('in pieces to bare in pieces, median', 100 * quantile(ratios.samePieces, 0.5), '%')
for (const [kind, what] of [
  ['bare', 'bare hashing server'],
  ['whole', 'API host, in one piece'],
  ['pieces', 'API host, in pieces'],
] as const)
  measured(`processor time of the ${what}, median`, quantile(processor[kind], 0.5), 's/GiB')
