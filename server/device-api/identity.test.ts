import { desc, eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as access from '../../contract/fleet/enrollment-tokens'
import * as wire from '../../contract/device/endpoints'
import { pathOf } from '../../contract/core/endpoint'
import * as lifecycle from '../../contract/fleet/device-lifecycle'
import * as contract from '../../contract/fleet/devices'
import { project } from '../../contract/accounts/projects'
import { updateProject } from '../../contract/accounts/project-changes'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { repetitions } from '../../tests/support/counts'
import { checkInBody, deviceKey, enrollBody, eventOf, enrollmentProofBody } from '../../tests/support/devices'
import type { Person } from '../../tests/support/people'
import { auditEntries } from '../core/database/schema/audit-entries.partitioned'
import { updateEvents } from '../fleet/schema/telemetry.partitioned'

let api: TestApi
let ann: Person
let projectId: string
beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
})
afterAll(() => api.close())

const later = async (seconds: number) => {
  api.advance(seconds)
  ann = { ...ann, ...(await api.session(ann.id)) }
}
const acceptAll = async (auto_accept_devices: boolean) => {
  const { revision } = (await api.call(project, { projectId }, { as: ann })).body
  const body = { settings: { auto_accept_devices } }
  const done = await api.call(updateProject, { projectId }, { as: ann, body, headers: { 'if-match': `"${revision}"` } })
  expect(done.status, done.text).toBe(200)
}
const groupToken = async (auto_accept?: boolean) => {
  const body = { name: 'Line', ...(auto_accept !== undefined && { auto_accept }) }
  return (await api.call(access.createEnrollmentToken, { projectId }, { as: ann, body })).body.token
}
const enrolled = async (auto_accept = true, facts: Parameters<typeof enrollBody>[0] = {}) => {
  const answer = await api.call(wire.enroll, {}, { as: await groupToken(auto_accept), body: enrollBody(facts) })
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}
const checkIn = (as: string, facts: Parameters<typeof checkInBody>[0] = {}) =>
  api.call(wire.checkIn, {}, { as, body: checkInBody(facts) })
const shown = async (deviceId: string) => (await api.call(contract.device, { deviceId }, { as: ann })).body
const issue = (deviceId: string, overlap_s: 0 | 86_400) =>
  api.call(lifecycle.issueDeviceToken, { deviceId }, { as: ann, body: { overlap_s } })
const checkInFrom = (as: string, remoteAddress: string, boot_id = '11111111-1111-4111-8111-111111111111') =>
  api.app.inject({
    method: 'POST',
    url: wire.checkIn.path,
    remoteAddress,
    payload: checkInBody({ boot_id }),
    headers: { host: new URL(api.config.urls.api).host, authorization: `Bearer ${as}` },
  })
const lastAudit = async (targetId: string) => {
  const rows = await api.db.select().from(auditEntries).orderBy(desc(auditEntries.sequence)).limit(20)
  return rows.find(({ target }) => target.id === targetId)
}

describe('automatic acceptance', () => {
  it('is off while the project requires manual acceptance, also for an enrollment token created before', async () => {
    const before = await groupToken()
    const allowed = await groupToken(true)
    await acceptAll(false)
    for (const as of [before, allowed])
      expect((await api.call(wire.enroll, {}, { as, body: enrollBody() })).body.lifecycle).toBe('pending')
    await acceptAll(true)
    expect((await api.call(wire.enroll, {}, { as: before, body: enrollBody() })).body.lifecycle).toBe('active')
  })

  it('is off for a token that requires manual acceptance, regardless of the project', async () => {
    expect((await enrolled(false)).lifecycle).toBe('pending')
  })
})

