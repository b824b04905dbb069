import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import * as steps from '../../contract/updates/rollout-steps'
import { createTestApi, type TestApi } from '../support/api'
import { repetitions } from '../support/counts'
import { raucHawkbitUpdater, swupdate, zephyr } from '../support/ddi/replays'
import { createDdiScene, type DdiScene } from '../support/ddi/scene'
import { fleet } from '../support/fleet'
import { freePort } from '../support/free-port'
import { within } from '../support/machine-load'

vi.setConfig({ testTimeout: within(repetitions(60_000, 900_000)) })

let api: TestApi
let scene: DdiScene
const bytes = randomBytes(70_000)
beforeAll(async () => {
  const port = await freePort()
  api = await createTestApi({ TEASEL_API_PORT: String(port) })
  scene = await createDdiScene(api)
  await api.app.listen({ port, host: '127.0.0.1' })
})
afterAll(() => api.close())

let n = 0
const device = async (model: string) => {
  const { token } = await scene.gateway(model)
  const authorization = `GatewayToken ${token}`
  const id = `replayed-${++n}`
  const controller = scene.controller(id, authorization, {})
  return { controller, address: { url: api.config.urls.api, id, authorization } }
}

describe.each(['before', 'after'] as const)('Zephyr %s its state machine', (generation) => {
  const offered = async () => {
    const { controller, address } = await device('zephyr')
    const facts = { version: '1.0.0' }
    const client = zephyr(address, generation, facts)
    expect(await client.poll()).toBeNull()
    const release = await scene.release(bytes)
    const rolloutId = await scene.start(release.id, [controller])
    return { controller, client, facts, release, rolloutId }
  }

  it('registers, downloads, restarts, and is confirmed by its new version', async () => {
    const { controller, client, facts, release } = await offered()
    expect((await client.poll())?.equals(bytes)).toBe(true)
    facts.version = release.display_version ?? ''
    api.advance(61)
    await client.poll()
    api.advance(61)
    await client.poll()
    expect((await controller.update())?.state).toBe('succeeded')
  })

  it('that went back to its former image reports success and is not confirmed', async () => {
    const { controller, client } = await offered()
    await client.poll()
    api.advance(61)
    await client.poll()
    api.advance(61)
    await client.poll()
    expect((await controller.update())?.state).toBe('claimed')
    api.advance(3601)
    await scene.tick()
    expect((await controller.update())?.state).toBe('rolled_back')
  })

  it('answers a cancellation once', async () => {
    const { controller, client, rolloutId } = await offered()
    await controller.poll()
    await api.call(steps.cancelRollout, { rolloutId }, { as: scene.ines, body: { mode: 'abort_all' } })
    await scene.tick()
    expect(await client.poll()).toBeNull()
    expect((await controller.update())?.state).toBe('cancelled')
  })
})

/** Two polls running do not link to the attributes. */
const pollTwice = async (client: { poll: () => Promise<unknown> }) => {
  for (let n = 0; n < 2; n++) {
    api.advance(61)
    await client.poll()
  }
}

