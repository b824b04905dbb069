import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { devices } from '../../server/fleet/schema/devices'
import { rolloutDevices } from '../../server/updates/schema/rollouts'
import { createTestApi, type TestApi } from '../support/api'
import { createDdiScene, type DdiScene } from '../support/ddi/scene'
import { createBundle, createSigner, isInstalled, openFastPolls, runSwupdate } from '../support/ddi/swupdate'
import { freePort } from '../support/free-port'

// A run of all tests names what is not proven on this machine.
if (!isInstalled) process.stderr.write("not run: Debian's swupdate against DDI, because the package swupdate is not installed\n")

describe.skipIf(!isInstalled)("Debian's swupdate", { timeout: 150_000 }, () => {
  let api: TestApi
  let scene: DdiScene
  let directory: string
  let signer: Awaited<ReturnType<typeof createSigner>>
  let stranger: typeof signer
  let url: string
  let closePolls: () => Promise<void>
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'teasel-swupdate-'))
    const port = await freePort()
    api = await createTestApi({ TEASEL_API_PORT: String(port) })
    scene = await createDdiScene(api)
    signer = await createSigner(join(directory, 'signer'))
    stranger = await createSigner(join(directory, 'stranger'))
    await api.app.listen({ port, host: '127.0.0.1' })
    const polls = await freePort()
    url = `http://127.0.0.1:${polls}`
    closePolls = await openFastPolls(api.config.urls.api, polls)
  })
  afterAll(async () => {
    await closePolls()
    await api.close()
    await rm(directory, { recursive: true, force: true })
  })

  let n = 0
  /** A device that runs 1.0.0 and has a rollout of a bundle. */
  const device = async ({ by = signer } = {}) => {
    const id = `real-${++n}`
    const { token } = await scene.gateway()
    const own = join(directory, id)
    const target = join(own, 'installed.bin')
    const content = randomBytes(50_000)
    const controller = scene.controller(id, `GatewayToken ${token}`)
    const settings = { directory: own, url, id, token, cert: signer.cert, version: '1.0.0', bootId: 'first' }
    const state = async () => {
      const [row] = await api.db
        .select({ state: rolloutDevices.state, errorCode: rolloutDevices.errorCode, bytesDone: rolloutDevices.bytesDone })
        .from(rolloutDevices)
        .innerJoin(devices, eq(devices.id, rolloutDevices.deviceId))
        .where(eq(devices.serialNumber, id))
      return row
    }
    const attributes = async () => (await controller.row()).attributes
    await controller.poll()
    await controller.put({ sw_version: '1.0.0', boot_id: 'first' })
    const bundle = await createBundle({ directory: join(own, 'bundle'), signer: by, version: '1.0.1', content, target })
    const release = await scene.release(bundle, 'after_install', ['swupdate'], 'bundle.swu')
    const rolloutId = await scene.start(release.id, [controller])
    const boot = (isDone: Parameters<typeof runSwupdate>[1], facts: Partial<typeof settings> = {}, confirm?: 2 | 3) =>
      runSwupdate({ ...settings, ...facts }, isDone, confirm)
    return { controller, content, target, release, rolloutId, state, attributes, boot }
  }
  const isIn =
    (one: Awaited<ReturnType<typeof device>>, ...states: string[]) =>
    async () =>
      states.includes((await one.state())?.state ?? '')

  it('installs a signed bundle; only its new version after the restart confirms it', async () => {
    const one = await device()
    const printed = await one.boot(isIn(one, 'rebooting', 'claimed', 'failed'))
    expect((await one.state())?.state, printed).toBe('rebooting')
    expect((await readFile(one.target)).equals(one.content)).toBe(true)
    const version = one.release.display_version ?? ''
    const again = await one.boot(isIn(one, 'succeeded'), { version, bootId: 'second' }, 2)
    expect((await one.state())?.state, again).toBe('succeeded')
  })

  it('that fell back and says -c 2 has not succeeded', async () => {
    const one = await device()
    await one.boot(isIn(one, 'rebooting', 'failed'))
    const printed = await one.boot(isIn(one, 'rolled_back', 'succeeded'), { bootId: 'second' }, 2)
    expect(await one.state(), printed).toMatchObject({ state: 'rolled_back', errorCode: 'boot_failed' })
  })

  it('refuses a bundle that someone else signed', async () => {
    const one = await device({ by: stranger })
    const printed = await one.boot(isIn(one, 'failed', 'rebooting'))
    expect((await one.state())?.state, printed).toBe('failed')
    expect(printed).toContain('Authentication of all signatures failed')
  })
})