describe('a rejected device', () => {
  it('is refused but not decommissioned, and can be made pending again, with both in the audit log', async () => {
    const { device_id: deviceId, device_token } = await enrolled(false)
    const rejected = await api.call(lifecycle.rejectDevice, { deviceId }, { as: ann })
    expect(rejected.body.lifecycle).toBe('rejected')
    expect(await checkIn(device_token)).toMatchObject({ status: 403, error: { code: 'rejected' } })
    const accepted = await api.call(lifecycle.acceptDevice, { deviceId }, { as: ann })
    expect(accepted).toMatchObject({ status: 409, error: { code: 'conflict' } })

    const back = await api.call(lifecycle.restoreDevice, { deviceId }, { as: ann })
    expect([back.status, back.body.lifecycle]).toEqual([200, 'pending'])
    expect((await checkIn(device_token)).status).toBe(200)
    const entry = await lastAudit(deviceId)
    expect(entry).toMatchObject({ action: 'device.restore' })
    expect(entry?.changes).toEqual([{ field: 'lifecycle', before: 'rejected', after: 'pending' }])
  })

  it('does not come back by enrolling again', async () => {
    const key = await deviceKey()
    const first = await enrollmentProofBody(key, 'REJECTED', 1000)
    const { device_id: deviceId } = await enrolled(false, first)
    await api.call(lifecycle.rejectDevice, { deviceId }, { as: ann })
    const body = enrollBody(await enrollmentProofBody(key, 'REJECTED', 2000))
    const again = await api.call(wire.enroll, {}, { as: await groupToken(), body })
    expect(again).toMatchObject({ status: 403, error: { code: 'rejected' } })
  })
})

describe('T-18: a new token for a device', () => {
  it('revokes the previous token at once when it was stolen', async () => {
    const { device_id: deviceId, device_token } = await enrolled()
    const issued = await issue(deviceId, 0)
    expect(issued.status, issued.text).toBe(201)
    expect(issued.body.former_token_until).toBe(null)
    expect((await checkIn(device_token)).status).toBe(401)
    expect((await checkIn(issued.body.device_token)).status).toBe(200)
    const entry = await lastAudit(deviceId)
    expect(entry).toMatchObject({ action: 'device.token_rotate', actor: { kind: 'user', id: ann.id } })
    expect(JSON.stringify(entry)).not.toContain('dvc_')
    expect(JSON.stringify(await shown(deviceId))).not.toContain('dvc_')
  })

  it('leaves exactly a day to put it on the device', async () => {
    const { device_id: deviceId, device_token } = await enrolled()
    const issued = await issue(deviceId, 86_400)
    expect(issued.body.former_token_until).not.toBe(null)
    await later(86_399)
    expect((await checkIn(device_token)).status).toBe(200)
    await later(1)
    expect((await checkIn(device_token)).status).toBe(401)
    expect((await checkIn(issued.body.device_token)).status).toBe(200)
  })

  it('does not extend a previous token that was already ending', async () => {
    const { device_id: deviceId, device_token } = await enrolled()
    await issue(deviceId, 86_400)
    await later(80_000)
    await issue(deviceId, 86_400)
    await later(6400)
    expect((await checkIn(device_token)).status).toBe(401)
  })

  it('is refused for a device that is decommissioned or deleted', async () => {
    const gone = await enrolled()
    await api.call(lifecycle.decommissionDevice, { deviceId: gone.device_id }, { as: ann })
    const pending = await enrolled(false)
    await api.call(lifecycle.rejectDevice, { deviceId: pending.device_id }, { as: ann })
    for (const { device_id } of [gone, pending])
      expect(await issue(device_id, 0)).toMatchObject({ status: 409, error: { code: 'conflict' } })
  })

  it('cannot be requested with a token that is ending, so a leaked token cannot be renewed', async () => {
    const { device_token } = await enrolled()
    const owner = (await api.call(wire.rotateToken, {}, { as: device_token })).body.device_token
    await checkIn(owner)
    const thief = await api.call(wire.rotateToken, {}, { as: device_token })
    expect(thief).toMatchObject({ status: 403, error: { code: 'token_expiring' } })
    expect((await api.call(wire.rotateToken, {}, { as: owner })).status).toBe(200)
  })
})

