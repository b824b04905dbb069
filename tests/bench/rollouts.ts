// Offers to 200 devices that ask at a time, over real HTTP and a real database, and the cost of a tick, by the number of targets:
// `npx tsx tests/bench/rollouts.ts [most targets]`. If neither depends on the number of targets, the last figures are close to 1.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import { sql } from 'drizzle-orm'
import { Client } from 'pg'
import { fromBase64, toBase64 } from '../../contract/device/bytes'
import { sign } from '../../contract/device/dsse'
import { payloadType } from '../../contract/device/manifest'
import { generateSigningKey } from '../../contract/device/private-key'
import { pemOf } from '../../contract/device/public-key'
import { createSigningKey } from '../../contract/fleet/keys'
import { finalizeRelease, signRelease } from '../../contract/updates/release-signing'
import { createRelease } from '../../contract/updates/releases'
import { previewRollout } from '../../contract/updates/rollout-plans'
import { startRollout } from '../../contract/updates/rollout-steps'
import { createRollout, type NewRollout } from '../../contract/updates/rollouts'
import { createTag } from '../../contract/fleet/tags'
import { openDatabase } from '../../server/core/database/open'
import { newRow } from '../../server/core/database/row'
import { root } from '../../server/core/root'
import { createToken, hashOf } from '../../server/core/tokens/token'
import { assets } from '../../server/updates/schema/releases'
import { runBulkChanges } from '../../server/updates/rollouts/run/bulk-changes'
import { tickRollouts } from '../../server/updates/rollouts/tick'
import { call } from '../e2e/support/call'
import { people } from '../support/people'
import type { Infer } from 'superstruct'
import { blocksReadBy, openBenchApi } from './api'
import { measured, quantile } from './server'

export type Asked = { api: string; tokens: string[]; open: number }
export type Polled = { waits: number[]; refused: number; again: number; seconds: number }

const most = Number(process.argv[2] ?? 50_000)
const sizes = [1000, 10_000, 50_000, 100_000].filter((size) => size <= most)
/** So many devices ask at a time. */
const open = 200
/** The sizes take turns, so that other work on the machine concerns all of them. */
const rounds = 3
const offersOfRound = 300
const ticks = 40
const previews = 20
/** The most that the contract allows. */
const mostConcurrent = 10_000

const { api, deps, embedded, close } = await openBenchApi()
const { db, pool } = deps
const pollers = fork(join(root, 'tests/bench/rollout-pollers.ts'), { cwd: root, execArgv: ['--import', 'tsx'] })

/** The processes of the embedded PostgreSQL and the CPU that they have used, in milliseconds. */
const databaseCpuMs = (): number => {
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        const fields = stat
          .slice(stat.lastIndexOf(')') + 2)
          .split(' ')
          .map(Number)
        // proc_pid_stat(5): the parent, then the times of the process and of the children it has waited for, in 1/100 s.
        return [{ pid: Number(name), parent: fields[1], ms: 10 * fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) }]
      } catch {
        return []
      }
    })
  const of = (pid: number): number =>
    found.filter((one) => one.pid === pid).reduce((sum, { ms }) => sum + ms, 0) +
    found.filter(({ parent }) => parent === pid).reduce((sum, child) => sum + of(child.pid), 0)
  return of(embedded.pid)
}
const nodeCpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const gate = { min_success_percent: 90, max_failure_percent: 10, min_sample: 3, soak_s: 0, then: 'continue' } as const
const wave = { kind: 'percent' as const, value: 100, gate }

type Fleet = { size: number; projectId: string; releaseId: string; tokens: string[]; as: string }

