import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { cancelRollout } from '../../contract/updates/rollout-steps'
import { devices } from '../../server/fleet/schema/devices'
import { rolloutDevices } from '../../server/updates/schema/rollouts'
import { createTestApi, type TestApi } from '../support/api'
import { repetitions } from '../support/counts'
import { createDdiScene, type DdiScene } from '../support/ddi/scene'
import { openProxy } from '../support/ddi/proxy'
import { createBundle, createSigner, isInstalled, runSwupdate } from '../support/ddi/swupdate'
import { freePort } from '../support/free-port'
import { within } from '../support/machine-load'

const fallBacks = repetitions(3, 20)

// A run of all tests names what is not proven on this machine.
if (!isInstalled) process.stderr.write("not run: Debian's swupdate against DDI, because the package swupdate is not installed\n")

describe.skipIf(!isInstalled)("Debian's swupdate", { timeout: within(150_000) }, () => {
  let api: TestApi
  let scene: DdiScene
  let directory: string
  let signer: Awaited<ReturnType<typeof createSigner>>
  let stranger: typeof signer
  let url: string
  let proxy: Awaited<ReturnType<typeof openProxy>>
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'teasel-swupdate-'))
    const port = await freePort()
    const polls = await freePort()
    api = await createTestApi({ TEASEL_API_PORT: String(port), TEASEL_DDI_HOSTS: `127.0.0.1:${polls}` })
    scene = await createDdiScene(api)
    signer = await createSigner(join(directory, 'signer'))
    stranger = await createSigner(join(directory, 'stranger'))
    await api.app.listen({ port, host: '127.0.0.1' })
    url = `http://127.0.0.1:${polls}`
    proxy = await openProxy(api.config.urls.api, polls)
  })
  afterEach(() => proxy.keepSleeps())
  afterAll(async () => {
    await proxy.close()
    await api.close()
    await rm(directory, { recursive: true, force: true })
  })

  /** A device that is registered by a gateway token, and its program. */
  const member = (id: string, token: string) => {
    const controller = scene.controller(id, `GatewayToken ${token}`)
    const settings = { directory: join(directory, id), url, id, token, cert: signer.cert, version: '1.0.0', bootId: 'first' }
    const state = async () => {
      const [row] = await api.db
        .select({ state: rolloutDevices.state, errorCode: rolloutDevices.errorCode, bytesDone: rolloutDevices.bytesDone })
        .from(rolloutDevices)
        .innerJoin(devices, eq(devices.id, rolloutDevices.deviceId))
        .where(eq(devices.serialNumber, id))
      return row
    }
    const boot = (isDone: Parameters<typeof runSwupdate>[1], facts: Partial<typeof settings> = {}, confirm?: 2 | 3) =>
      runSwupdate({ ...settings, ...facts }, isDone, confirm)
    return { controller, state, boot }
  }

  let n = 0
  /** One that runs 1.0.0 and has a rollout of a bundle. */
  const device = async ({ by = signer, size = 50_000 } = {}) => {
    const id = `real-${++n}`
    const { token } = await scene.gateway()
    const made = member(id, token)
    const target = join(directory, id, 'installed.bin')
    const content = randomBytes(size)
    await made.controller.poll()
    await made.controller.put({ sw_version: '1.0.0', boot_id: 'first' })
    const bundle = await createBundle({ directory: join(directory, id, 'bundle'), signer: by, version: '1.0.1', content, target })
    const release = await scene.release(bundle, 'after_install', ['swupdate'], 'bundle.swu')
    const rolloutId = await scene.start(release.id, [made.controller])
    return { ...made, content, target, release, rolloutId }
  }
  const isIn =
    (one: Pick<ReturnType<typeof member>, 'state'>, ...states: string[]) =>
    async () =>
      states.includes((await one.state())?.state ?? '')

  it('installs a signed bundle; only its new version after the restart confirms it', async () => {
    proxy.shortenSleeps()
    const one = await device()
    const printed = await one.boot(isIn(one, 'rebooting', 'claimed', 'failed'))
    expect((await one.state())?.state, printed).toBe('rebooting')
    expect((await readFile(one.target)).equals(one.content)).toBe(true)
    const version = one.release.display_version ?? ''
    const again = await one.boot(isIn(one, 'succeeded'), { version, bootId: 'second' }, 2)
    expect((await one.state())?.state, again).toBe('succeeded')
  })

  it(
    `${fallBacks} of it fall back and say -c 2: none has succeeded, and the gate halts`,
    { timeout: within(600_000) },
    async () => {
      proxy.shortenSleeps()
      const { token } = await scene.gateway()
      const target = join(directory, 'fallen.bin')
      const content = randomBytes(50_000)
      const bundle = await createBundle({ directory: join(directory, 'fallen'), signer, version: '1.0.1', content, target })
      const release = await scene.release(bundle, 'after_install', ['swupdate'], 'bundle.swu')
      const fallen = Array.from({ length: fallBacks }, (_, n) => member(`fallen-${n}`, token))
      for (const { controller } of fallen) {
        await controller.poll()
        await controller.put({ sw_version: '1.0.0', boot_id: 'first' })
      }
      const rolloutId = await scene.start(
        release.id,
        fallen.map(({ controller }) => controller),
      )
      for (const one of fallen) await one.boot(isIn(one, 'rebooting', 'failed'))
      for (const one of fallen) await one.boot(isIn(one, 'rolled_back', 'succeeded'), { bootId: 'second' }, 2)
      const ends = await Promise.all(fallen.map(({ state }) => state()))
      expect(ends.map((end) => [end?.state, end?.errorCode])).toEqual(fallen.map(() => ['rolled_back', 'boot_failed']))
      await scene.tick()
      const { counts, state } = await scene.rollout(rolloutId)
      expect([counts.succeeded, state]).toEqual([0, 'halted'])
    },
  )

  it('resumes a download that was cut with a range, and installs the whole bundle', async () => {
    proxy.shortenSleeps()
    const one = await device({ size: 500_000 })
    const before = proxy.ranges.length
    proxy.disturb({ cutAt: 200_000 })
    const printed = await one.boot(isIn(one, 'rebooting', 'claimed', 'failed'))
    expect((await one.state())?.state, printed).toBe('rebooting')
    expect((await readFile(one.target)).equals(one.content)).toBe(true)
    const [whole, rest] = proxy.ranges.slice(before)
    expect([whole, rest]).toEqual([null, expect.stringMatching(/^bytes=[1-9]\d*-$/)])
  })

  it('that is told a wrong SHA-1 reports a failure', async () => {
    proxy.shortenSleeps()
    const one = await device()
    proxy.editAnswers((text) => text.replace(/"sha1":"\w{40}"/, `"sha1":"${'0'.repeat(40)}"`))
    const printed = await one.boot(isIn(one, 'failed', 'claimed', 'succeeded'))
    proxy.editAnswers((text) => text)
    // Its last report has the line of the hash only if the program has not sent it with an earlier one.
    expect((await one.state())?.state, printed).toBe('failed')
    expect(printed).toContain('Checksum does not match')
  })

  it('stops a download that is cancelled', async () => {
    proxy.shortenSleeps()
    const one = await device({ size: 500_000 })
    proxy.disturb({ slowFrom: 200_000 })
    const cancelled = await one.boot(async () => {
      if (!proxy.isSlow()) return false
      const { state } = await scene.rollout(one.rolloutId)
      if (state === 'running') {
        const asked = await api.call(cancelRollout, { rolloutId: one.rolloutId }, { as: scene.ines, body: { mode: 'abort_all' } })
        expect(asked.status, asked.text).toBe(200)
      }
      // A device that was polling at that moment is asked at the next tick.
      await scene.tick()
      return ['cancelled', 'failed', 'rebooting'].includes((await one.state())?.state ?? '')
    })
    expect(await one.state(), cancelled).toMatchObject({ state: 'cancelled' })
    await expect(readFile(one.target)).rejects.toThrow('ENOENT')
  })

  it('refuses a bundle that someone else signed', async () => {
    proxy.shortenSleeps()
    const one = await device({ by: stranger })
    const printed = await one.boot(isIn(one, 'failed', 'rebooting'))
    expect((await one.state())?.state, printed).toBe('failed')
    expect(printed).toContain('Authentication of all signatures failed')
  })
})
