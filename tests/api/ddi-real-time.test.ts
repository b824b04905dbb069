import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { devices } from '../../server/fleet/schema/devices'
import { rolloutDevices } from '../../server/updates/schema/rollouts'
import { createTestApi, type TestApi } from '../support/api'
import { isFull } from '../support/counts'
import { createRaucBundle, obstacle, runUpdater, slotFile } from '../support/ddi/rauc'
import { createDdiScene, type DdiScene } from '../support/ddi/scene'
import { createBundle, createSigner, programs, runSwupdate } from '../support/ddi/swupdate'
import { freePort } from '../support/free-port'
import { within } from '../support/machine-load'

// The clients sleep as they are told, by the clock of the machine: nothing stands between them and the API.

const listed = process.env.TEASEL_DDI_INTERVALS ?? '30,60'
/** Of the project, in seconds. The longer ones are run by name, since the last one takes more than an hour. */
const intervals = listed.split(',').map(Number)
const kinds = ['rauc', ...programs.map(({ name }) => name)]

const marginS = 900

describe.skipIf(!isFull).concurrent('clients that sleep as they are told', () => {
  let directory: string
  let signer: Awaited<ReturnType<typeof createSigner>>
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'teasel-real-time-'))
    signer = await createSigner(join(directory, 'signer'))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  /** A project with its own interval, on a host by the clock of the machine, whose jobs run every two seconds. */
  const host = async (intervalS: number) => {
    const port = await freePort()
    const api: TestApi = await createTestApi({ TEASEL_API_PORT: String(port) }, { clock: () => new Date() })
    const scene: DdiScene = await createDdiScene(api, { polling_interval_s: intervalS })
    await api.app.listen({ port, host: '127.0.0.1' })
    const closing = new AbortController()
    const ticks = (async () => {
      while (!closing.signal.aborted) {
        await scene.tick()
        await pause(2000)
      }
    })()
    const close = async () => {
      closing.abort()
      await ticks
      await api.close()
    }
    return { api, scene, url: api.config.urls.api, close }
  }

  const updateOf = async ({ db }: TestApi, id: string) => {
    const [row] = await db
      .select({
        state: rolloutDevices.state,
        attempt: rolloutDevices.attempt,
        offeredAt: rolloutDevices.offeredAt,
        since: rolloutDevices.since,
      })
      .from(rolloutDevices)
      .innerJoin(devices, eq(devices.id, rolloutDevices.deviceId))
      .where(eq(devices.serialNumber, id))
    return row
  }

  const cases = intervals.flatMap((intervalS) => kinds.map((kind) => ({ kind, intervalS })))

  it.for(cases)(
    '$kind installs and is confirmed at an interval of $intervalS s, at the first attempt',
    { timeout: within(2 * 3_600_000) },
    async ({ kind, intervalS }, { skip }) => {
      if (kind === 'rauc' && obstacle !== null) skip(obstacle)
      const { api, scene, url, close } = await host(intervalS)
      try {
        const isRauc = kind === 'rauc'
        const id = `${kind}-${intervalS}`
        const home = join(directory, id)
        const { token } = await scene.gateway(isRauc ? 'rauc' : 'swupdate')
        const program = programs.find(({ name }) => name === kind)?.path
        const content = randomBytes(50_000)
        const target = join(home, 'installed.bin')
        const bundle = { directory: join(home, 'bundle'), signer, version: '1.0.2', content }
        const bytes = isRauc ? await readFile(await createRaucBundle(bundle)) : await createBundle({ ...bundle, target })
        const settings = { directory: home, url, id, token, cert: signer.cert, withinMs: (2 * intervalS + marginS) * 1000 }
        const boot = (version: string, bootId: string, isDone: () => Promise<boolean>) =>
          isRauc
            ? runUpdater({ ...settings, version, bootId, slot: bootId === 'first' ? 'A' : 'B' }, isDone)
            : runSwupdate({ ...settings, version, bootId, program }, isDone, bootId === 'first' ? undefined : 2)
        const isIn =
          (...states: string[]) =>
          async () =>
            states.includes((await updateOf(api, id))?.state ?? '')
        const controller = scene.controller(id, `GatewayToken ${token}`)
        const known = async () => (await api.db.select().from(devices).where(eq(devices.serialNumber, id))).length > 0
        // The rollout starts after the first poll of the program: it learns of it when it has slept for the whole interval.
        const started = (async () => {
          while (!(await known()) || (await controller.row()).bootId === null) await pause(100)
          const release = await scene.release(
            bytes,
            'after_install',
            [isRauc ? 'rauc' : 'swupdate'],
            isRauc ? 'a.raucb' : 'a.swu',
          )
          await scene.start(release.id, [controller])
          return { release, startedAt: new Date() }
        })()
        const printed = await boot('1.0.0', 'first', isIn('rebooting', 'claimed', 'failed', 'succeeded', 'timed_out'))
        const { release, startedAt } = await started
        const installed = await updateOf(api, id)
        expect(['rebooting', 'claimed'], printed).toContain(installed?.state)
        const restartedAt = new Date()
        const again = await boot(release.display_version ?? '', 'second', isIn('succeeded', 'rolled_back', 'failed', 'timed_out'))
        const ended = await updateOf(api, id)
        const s = (from: Date, to: Date) => Math.round((to.getTime() - from.getTime()) / 1000)
        const offeredAt = ended?.offeredAt ?? new Date(0)
        process.stderr.write(
          `${kind} at ${intervalS} s: offered after ${s(startedAt, offeredAt)} s, installed ${s(offeredAt, restartedAt)} s after the offer, ` +
            `confirmed ${s(offeredAt, ended?.since ?? new Date(0))} s after it: ${ended?.state}, attempt ${ended?.attempt}\n`,
        )
        expect(ended, again).toMatchObject({ state: 'succeeded', attempt: 1 })
        const written = await readFile(isRauc ? slotFile(home, 'B') : target)
        expect(written.subarray(0, content.length).equals(content)).toBe(true)
      } finally {
        await close()
      }
    },
  )
})