const createFleet = async (size: number): Promise<Fleet> => {
  const { person, project } = people(deps)
  const ann = await person()
  const as = ann.token
  const projectId = await project({ ownerId: ann.id })
  const key = await generateSigningKey('ed25519')
  const { fingerprint } = key.publicKey
  const named = { name: 'Release key', algorithm: 'ed25519' as const, public_key_pem: pemOf(key.publicKey) }
  const { body: registered } = await call(api, createSigningKey, { projectId }, { as, body: named })
  const facts = { name: 'Firmware', version: 2, type: 'file' as const, hardware_models: ['gw'], allow_downgrade_from: [] }
  const { body: release } = await call(api, createRelease, { projectId }, { as, body: { ...facts, may_return_to: null } })
  const releaseId = release.id
  const stored = await deps.storage.write('app.bin', Readable.from([Buffer.from('firmware')]))
  await db.insert(assets).values({
    ...newRow(deps.clock()),
    projectId,
    releaseId,
    name: 'app.bin',
    kind: 'payload',
    size: stored.size,
    installLocation: '/opt/app.bin',
    mode: '0644',
    sha256: stored.sha256,
    storageKey: 'app.bin',
    state: 'ready',
    contentType: 'application/octet-stream',
  })
  const { body: final } = await call(api, finalizeRelease, { releaseId }, { as, body: {} })
  const { signature } = await sign(key, payloadType, fromBase64(final.to_sign.payload_base64) ?? new Uint8Array())
  await call(api, signRelease, { releaseId }, { as, body: { key_id: registered.id, signature_base64: toBase64(signature) } })

  const { body: tag } = await call(api, createTag, { projectId }, { as, body: { name: 'field', colour: 'sky' } })
  for (let from = 1; from <= size; from += 1000)
    await db.execute(sql`
      with made as (
        insert into devices (id, created_at, updated_at, revision, project_id, name, serial_number, hardware_model, lifecycle,
          enrollment, installed_version, trusted_keys, polling_interval_s, last_seen_at, contact)
        select '01K' || upper(substr(md5(${projectId} || n), 1, 23)), now(), now(), 1, ${projectId}, 'device ' || n, 'SN-' || n, 'gw',
          'active', 'simulated', 1, array[${fingerprint}::text], 3600, now(), 'online'
        from generate_series(${from}::int, ${Math.min(size, from + 999)}::int) as n
        returning id
      )
      insert into device_tags (project_id, device_id, tag_id) select ${projectId}, id, ${tag.id} from made`)
  const tokens = Array.from({ length: rounds * offersOfRound }, () => createToken('dvc'))
  await db.execute(sql`
    insert into device_tokens (token_hash, project_id, device_id, prefix, created_at)
    select hash, ${projectId}, id, '', now()
    from (select id, row_number() over (order by md5(id)) as n from devices where project_id = ${projectId}) as numbered
    join unnest(${sql.param(tokens.map(hashOf))}::text[]) with ordinality as given (hash, n) using (n)`)
  return { size, projectId, releaseId, tokens, as }
}

const previewOf = async ({ size, releaseId, as }: Fleet): Promise<void> => {
  const body = { target: { tags_any: ['field'] }, waves: [wave] }
  const waits: number[] = []
  for (let n = 0; n < previews; n++) {
    const began = performance.now()
    await call(api, previewRollout, { releaseId }, { as, body })
    waits.push(performance.now() - began)
  }
  measured(`${size} targets, preview, median`, quantile(waits, 0.5), 'ms')
  measured(`${size} targets, preview, p99`, quantile(waits, 0.99), 'ms')
}

type Plan = Partial<Omit<Infer<typeof NewRollout>, 'allow_downgrade'>>

const startOver = async ({ size, releaseId, as }: Fleet, asked: Plan): Promise<void> => {
  const plan = { target: { everything: true }, waves: [wave], ...asked }
  const { body: seen } = await call(api, previewRollout, { releaseId }, { as, body: { target: plan.target, waves: plan.waves } })
  const previewed = performance.now()
  const body = { max_concurrent: mostConcurrent, ...plan, preview_hash: seen.preview_hash }
  const { body: made } = await call(api, createRollout, { releaseId }, { as, body })
  const created = performance.now()
  await call(api, startRollout, { rolloutId: made.id }, { as, body: {} })
  measured(`${size} targets, creation`, created - previewed, 'ms')
  await runBulkChanges(deps)
  // Up to half of the targets are updating, as in the middle of a rollout: the devices that ask come on top. The limit leaves room for
  // twice as many, because a device that waits for a shard and finds it full is refused though another has room (decision 46).
  for (let left = Math.min(size / 2, mostConcurrent - 2 * rounds * offersOfRound); left > 0; left -= 1000)
    await db.execute(sql`
      update rollout_devices set state = 'installing', since = now(), offered_at = now() - interval '5 minutes'
      where rollout_id = ${made.id} and device_id in (
        select r.device_id from rollout_devices r
        where r.rollout_id = ${made.id} and r.state = 'queued'
          and not exists (select from device_tokens t where t.device_id = r.device_id)
        limit ${Math.min(1000, left)})`)
}

const poll = async (asked: Asked): Promise<Polled> => {
  pollers.send(asked)
  const [polled] = await once(pollers, 'message')
  return polled as Polled
}

type Offers = { waits: number[]; again: number; seconds: number; nodeMs: number; databaseMs: number }