describe('T-18: a rotation', () => {
  it('requested many times at once leaves one new token, which can be rotated itself', async () => {
    for (let round = 0; round < repetitions(5, 50); round += 1) {
      const { device_token } = await enrolled()
      const answers = await Promise.all(Array.from({ length: 6 }, () => api.call(wire.rotateToken, {}, { as: device_token })))
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
      const used = await Promise.all(answers.map(({ body }) => checkIn(body.device_token)))
      const [last, ...others] = answers.filter((_, at) => used[at]?.status === 200)
      expect(others).toEqual([])
      expect((await api.call(wire.rotateToken, {}, { as: device_token })).status).toBe(403)
      expect((await api.call(wire.rotateToken, {}, { as: last?.body.device_token ?? '' })).status).toBe(200)
    }
  })

  it('whose answer was lost can be repeated at any time, and the token that was never used ends', async () => {
    const { device_token } = await enrolled()
    const lost = (await api.call(wire.rotateToken, {}, { as: device_token })).body.device_token
    await later(40 * 86_400)
    expect((await checkIn(device_token)).status).toBe(200)
    const next = (await api.call(wire.rotateToken, {}, { as: device_token })).body.device_token
    expect([(await checkIn(lost)).status, (await checkIn(next)).status]).toEqual([401, 200])
  })

  it('that is used late leaves the former token no more time', async () => {
    const { device_token } = await enrolled()
    const next = (await api.call(wire.rotateToken, {}, { as: device_token })).body.device_token
    await later(86_400)
    expect([(await checkIn(device_token)).status, (await checkIn(next)).status]).toEqual([200, 200])
    expect((await checkIn(device_token)).status).toBe(401)
  })

  it('that coincides with the end of its token gives no valid token', async () => {
    for (let round = 0; round < repetitions(10, 100); round += 1) {
      const { device_id, device_token } = await enrolled()
      const [rotated, issued] = await Promise.all([api.call(wire.rotateToken, {}, { as: device_token }), issue(device_id, 0)])
      expect([200, 401]).toContain(rotated.status)
      expect((await checkIn(rotated.body.device_token ?? device_token)).status).toBe(401)
      expect((await checkIn(issued.body.device_token)).status).toBe(200)
    }
  })

  it('keeps both tokens valid for a day: the new one on every route, the previous one on every route but rotation', async () => {
    const { device_token } = await enrolled()
    const { device_token: next } = (await api.call(wire.rotateToken, {}, { as: device_token })).body
    for (const as of [device_token, next]) {
      expect((await checkIn(as)).status).toBe(200)
      expect((await api.call(wire.patchAttributes, {}, { as, body: { cpu_count: 2 } })).status).toBe(204)
    }
    expect((await api.call(wire.rotateToken, {}, { as: device_token })).status).toBe(403)
    await later(86_400)
    expect([(await checkIn(device_token)).status, (await checkIn(next)).status]).toEqual([401, 200])
  })

  it('by a thief is flagged when both use the token again', async () => {
    const { device_id, device_token } = await enrolled()
    await checkInFrom(device_token, '10.0.0.1')
    const thief = (await api.call(wire.rotateToken, {}, { as: device_token })).body.device_token
    await checkInFrom(thief, '10.0.0.9')
    await checkInFrom(device_token, '10.0.0.1')
    expect((await shown(device_id)).token_sharing).toMatchObject({ by: 'address', addresses: ['10.0.0.1', '10.0.0.9'] })
    const issued = await issue(device_id, 0)
    const statuses = await Promise.all(
      [device_token, thief, issued.body.device_token].map(async (as) => (await checkIn(as)).status),
    )
    expect(statuses).toEqual([401, 401, 200])
  })
})

