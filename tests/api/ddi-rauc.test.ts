import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cancelRollout } from '../../contract/updates/rollout-steps'
import { devices } from '../../server/fleet/schema/devices'
import { rolloutDevices } from '../../server/updates/schema/rollouts'
import { createTestApi, type TestApi } from '../support/api'
import { openProxy, type SentRequest } from '../support/ddi/proxy'
import { createRaucBundle, obstacle, runUpdater, slotFile } from '../support/ddi/rauc'
import { raucHawkbitUpdater } from '../support/ddi/replays'
import { createDdiScene, type DdiScene } from '../support/ddi/scene'
import { createSigner } from '../support/ddi/swupdate'
import { freePort } from '../support/free-port'
import { within } from '../support/machine-load'

// A run of all tests names what is not proven on this machine.
if (obstacle !== null) process.stderr.write(`not run: rauc-hawkbit-updater and RAUC against DDI, because ${obstacle}\n`)

/** What two runs have in common: without ids, times and speeds; one line for the progress of RAUC; no polls, which depend on time. */
const comparable = (requests: readonly SentRequest[], id: string): string[] => {
  const texts = requests
    .filter(({ path }) => path.includes(`/${id}/`))
    .map(({ method, path, headers, body }) => {
      const names = ['user-agent', 'accept', 'content-type', 'range'].map((name) => headers[name] ?? '')
      const text = [method, path, ...names, body].join(' ').replaceAll(id, 'ID')
      return text
        .replace(/"data":\{[^}]*\}/, '"data":{}')
        .replace(/"time":"\d{8}T\d{6}"/, '"time":"T"')
        .replace(/ *\d+% [^"]*/, '% of RAUC')
        .replace(/complete\. [\d.]+ MB/, 'complete. N MB')
        .replace(/\b[0-9a-f]{40}\b/g, 'SHA1')
        .replace(/\b1\d{9}\b/g, 'N')
        .replace(/Firmware[ \d.V]+\./, 'Firmware.')
    })
  return texts.filter((text, n) => text !== texts[n - 1])
}

describe.skipIf(obstacle !== null)('rauc-hawkbit-updater with RAUC', { timeout: within(600_000) }, () => {
  let api: TestApi
  let scene: DdiScene
  let directory: string
  let signer: Awaited<ReturnType<typeof createSigner>>
  let url: string
  let proxy: Awaited<ReturnType<typeof openProxy>>
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'teasel-rauc-'))
    const port = await freePort()
    const polls = await freePort()
    api = await createTestApi({ TEASEL_API_PORT: String(port), TEASEL_DDI_HOSTS: `127.0.0.1:${polls}` })
    scene = await createDdiScene(api)
    signer = await createSigner(join(directory, 'signer'))
    await api.app.listen({ port, host: '127.0.0.1' })
    url = `http://127.0.0.1:${polls}`
    proxy = await openProxy(api.config.urls.api, polls)
  })
  afterAll(async () => {
    await proxy.close()
    await api.close()
    await rm(directory, { recursive: true, force: true })
  })

  let n = 0
  /** One that runs 1.0.0 from slot A and has a rollout of a bundle. */
  const device = async ({ by = signer, size = 50_000 } = {}) => {
    const id = `rauc-${++n}`
    const { token } = await scene.gateway('rauc')
    const controller = scene.controller(id, `GatewayToken ${token}`, {})
    const settings = { directory: join(directory, id), url, id, token, cert: signer.cert } as const
    const first = { ...settings, slot: 'A', version: '1.0.0', bootId: 'first' } as const
    const state = async () => {
      const [row] = await api.db
        .select({ state: rolloutDevices.state, errorCode: rolloutDevices.errorCode, bytesDone: rolloutDevices.bytesDone })
        .from(rolloutDevices)
        .innerJoin(devices, eq(devices.id, rolloutDevices.deviceId))
        .where(eq(devices.serialNumber, id))
      return row
    }
    await controller.poll()
    await controller.put({ sw_version: '1.0.0', boot_id: 'first' })
    // Two polls running do not link to the attributes, and the next one is of the program.
    await controller.poll()
    const content = randomBytes(size)
    const bundle = await createRaucBundle({ directory: join(directory, id, 'bundle'), signer: by, version: '1.0.1', content })
    const release = await scene.release(await readFile(bundle), 'after_install', ['rauc'], 'update.raucb')
    const rolloutId = await scene.start(release.id, [controller])
    const installed = async () => (await readFile(slotFile(settings.directory, 'B'))).subarray(0, size).equals(content)
    const boot = (isDone: () => Promise<boolean>, facts: Partial<Parameters<typeof runUpdater>[0]> = {}) =>
      // The program sleeps for 60 s between polls in an update.
      runUpdater({ ...first, withinMs: 240_000, ...facts }, isDone)
    const isIn =
      (...states: string[]) =>
      async () =>
        states.includes((await state())?.state ?? '')
    const cancel = async () => {
      const asked = await api.call(cancelRollout, { rolloutId }, { as: scene.ines, body: { mode: 'abort_all' } })
      expect(asked.status, asked.text).toBe(200)
      await scene.tick()
    }
    const facts = { sw_version: '1.0.0', boot_id: 'first' }
    const replay = raucHawkbitUpdater({ url, id, authorization: `GatewayToken ${token}` }, facts)
    const sent = () => comparable(proxy.requests, id)
    return { id, state, isIn, boot, installed, release, rolloutId, cancel, replay, sent }
  }

  it('installs a signed bundle, claims before the restart, and is confirmed by its new version after it', async () => {
    const one = await device()
    const printed = await one.boot(one.isIn('claimed', 'failed', 'succeeded'))
    expect((await one.state())?.state, printed).toBe('claimed')
    expect(await one.installed()).toBe(true)
    api.advance(61)
    const version = one.release.display_version ?? ''
    const again = await one.boot(one.isIn('succeeded'), { slot: 'B', version, bootId: 'second' })
    expect((await one.state())?.state, again).toBe('succeeded')
    const replayed = await device()
    await replayed.replay.poll()
    api.advance(61)
    await replayed.replay.poll()
    expect(replayed.sent()).toEqual(one.sent())
  })

  it('that falls back after its claim is rolled back, as its former version in a new boot says', async () => {
    const one = await device()
    await one.boot(one.isIn('claimed', 'failed', 'succeeded'))
    api.advance(61)
    const again = await one.boot(one.isIn('succeeded', 'rolled_back', 'failed'), { bootId: 'second' })
    expect(await one.state(), again).toMatchObject({ state: 'rolled_back', errorCode: 'boot_failed' })
  })

  it('refuses a bundle that someone else signed', async () => {
    const one = await device({ by: await createSigner(join(directory, 'stranger')) })
    const printed = await one.boot(one.isIn('failed', 'claimed', 'succeeded'))
    expect(await one.state(), printed).toMatchObject({ state: 'failed', errorCode: 'signature_invalid' })
    expect(await one.installed()).toBe(false)
    const replayed = await device()
    await replayed.replay.poll({ fails: 'signature verification failed: Verify error: self-signed certificate' })
    expect(replayed.sent()).toEqual(one.sent())
  })

  it('resumes a download that was cut with a range, and installs the whole bundle', async () => {
    const one = await device({ size: 500_000 })
    const before = proxy.ranges.length
    proxy.disturb({ cutAt: 200_000 })
    const printed = await one.boot(one.isIn('claimed', 'failed', 'succeeded'))
    expect((await one.state())?.state, printed).toBe('claimed')
    expect(await one.installed()).toBe(true)
    const [whole, rest] = proxy.ranges.slice(before)
    expect([whole, rest]).toEqual([null, expect.stringMatching(/^bytes=[1-9]\d*-$/)])
  })

  it('that is told a wrong SHA-1 reports a failure before it installs', async () => {
    const one = await device()
    const wrong = (text: string) => text.replace(/"sha1":"\w{40}"/, `"sha1":"${'0'.repeat(40)}"`)
    proxy.editAnswers(wrong)
    const printed = await one.boot(one.isIn('failed', 'claimed', 'succeeded'))
    proxy.editAnswers((text) => text)
    expect(await one.state(), printed).toMatchObject({ state: 'failed', errorCode: 'hash_mismatch' })
    expect(await one.installed()).toBe(false)
    const replayed = await device()
    proxy.editAnswers(wrong)
    await replayed.replay.poll()
    proxy.editAnswers((text) => text)
    expect(replayed.sent()).toEqual(one.sent())
  })

  it('that is cancelled in a download ends it and installs nothing', async () => {
    const one = await device({ size: 500_000 })
    proxy.disturb({ slowFrom: 200_000 })
    const cancelled = await one.boot(async () => {
      if (!proxy.isSlow()) return false
      if ((await scene.rollout(one.rolloutId)).state === 'running') await one.cancel()
      // It lets the download end, and answers then: the rest need not be slow once it knows.
      if (proxy.requests.some(({ path }) => path.includes(`/${one.id}/cancelAction/`))) proxy.endSlow()
      return one.isIn('cancelled', 'failed', 'claimed')()
    })
    expect(await one.state(), cancelled).toMatchObject({ state: 'cancelled' })
    expect(await one.installed()).toBe(false)
    const replayed = await device()
    await replayed.replay.poll({ meanwhile: replayed.cancel })
    expect(replayed.sent()).toEqual(one.sent())
  })
})
