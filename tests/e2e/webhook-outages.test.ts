import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWebhook } from '../../contract/accounts/webhooks'
import { readConfig } from '../../server/core/config'
import { type Embedded, openEmbedded } from '../../server/core/database/embedded'
import { type OpenDatabase, openDatabase } from '../../server/core/database/open'
import { emitEvents, type NewEvent } from '../../server/core/events/emit'
import { nextId } from '../../server/core/ids'
import { isFull, repetitions } from '../support/counts'
import { freePort } from '../support/free-port'
import { people } from '../support/people'
import { fromBuild, type Program, startServer } from '../support/program'
import { receiverCertificate } from '../support/receiver-certificate'
import { openReceiver, type Receiver, verifyReceived } from '../support/webhook-receiver'
import { call } from './support/call'
import { within } from '../support/machine-load'

const EVENTS = repetitions(300, 10_000)
const BATCH = 10

let directory: string
let receiver: Receiver
let cluster: { directory: string; port: number }
let postgres: Embedded
let open: OpenDatabase
const processes: { program: Program; port: number }[] = []

/** An API process over the database, which knows the certificate of the receiver. */
const start = async (n: number) => {
  const port = processes[n]?.port ?? (await freePort())
  const program = startServer(
    {
      TEASEL_HOSTS: 'api',
      TEASEL_API_PORT: String(port),
      TEASEL_DATA_DIR: join(directory, `data-${n}`),
      TEASEL_STORAGE: join(directory, 'storage'),
      DATABASE_URL: postgres.hostUrl,
      DATABASE_OWNER_URL: postgres.url,
      TEASEL_EMPTY: '1',
      NODE_EXTRA_CA_CERTS: join(directory, 'receiver.pem'),
    },
    fromBuild,
  )
  await program.ready
  processes[n] = { program, port }
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-webhooks-'))
  await writeFile(join(directory, 'receiver.pem'), receiverCertificate.cert)
  receiver = await openReceiver({ tls: receiverCertificate })
  cluster = { directory: join(directory, 'own'), port: await freePort() }
  postgres = await openEmbedded(cluster)
  await start(0)
  await start(1)
  open = openDatabase({ url: postgres.hostUrl, onError: () => {} })
})
afterAll(async () => {
  await open.close()
  for (const { program } of processes) {
    program.child.kill('SIGTERM')
    await program.ended
  }
  await postgres.stop()
  await receiver.close()
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

const killProcess = async (n: number) => {
  await processes[n]?.program.killAll()
  await start(n)
}
const killPostgres = async () => {
  process.kill(postgres.pid, 'SIGKILL')
  await expect.poll(() => postgres.lives()).toBe(false)
  postgres = await openEmbedded(cluster)
}
const killAll = async () => {
  const [first] = processes
  await first?.program.killAll(postgres.pid)
  await expect.poll(() => postgres.lives()).toBe(false)
  postgres = await openEmbedded(cluster)
  await start(0)
}

/** How many of these ids, in the order of their arrival, came after a greater one. */
const countLate = (ids: readonly string[]): number => {
  let greatest = ''
  let late = 0
  for (const id of ids) {
    if (id < greatest) late++
    else greatest = id
  }
  return late
}

/** Of a full run: what the next one is compared with. */
const writeFigures = async (figures: object) => {
  if (!isFull) return
  await mkdir('test-results', { recursive: true })
  await writeFile('test-results/webhook-outages.json', `${JSON.stringify(figures, null, 2)}\n`)
}

it(
  'F-16: kill -9 of API processes and of PostgreSQL loses no event of a webhook, and sends none that was not committed',
  { timeout: within(1_700_000) },
  async () => {
    const began = performance.now()
    const config = readConfig({ TEASEL_DATA_DIR: directory })
    const { person, project } = people({ db: open.db, config, clock: () => new Date() })
    const owner = await person()
    const projectId = await project({ ownerId: owner.id })
    const body = { url: receiver.url, types: ['rollout.halted' as const] }
    const api = `http://localhost:${processes[0]?.port}`
    const { secret } = (await call(api, createWebhook, { projectId }, { as: owner.token, body })).body

    const delivered = new Map<string, number>()
    const refused = new Set<string>()
    const bodies = new Map<string, string>()
    let verified = 0
    receiver.answers((response, one) => {
      expect(verifyReceived(one, secret)).toMatchObject({ type: 'rollout.halted', data: { rollout: { id: one.id } } })
      verified++
      expect(bodies.get(one.id) ?? one.body).toBe(one.body)
      bodies.set(one.id, one.body)
      // The first attempt at some events fails.
      if (Number.parseInt(one.id.slice(-2), 32) % 20 === 0 && !refused.has(one.id)) {
        refused.add(one.id)
        return void response.writeHead(500).end()
      }
      delivered.set(one.id, (delivered.get(one.id) ?? 0) + 1)
      setTimeout(() => response.writeHead(204).end(), 5)
    })

    const committed = new Set<string>()
    const undone = new Set<string>()
    let unknown = 0
    const write = async () => {
      for (let n = 0; committed.size < EVENTS; n++) {
        const now = new Date()
        const made = Array.from({ length: BATCH }, (): NewEvent => {
          const id = nextId(now)
          return {
            id,
            projectId,
            type: 'rollout.halted',
            data: { rollout: { id, name: `Halted ${n}` }, release_id: id, wave: 1, text: 'Halted', by: null },
          }
        })
        const isUndone = n % 10 === 9
        const settled = await open.db
          .transaction(async (tx) => {
            await emitEvents(tx, made, now)
            if (isUndone) await tx.execute(sql`select 1 / 0`)
          })
          .then(
            () => true,
            () => false,
          )
        if (settled) for (const { id = '' } of made) committed.add(id)
        else if (isUndone) for (const { id = '' } of made) undone.add(id)
        else {
          // The commit of a transaction that was cut may have happened or not.
          unknown += made.length
          await pause(50)
        }
        // About as fast as the deliveries, so that there are some of both at each kill.
        while (committed.size > delivered.size + 200) await pause(20)
      }
    }
    const writing = write()
    const kills = [() => killProcess(0), killPostgres, () => killProcess(1), killAll]
    const count = repetitions(kills.length, 3 * kills.length)
    for (let n = 0; n < count; n++) {
      const share = ((n + 1) / (count + 1)) * EVENTS
      await expect.poll(() => delivered.size, { timeout: within(300_000), interval: 5 }).toBeGreaterThan(share)
      await kills[n % kills.length]?.()
    }
    await writing
    const missing = () => [...committed].filter((id) => !delivered.has(id)).length
    await expect.poll(missing, { timeout: within(300_000), interval: 200 }).toBe(0)

    expect([...delivered.keys()].filter((id) => undone.has(id))).toEqual([])
    expect(refused.size).toBeGreaterThan(0)
    expect(verified).toBe(receiver.received.length)
    const times = [...delivered.values()]
    const { rows } = await open.db.execute(sql`
    select state, count(*)::int as n from webhook_deliveries where event_id <> '' group by state order by state`)
    await writeFigures({
      seconds: Math.round((performance.now() - began) / 1000),
      kills: count,
      events: { committed: committed.size, rolled_back: undone.size, unknown },
      requests: verified,
      refused: refused.size,
      accepted_more_than_once: times.filter((n) => n > 1).length,
      accepted_at_most: Math.max(...times),
      after_a_later_event: countLate([...delivered.keys()]),
      deliveries: rows,
    })
  },
)
