import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { repetitions } from '../../tests/support/counts'
import { createDdiScene, type DdiScene } from '../../tests/support/ddi/scene'
import '../../tests/support/fixed-seed'
import { getProjectSettings } from '../accounts/projects/plan-and-settings.repository'
import { createContacts } from '../fleet/devices/contacts'
import { devices } from '../fleet/schema/devices'
import { findDdiDevice, updateDdiDevice } from './devices.repository'
import { sleepSeconds, toSleep } from './sleep'

let api: TestApi
let scene: DdiScene
beforeAll(async () => {
  api = await createTestApi()
  scene = await createDdiScene(api)
})
afterAll(() => api.close())

const step = fc.record({
  after: fc.constantFrom(0, 30, 300, 900, 90_000),
  from: fc.constantFrom('198.51.100.1', '198.51.100.2'),
  agent: fc.constantFrom('libcurl-agent/1.0', 'rauc-hawkbit-c-agent/1.0', ''),
  before: fc.constantFrom('nothing', 'put', 'asked', 'interval', 'boot'),
})

it('a device whose polls are quiet gets the next update at once', async () => {
  const [device] = await scene.join(1)
  if (!device) throw new Error('no device')
  await device.put({ sw_version: '1.0.0' })
  expect((await device.poll()).links).toEqual({})
  const release = await scene.release(randomBytes(1000))
  await scene.start(release.id, [device])
  expect((await device.poll()).action).not.toBe('')
})

it('quiet polls get the answers of those in a transaction, and leave the same device', async () => {
  const { polling_interval_s } = await getProjectSettings(api.db, scene.projectId)
  const { token } = await scene.gateway()
  let made = 0
  const join = async () => {
    const device = scene.controller(`quiet-${++made}`, `GatewayToken ${token}`)
    await device.poll()
    return device
  }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) => {
      const [quiet, written] = [await join(), await join()]
      const pair = [quiet, written] as const
      for (const [n, { after, from, agent, before }] of steps.entries()) {
        api.advance(after)
        const answers: string[][] = []
        for (const device of pair) {
          const { id } = await device.row()
          if (before === 'put') await device.put({ sw_version: '1.0.0' })
          if (before === 'asked') await updateDdiDevice(api.db, id, { configAsked: true })
          if (before === 'interval')
            await api.db
              .update(devices)
              .set({ pollingIntervalS: 60 * (n + 1) })
              .where(eq(devices.id, id))
          if (before === 'boot') await device.put({ boot_id: `boot-${n}` })
          // A request with a key is always handled in a transaction.
          const key: Record<string, string> = device === written ? { 'idempotency-key': `poll-${n}` } : {}
          const answer = await device.call(device.at, { from, headers: { 'user-agent': agent, ...key } })
          expect(answer.statusCode, answer.payload).toBe(200)
          const { config, _links } = answer.json()
          const pollS = (await device.row()).pollingIntervalS ?? polling_interval_s
          const sleep = sleepSeconds({ deviceId: id, pollS, isUpdating: false, opensAt: null, now: api.deps.clock() })
          expect(config.polling.sleep).toBe(toSleep(sleep))
          answers.push(Object.keys(_links))
        }
        expect(answers[0]).toEqual(answers[1])
        // The times of last contacts reach the database, as they do within seconds.
        const contacts = createContacts(api.deps)
        contacts.note((await quiet.row()).id, api.deps.clock())
        await contacts.close()
      }
      const facts = async (device: typeof quiet) => {
        const { id, name: _name, serialNumber: _serial, createdAt: _at, seenFrom, ...rest } = await device.row()
        const { deviceId: _id, lastActionId: _last, ...ddi } = (await findDdiDevice(api.db, id)) ?? {}
        // The time of the present origin follows from the last contact.
        const [first, ...others] = seenFrom
        return { ...rest, ddi, seenFrom: [{ ...first, at: rest.lastSeenAt?.toISOString() }, ...others] }
      }
      expect(await facts(quiet)).toEqual(await facts(written))
    }),
    { numRuns: repetitions(5, 200) },
  )
})