describe('rauc-hawkbit-updater', () => {
  const offered = async () => {
    const { controller, address } = await device('rauc')
    const facts = { sw_version: '1.0.0', boot_id: 'first' }
    const client = raucHawkbitUpdater(address, facts)
    expect(await client.poll()).toBeNull()
    // A poll that links to nothing: the next one may link to the attributes again.
    api.advance(61)
    expect(await client.poll()).toBeNull()
    const release = await scene.release(bytes)
    const rolloutId = await scene.start(release.id, [controller])
    const restart = async (version = '1.0.0') => {
      Object.assign(facts, { sw_version: version, boot_id: 'second' })
      await pollTwice(client)
    }
    const cancel = async () => {
      await api.call(steps.cancelRollout, { rolloutId }, { as: scene.ines, body: { mode: 'abort_all' } })
      await scene.tick()
    }
    return { controller, client, facts, release, restart, cancel }
  }

  it('installs after a cut download, claims before the restart, and is confirmed after it', async () => {
    const { controller, client, release, restart } = await offered()
    expect((await client.poll({ cut: 30_000 }))?.equals(bytes)).toBe(true)
    expect((await controller.update())?.state).toBe('claimed')
    await restart(release.display_version ?? '')
    expect((await controller.update())?.state).toBe('succeeded')
  })

  it('that falls back after its claim is rolled back', async () => {
    const { controller, client, restart } = await offered()
    await client.poll()
    await restart()
    expect(await controller.update()).toMatchObject({ state: 'rolled_back', errorCode: 'boot_failed' })
  })

  it.each(['target', 'former'] as const)(
    'that had restarted before the offer is judged by the restart after its claim alone, with the %s version',
    async (runs) => {
      const { controller, client, facts, release } = await offered()
      // It sends its attributes only once a day by itself: the boot of the offer is not known yet.
      api.advance(61)
      facts.boot_id = 'offer'
      await client.poll()
      await pollTwice(client)
      expect((await controller.update())?.state).toBe('claimed')
      Object.assign(facts, { boot_id: 'after', ...(runs === 'target' && { sw_version: release.display_version }) })
      await pollTwice(client)
      expect((await controller.update())?.state).toBe(runs === 'target' ? 'succeeded' : 'rolled_back')
    },
  )

  it('names why RAUC refused the bundle', async () => {
    const { controller, client } = await offered()
    const fails = 'signature verification failed: Verify error: self-signed certificate'
    await client.poll({ fails })
    expect(await controller.update()).toMatchObject({
      state: 'failed',
      errorCode: 'signature_invalid',
      errorText: `LastError: ${fails}\nFailed to install software bundle.`,
    })
  })

  it('that is cancelled before it has begun does not begin', async () => {
    const { controller, client, cancel } = await offered()
    await controller.poll()
    await cancel()
    expect(await client.poll()).toBeNull()
    expect((await controller.update())?.state).toBe('cancelled')
  })

  it('that is cancelled in a download ends it and installs nothing', async () => {
    const { controller, client, cancel } = await offered()
    expect(await client.poll({ meanwhile: cancel })).toBeNull()
    expect((await controller.update())?.state).toBe('cancelled')
  })
})

type Client = { poll: () => Promise<Buffer | null>; sleepS: () => number; restart?: () => Promise<void> }

describe.each([30, 60, 300, 3600])('at a project interval of %i s, sleeping exactly as each answer says,', (intervalS) => {
  beforeAll(() => scene.setPollingS(intervalS))
  afterAll(() => scene.setPollingS(300))

  const clients = {
    swupdate: (address: Parameters<typeof swupdate>[0], facts: Record<string, string>) => swupdate(address, facts),
    rauc: raucHawkbitUpdater,
    zephyr: (address: Parameters<typeof zephyr>[0], facts: Record<string, string>) =>
      zephyr(address, 'after', {
        get version() {
          return facts.sw_version ?? ''
        },
      }),
  }

  it.each(['swupdate', 'rauc', 'zephyr'] as const)('%s is confirmed at its first attempt', async (kind) => {
    const { controller, address } = await device(kind)
    const facts = { sw_version: '1.0.0', boot_id: 'first' }
    const client: Client = clients[kind](address, facts)
    /** Polls, and sleeps as it was told; the rollouts go on meanwhile. */
    const poll = async () => {
      const got = await client.poll()
      api.advance(client.sleepS())
      await scene.tick()
      return got
    }
    for (let n = 0; n < 3; n++) expect(await poll()).toBeNull()
    const release = await scene.release(bytes)
    await scene.start(release.id, [controller])
    let polls = 0
    let installed = await poll()
    while (installed === null && polls++ < 2) installed = await poll()
    expect(installed?.equals(bytes)).toBe(true)
    Object.assign(facts, { sw_version: release.display_version, boot_id: 'second' })
    await client.restart?.()
    for (let n = 0; n < 3; n++) await poll()
    expect(await controller.update()).toMatchObject({ state: 'succeeded', attempt: 1 })
  })
})

it('SWUpdate that has just sent its attributes begins at the next poll, and may miss one before it', async () => {
  await scene.setPollingS(30)
  const { controller, address } = await device('swupdate')
  const client = swupdate(address, { sw_version: '1.0.0', boot_id: 'first' })
  await controller.poll()
  const release = await scene.release(bytes)
  await scene.start(release.id, [controller])
  // It sends its attributes at its start, and does nothing else.
  expect(await client.poll()).toBeNull()
  api.advance(2 * client.sleepS())
  await scene.tick()
  expect((await controller.update())?.state).toBe('offered')
  expect(Object.keys((await controller.poll()).links)).toEqual(['deploymentBase'])
  expect((await client.poll())?.equals(bytes)).toBe(true)
  await scene.setPollingS(300)
})