const offersOf = async (fleets: readonly Fleet[]): Promise<number[]> => {
  const all = new Map<Fleet, Offers>(
    fleets.map((fleet) => [fleet, { waits: [], again: 0, seconds: 0, nodeMs: 0, databaseMs: 0 }]),
  )
  for (let round = 0; round < rounds; round++)
    for (const [fleet, sums] of all) {
      const tokens = fleet.tokens.slice(round * offersOfRound, (round + 1) * offersOfRound)
      const [node, database] = [nodeCpuMs(), databaseCpuMs()]
      const { waits, refused, again, seconds } = await poll({ api, tokens, open })
      if (refused > 0) throw new Error(`${refused} of ${tokens.length} devices were not offered the release`)
      sums.waits.push(...waits)
      sums.again += again
      sums.seconds += seconds
      sums.nodeMs += nodeCpuMs() - node
      sums.databaseMs += databaseCpuMs() - database
    }
  return [...all].map(([{ size }, { waits, again, seconds, nodeMs, databaseMs }]) => {
    const rate = waits.length / seconds
    measured(`${size} targets, offers to ${open} devices at a time`, rate, 'a second')
    measured(`${size} targets, offer, median`, quantile(waits, 0.5), 'ms')
    measured(`${size} targets, offer, p99`, quantile(waits, 0.99), 'ms')
    measured(`${size} targets, requests without a connection in time`, again, '')
    measured(`${size} targets, CPU of Node per offer`, nodeMs / waits.length, 'ms')
    measured(`${size} targets, CPU of PostgreSQL per offer`, databaseMs / waits.length, 'ms')
    return rate
  })
}

const tickOf = async ({ size, projectId }: Fleet): Promise<number> => {
  // One connection, so that the blocks that it has read can be asked for.
  const alone = openDatabase({ url: embedded.url, onError: () => {}, connections: 1 })
  const blocks = () => blocksReadBy(alone)
  // The rollouts of the other fleets wait meanwhile.
  await alone.pool.query(`update rollouts set phase = case when project_id = $1 then 'filling' else 'paused' end`, [projectId])
  for (const table of ['devices', 'rollout_devices']) await alone.pool.query(`vacuum analyze ${table}`)
  for (let n = 0; n < 60; n++) await tickRollouts({ ...deps, db: alone.db })
  const send = Reflect.get(Client.prototype, 'query')
  let statements = 0
  Client.prototype.query = function counted(this: Client, ...given: unknown[]) {
    statements++
    return Reflect.apply(send, this, given)
  } as typeof send
  const before = { blocks: await blocks(), node: nodeCpuMs(), database: databaseCpuMs() }
  statements = 0
  const waits: number[] = []
  for (let n = 0; n < ticks; n++) {
    const began = performance.now()
    await tickRollouts({ ...deps, db: alone.db })
    waits.push(performance.now() - began)
  }
  const after = { statements, node: nodeCpuMs(), database: databaseCpuMs() }
  Client.prototype.query = send
  measured(`${size} targets, tick, median`, quantile(waits, 0.5), 'ms')
  measured(`${size} targets, tick, p99`, quantile(waits, 0.99), 'ms')
  measured(`${size} targets, tick, CPU of Node`, (after.node - before.node) / ticks, 'ms')
  measured(`${size} targets, tick, CPU of PostgreSQL`, (after.database - before.database) / ticks, 'ms')
  measured(`${size} targets, tick, statements`, after.statements / ticks, '')
  const read = ((await blocks()) - before.blocks) / ticks
  measured(`${size} targets, tick, blocks`, read, '')
  await alone.close()
  return read
}

const lastByFirst = (name: string, values: readonly number[]) =>
  measured(`${name}, ${sizes.at(-1)} by ${sizes[0]} targets`, (values.at(-1) ?? 0) / (values[0] ?? 0), '')

try {
  const fleets: Fleet[] = []
  for (const size of sizes) fleets.push(await createFleet(size))
  await pool.query('analyze')
  for (const fleet of fleets) await previewOf(fleet)
  for (const fleet of fleets) await startOver(fleet, { target: { tags_any: ['field'] }, membership: 'dynamic' })
  await pool.query('analyze')
  lastByFirst('offers a second', await offersOf(fleets))
  const costs: number[] = []
  for (const fleet of fleets) costs.push(await tickOf(fleet))
  lastByFirst('blocks of a tick', costs)
} finally {
  pollers.kill()
  await close()
}