describe('T-18: a revoked token is refused from the next request on, on every route of devices', () => {
  const routes = Object.values(wire).filter(({ needs }) => needs.kind === 'device')
  const statusesOf = async (as: string) => {
    const ids = { assetId: '01HZZZZZZZZZZZZZZZZZZZZZZZ', commandId: '01HZZZZZZZZZZZZZZZZZZZZZZZ' }
    const answers = routes.map(({ method, path }) =>
      api.app.inject({
        method,
        url: pathOf(path, ids),
        headers: { host: new URL(api.config.urls.api).host, authorization: `Bearer ${as}` },
      }),
    )
    return new Set((await Promise.all(answers)).map(({ statusCode }) => statusCode))
  }
  const end = {
    'a new one was issued, the former stolen': { status: 401, by: (deviceId: string) => issue(deviceId, 0) },
    'its device was decommissioned': {
      status: 403,
      by: (deviceId: string) => api.call(lifecycle.decommissionDevice, { deviceId }, { as: ann }),
    },
    'its device was taken out': {
      status: 401,
      by: async (deviceId: string) => {
        const { revision } = await shown(deviceId)
        return api.call(lifecycle.deleteDevice, { deviceId }, { as: ann, headers: { 'if-match': `"${revision}"` } })
      },
    },
  }
  it.each(Object.entries(end))('%s', async (_, { status, by }) => {
    const { device_id, device_token } = await enrolled()
    expect(routes.length).toBeGreaterThan(9)
    expect((await statusesOf(device_token)).has(status)).toBe(false)
    const ended = await by(device_id)
    expect(ended.status, ended.text).toBeLessThan(300)
    expect(await statusesOf(device_token)).toEqual(new Set([status]))
  })

  it('its device enrolled again, and the previous token is refused', async () => {
    const key = await deviceKey()
    const first = await enrolled(true, await enrollmentProofBody(key, 'AGAIN-1', 1000))
    const body = enrollBody(await enrollmentProofBody(key, 'AGAIN-1', 2000))
    const again = await api.call(wire.enroll, {}, { as: await groupToken(), body })
    expect(again.status, again.text).toBe(200)
    expect(await statusesOf(first.device_token)).toEqual(new Set([401]))
    expect((await checkIn(again.body.device_token)).status).toBe(200)
  })

  it('with requests in flight: none that begins after the answer succeeds', async () => {
    const { device_id, device_token } = await enrolled()
    const late: number[] = []
    let ended = false
    const ask = async () => {
      const after = ended
      const { status } = await checkIn(device_token)
      if (after) late.push(status)
    }
    const asking = Array.from({ length: repetitions(30, 200) }, () => ask())
    expect((await issue(device_id, 0)).status).toBe(201)
    ended = true
    await Promise.all([...asking, ...Array.from({ length: 20 }, () => ask())])
    expect([late.length, new Set(late)]).toEqual([20, new Set([401])])
  })
})

describe('T-18: a device token used by two devices', () => {
  const [first, second] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']

  it('is flagged when an earlier start of the device checks in again, and a new token clears the flag', async () => {
    const { device_id, device_token } = await enrolled()
    await checkInFrom(device_token, '10.0.0.1', first)
    await checkInFrom(device_token, '10.0.0.1', second)
    expect((await shown(device_id)).token_sharing).toBe(null)
    await checkInFrom(device_token, '10.0.0.1', first)
    expect((await shown(device_id)).token_sharing).toMatchObject({ by: 'boot', addresses: ['10.0.0.1'] })
    await issue(device_id, 0)
    expect((await shown(device_id)).token_sharing).toBe(null)
  })

  it('is flagged with both addresses when two addresses use it alternately', async () => {
    const { device_id, device_token } = await enrolled()
    for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.1']) await checkInFrom(device_token, address)
    expect((await shown(device_id)).token_sharing).toMatchObject({ by: 'address', addresses: ['10.0.0.1', '10.0.0.2'] })
  })

  it('is not flagged when a device starts again or moves to another network and stays there', async () => {
    const { device_id, device_token } = await enrolled()
    await checkInFrom(device_token, '10.0.0.1', first)
    await checkInFrom(device_token, '10.0.0.2', first)
    await checkInFrom(device_token, '10.0.0.2', second)
    await later(2 * 86_400)
    await checkInFrom(device_token, '10.0.0.1', second)
    expect((await shown(device_id)).token_sharing).toBe(null)
  })
})

it('T-19: events of a pending device are refused and not stored', async () => {
  const { device_id, device_token } = await enrolled(false)
  const events = [1, 2].map((sequence) => eventOf({ sequence, type: 'booted', ts_ms: api.deps.clock().getTime() }))
  const { status, body } = await api.call(wire.updateEvents, {}, { as: device_token, body: { events } })
  expect(status).toBe(200)
  expect(body).toEqual({
    accepted: 0,
    duplicates: 0,
    rejected: events.map(({ event_id }) => ({ event_id, code: 'pending_acceptance' })),
    abort: false,
  })
  expect(await api.db.select().from(updateEvents).where(eq(updateEvents.deviceId, device_id))).toEqual([])
})