it('one rollout reaches our agents and replayed clients, and each ends as it should', async () => {
  const things = fleet(api, scene.projectId)
  const agents = await things.add({ count: 2, trustedKeys: [scene.maker.key.publicKey.fingerprint], models: ['teasel'] })
  const [good, back] = [await device('zephyr'), await device('zephyr')]
  const rauc = await device('rauc')
  const facts: [{ version: string }, { version: string }] = [{ version: '1.0.0' }, { version: '1.0.0' }]
  const clients = [zephyr(good.address, 'after', facts[0]), zephyr(back.address, 'before', facts[1])] as const
  for (const client of clients) await client.poll()
  const raucFacts = { sw_version: '1.0.0', boot_id: 'first' }
  const updater = raucHawkbitUpdater(rauc.address, raucFacts)
  for (let n = 0; n < 2; n++) {
    await updater.poll()
    api.advance(61)
  }
  const release = await scene.release(bytes)
  const members = [...agents.map((id) => ({ row: async () => ({ id }) })), good.controller, back.controller, rauc.controller]
  const rolloutId = await scene.start(release.id, members)
  for (const id of agents) expect(await things.ask(id)).toHaveProperty('envelope')
  await things.install(agents[0] ?? '', rolloutId)
  await things.install(agents[1] ?? '', rolloutId, 'boot_failed')
  for (const client of clients) await client.poll()
  await updater.poll()
  facts[0].version = release.display_version ?? ''
  for (let n = 0; n < 2; n++) {
    api.advance(61)
    for (const client of clients) await client.poll()
  }
  raucFacts.boot_id = 'second'
  await pollTwice(updater)
  api.advance(3601)
  await scene.tick()
  const ends = await Promise.all([good, back, rauc].map(async ({ controller }) => (await controller.update())?.state))
  expect(ends).toEqual(['succeeded', 'rolled_back', 'rolled_back'])
  expect((await scene.rollout(rolloutId)).counts).toMatchObject({ targeted: 5, succeeded: 2, failed: 3, running: 0 })
})

describe('a fleet', () => {
  const count = repetitions(20, 1000)

  /** All devices install, restart and report; half of them never send a boot id. */
  const boots = async (isGood: boolean, isSilent: (index: number) => boolean) => {
    const devices = await scene.join(count)
    const identity = (index: number, boot: string, version: string) => ({
      sw_version: version,
      ...(index % 2 === 0 && { boot_id: boot }),
    })
    for (const [index, one] of devices.entries()) await one.put(identity(index, 'first', '1.0.0'))
    const release = await scene.release(bytes, 'after_install', ['swupdate'])
    const rolloutId = await scene.start(release.id, devices)
    await scene.tick()
    for (const [index, one] of devices.entries()) {
      const { action } = await one.poll()
      if (action === '') continue
      await one.feedback(action, 'proceeding', { details: ['All Chunks Installed.'] })
      if (isSilent(index)) continue
      await one.feedback(action, 'closed', { finished: 'success' })
      const version = isGood ? (release.display_version ?? '') : '1.0.0'
      await one.put(identity(index, 'second', version))
    }
    await scene.tick()
    return rolloutId
  }

  it(`of ${count} devices that fall back has no success, and its gate halts`, async () => {
    const rolloutId = await boots(false, (index) => index % 10 === 0)
    expect((await scene.rollout(rolloutId)).counts.succeeded).toBe(0)
    api.advance(3601)
    await scene.tick()
    await scene.tick()
    const { counts, state } = await scene.rollout(rolloutId)
    expect([counts.succeeded, state]).toEqual([0, 'halted'])
  })

  it(`of ${count} devices that start well succeeds as a whole`, async () => {
    const rolloutId = await boots(true, () => false)
    expect((await scene.rollout(rolloutId)).counts).toMatchObject({ targeted: count, succeeded: count, claimed: 0 })
  })
})
