import { eq, sql } from 'drizzle-orm'
import type { Infer } from 'superstruct'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as access from '../../contract/fleet/enrollment-tokens'
import { projectAuditLog } from '../../contract/accounts/audit'
import * as wire from '../../contract/device/endpoints'
import * as deviceCommands from '../../contract/fleet/device-commands'
import * as deviceLifecycle from '../../contract/fleet/device-lifecycle'
import * as deviceUpdates from '../../contract/updates/device-updates'
import * as contract from '../../contract/fleet/devices'
import { createTag, updateTag } from '../../contract/fleet/tags'
import { devices, enrollmentTokens } from '../fleet/schema/devices'
import { createTestApi, type TestApi } from '../../tests/support/api'
import type { Person } from '../../tests/support/people'
import { attributesHash, checkInBody, deviceKey, enrollBody, enrollmentProofBody } from '../../tests/support/devices'

let api: TestApi
let ann: Person
let projectId: string

beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
})
afterAll(() => api.close())

// Sessions of people expire in between; the devices are tested.
const later = async (seconds: number) => {
  api.advance(seconds)
  ann = { ...ann, ...(await api.session(ann.id)) }
}

type TokenFacts = Partial<Infer<typeof access.NewEnrollmentToken>>
const groupToken = async (facts: TokenFacts = {}) => {
  const reply = await api.call(access.createEnrollmentToken, { projectId }, { as: ann, body: { name: 'Line 1', ...facts } })
  expect(reply.status, reply.text).toBe(201)
  return reply.body
}
const enroll = (token: string, facts: Parameters<typeof enrollBody>[0] = {}) =>
  api.call(wire.enroll, {}, { as: token, body: enrollBody(facts) })
const enrolled = async (facts: Parameters<typeof enrollBody>[0] = {}) => {
  const { token } = await groupToken()
  const { body, status, text } = await enroll(token, facts)
  expect(status, text).toBe(201)
  return body
}
const checkIn = (token: string, facts: Parameters<typeof checkInBody>[0] = {}) =>
  api.call(wire.checkIn, {}, { as: token, body: checkInBody(facts) })
const shown = async (deviceId: string) => (await api.call(contract.device, { deviceId }, { as: ann })).body

describe('enrollment', () => {
  it('gives a device the default tags of its token, also those that were renamed since', async () => {
    const { body: tag } = await api.call(createTag, { projectId }, { as: ann, body: { name: 'shore', colour: 'sky' } })
    const { token } = await groupToken({ default_tags: ['shore'] })
    const headers = { 'if-match': `"${tag.revision}"` }
    const renamed = await api.call(updateTag, { tagId: tag.id }, { as: ann, body: { name: 'coast' }, headers })
    expect(renamed.status, renamed.text).toBe(200)
    const { body } = await enroll(token, { serial_number: 'GW-COAST' })
    expect(await shown(body.device_id)).toMatchObject({ tags: [{ name: 'coast' }] })
  })

  it('names a device by its serial number when the name that it asks for cannot be read', async () => {
    const { device_id } = await enrolled({ serial_number: 'GW-SPOOF', name: '\u202eevil' })
    expect(await shown(device_id)).toMatchObject({ serial_number: 'GW-SPOOF', name: 'GW-SPOOF' })
  })

  it('gives a device a token of its own, and shows it to people', async () => {
    const { device_id, device_token, lifecycle, polling_interval_s, project_id } = await enrolled({ serial_number: 'GW-1' })
    expect({ lifecycle, polling_interval_s, project_id }).toEqual({
      lifecycle: 'active',
      polling_interval_s: 3600,
      project_id: projectId,
    })
    expect(await shown(device_id)).toMatchObject({ serial_number: 'GW-1', name: 'GW-1', connectivity: 'never_seen' })
    expect((await checkIn(device_token)).status).toBe(200)
    expect(await shown(device_id)).toMatchObject({ connectivity: 'online', client: { name: 'teasel-agent' } })
  })

  it('leaves a device pending until a person accepts it', async () => {
    const { token } = await groupToken({ auto_accept: false })
    const { body } = await enroll(token)
    expect(body.lifecycle).toBe('pending')
    const points = [{ name: 'load.1m', ts_ms: api.deps.clock().getTime(), value: 1 }]
    const told = await api.call(wire.metrics, {}, { as: body.device_token, body: { points } })
    expect(told.body).toEqual({ accepted: 0, dropped: 1, reasons: { pending_acceptance: 1 } })
    const accepted = await api.call(deviceLifecycle.acceptDevice, { deviceId: body.device_id }, { as: ann })
    expect(accepted.body.lifecycle).toBe('active')
    const again = await api.call(deviceLifecycle.acceptDevice, { deviceId: body.device_id }, { as: ann })
    expect(again.status).toBe(409)
  })

  it('F-22: never enrolls more devices than max_uses, also with concurrent requests', async () => {
    const { id, token } = await groupToken({ max_uses: 5 })
    const replies = await Promise.all(Array.from({ length: 20 }, () => enroll(token)))
    const codes = replies.map(({ status, error }) => (status === 201 ? 'in' : error.code)).toSorted()
    expect(codes).toEqual([...Array(5).fill('in'), ...Array(15).fill('token_used_up')])
    const [row] = await api.db.select().from(enrollmentTokens).where(eq(enrollmentTokens.id, id))
    expect(row?.uses).toBe(5)
  })

  it('enrolls one of twenty devices with the same serial number', async () => {
    const { token } = await groupToken()
    const replies = await Promise.all(Array.from({ length: 20 }, () => enroll(token, { serial_number: 'TWIN' })))
    const codes = replies.map(({ status, error }) => (status === 201 ? 'in' : error.code)).toSorted()
    expect(codes).toEqual(['in', ...Array(19).fill('serial_exists')])
  })

  it('numbers the name of a device whose serial number differs from that of another in case only', async () => {
    const { token } = await groupToken()
    for (const serial_number of ['CASE-1', 'case-1', 'Case-1']) expect((await enroll(token, { serial_number })).status).toBe(201)
    const found = await api.db
      .select()
      .from(devices)
      .where(sql`lower(${devices.serialNumber}) = 'case-1'`)
      .orderBy(devices.id)
    expect(found.map(({ name }) => name)).toEqual(['CASE-1', 'case-1 (2)', 'Case-1 (3)'])
  })

  it('enrolls a known device again by its key, revokes its previous token, and accepts no replayed proof', async () => {
    const key = await deviceKey()
    const { token } = await groupToken({ kind: 'single' })
    const first = await enroll(token, await enrollmentProofBody(key, 'BACK', 1000))
    expect(first.status, first.text).toBe(201)
    const proof = await enrollmentProofBody(key, 'BACK', 2000)
    const again = await enroll(token, proof)
    expect([again.status, again.body.device_id]).toEqual([200, first.body.device_id])
    expect((await checkIn(first.body.device_token)).status).toBe(401)
    expect((await checkIn(again.body.device_token)).status).toBe(200)
    expect((await enroll(token, proof)).error.code).toBe('serial_exists')
    const other = await deviceKey()
    const forged = await enrollmentProofBody(other, 'BACK', 3000)
    expect((await enroll(token, forged)).error.code).toBe('serial_exists')
  })

  it('ends with the token', async () => {
    const expires_at = new Date(api.deps.clock().getTime() + 60_000).toISOString().replace(/\.\d+Z$/, 'Z')
    const { token } = await groupToken({ expires_at })
    await later(61)
    expect(await enroll(token)).toMatchObject({ status: 403, error: { code: 'token_expired' } })
    const revoked = await groupToken()
    await api.call(access.revokeEnrollmentToken, { enrollmentTokenId: revoked.id }, { as: ann })
    expect(await enroll(revoked.token)).toMatchObject({ status: 403, error: { code: 'token_expired' } })
  })

  it('stops at the limit of the plan', async () => {
    const poor = await api.person({ plan: 'developer' })
    const small = await api.project({ ownerId: poor.id }, 'Small')
    const body = { name: 'All' }
    const { token } = (await api.call(access.createEnrollmentToken, { projectId: small }, { as: poor, body })).body
    const replies = await Promise.all(Array.from({ length: 27 }, () => enroll(token)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(25)
    expect(replies.filter(({ status, error }) => status === 402 && error.code === 'plan_limit')).toHaveLength(2)
  })
})

describe('T-18: a device token', () => {
  it('stays valid for a day after a rotation', async () => {
    const { device_token } = await enrolled()
    const rotated = await api.call(wire.rotateToken, {}, { as: device_token })
    expect(rotated.status).toBe(200)
    expect((await checkIn(rotated.body.device_token)).status).toBe(200)
    expect((await checkIn(device_token)).status).toBe(200)
    await later(86_401)
    expect((await checkIn(device_token)).status).toBe(401)
    expect((await checkIn(rotated.body.device_token)).status).toBe(200)
  })

  it('F-23: is refused for a key whose answer belongs to the token before it', async () => {
    const { device_token } = await enrolled()
    const once = { body: checkInBody(), headers: { 'idempotency-key': 'before-rotation' } }
    expect((await api.call(wire.checkIn, {}, { ...once, as: device_token })).status).toBe(200)
    const rotated = (await api.call(wire.rotateToken, {}, { as: device_token })).body.device_token
    const repeated = await api.call(wire.checkIn, {}, { ...once, as: rotated })
    expect([repeated.status, repeated.error.code]).toEqual([422, 'idempotency_mismatch'])
    expect((await api.call(wire.checkIn, {}, { ...once, as: device_token })).status).toBe(200)
  })

  it('gets the instruction to stop when the device is decommissioned, and is unknown when it was deleted', async () => {
    const { device_id, device_token } = await enrolled()
    await api.call(deviceLifecycle.decommissionDevice, { deviceId: device_id }, { as: ann })
    expect(await checkIn(device_token)).toMatchObject({ status: 403, error: { code: 'decommissioned' } })
    const other = await enrolled()
    const { revision } = await shown(other.device_id)
    const headers = { 'if-match': `"${revision}"` }
    const gone = await api.call(deviceLifecycle.deleteDevice, { deviceId: other.device_id }, { as: ann, headers })
    expect(gone.status).toBe(204)
    expect((await checkIn(other.device_token)).status).toBe(401)
    expect((await api.call(contract.device, { deviceId: other.device_id }, { as: ann })).status).toBe(404)
    const back = await api.call(deviceLifecycle.restoreDevice, { deviceId: other.device_id }, { as: ann })
    expect(back.status, back.text).toBe(200)
    expect((await checkIn(other.device_token)).status).toBe(200)
  })

  it('opens no endpoint for people', async () => {
    const { device_token, device_id } = await enrolled()
    for (const as of [device_token, (await groupToken()).token])
      expect((await api.call(contract.device, { deviceId: device_id }, { as })).status).toBe(401)
  })
})

describe('commands', () => {
  it('are delivered once, at the next check-in, and their results are stored', async () => {
    const { device_id, device_token } = await enrolled()
    const sent = await api.call(deviceCommands.sendCommand, { deviceId: device_id }, { as: ann, body: { command: 'reboot' } })
    expect([sent.status, sent.body.state]).toEqual([202, 'queued'])
    const { commands } = (await checkIn(device_token)).body
    expect(commands).toEqual([{ id: sent.body.id, command: 'reboot', args: {} }])
    expect((await checkIn(device_token)).body.commands).toEqual([])
    const answer = { as: device_token, body: { state: 'done' as const, output: 'starting again' } }
    expect((await api.call(wire.commandResult, { commandId: sent.body.id }, answer)).status).toBe(204)
    const stranger = await enrolled()
    const foreign = { as: stranger.device_token, body: { state: 'done' as const } }
    expect((await api.call(wire.commandResult, { commandId: sent.body.id }, foreign)).status).toBe(404)
    const ids = { deviceId: device_id, commandId: sent.body.id }
    const listed = await api.call(deviceCommands.deviceCommands, { deviceId: device_id }, { as: ann })
    expect(listed.body.commands).toMatchObject([{ id: ids.commandId, state: 'done', created_by: 'Ines Quist', output_bytes: 14 }])
    const shownCommand = await api.call(deviceCommands.deviceCommand, ids, { as: ann })
    expect(shownCommand.body).toMatchObject({ state: 'done', output: 'starting again' })
    const elsewhere = { deviceId: stranger.device_id, commandId: ids.commandId }
    expect((await api.call(deviceCommands.deviceCommand, elsewhere, { as: ann })).status).toBe(404)
  })

  it('are listed newest first, in pages', async () => {
    const { device_id: deviceId } = await enrolled()
    for (const command of ['check_now', 'send_logs', 'reboot'] as const) {
      await api.call(deviceCommands.sendCommand, { deviceId }, { as: ann, body: { command } })
      await later(1)
    }
    const read = async (query: { limit: number; cursor?: string }) =>
      (await api.call(deviceCommands.deviceCommands, { deviceId }, { as: ann, query })).body
    const first = await read({ limit: 2 })
    expect(first.commands.map(({ command }) => command)).toEqual(['reboot', 'send_logs'])
    const second = await read({ limit: 2, cursor: first.next_cursor ?? '' })
    expect([second.commands.map(({ command }) => command), second.next_cursor]).toEqual([['check_now'], null])
  })

  it('expire when the device does not fetch them for a day', async () => {
    const { device_id, device_token } = await enrolled()
    const ids = { deviceId: device_id }
    const sent = await api.call(deviceCommands.sendCommand, ids, { as: ann, body: { command: 'reboot' } })
    await later(86_401)
    // People see it before the device asks again.
    const { body } = await api.call(deviceCommands.deviceCommands, ids, { as: ann })
    expect(body.commands.map(({ state }) => state)).toEqual(['expired'])
    const cancelled = await api.call(deviceCommands.cancelCommand, { ...ids, commandId: sent.body.id }, { as: ann })
    expect([cancelled.status, cancelled.text]).toEqual([409, expect.stringContaining('This command has expired')])
    expect((await checkIn(device_token)).body.commands).toEqual([])
  })

  it('can be cancelled until the device has fetched them', async () => {
    const { device_id, device_token } = await enrolled()
    const ids = { deviceId: device_id }
    const send = async () => (await api.call(deviceCommands.sendCommand, ids, { as: ann, body: { command: 'reboot' } })).body.id
    const cancel = (commandId: string) => api.call(deviceCommands.cancelCommand, { ...ids, commandId }, { as: ann })
    const [kept, withdrawn] = [await send(), await send()]
    expect((await cancel(withdrawn)).body).toMatchObject({ state: 'cancelled', delivered_at: null })
    expect((await cancel(withdrawn)).body.state).toBe('cancelled')
    expect((await checkIn(device_token)).body.commands.map(({ id }) => id)).toEqual([kept])
    const late = await cancel(kept)
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('The device has fetched this command')])
    const entries = await api.call(projectAuditLog, { projectId }, { as: ann, query: { action: 'device.command_cancel' } })
    expect(entries.body.entries).toHaveLength(1)
    // The device cannot end what it never got.
    const answer = { as: device_token, body: { state: 'done' as const } }
    expect((await api.call(wire.commandResult, { commandId: withdrawn }, answer)).status).toBe(204)
    const { body } = await api.call(deviceCommands.deviceCommand, { ...ids, commandId: withdrawn }, { as: ann })
    expect(body.state).toBe('cancelled')
  })

  it('that are cancelled while a check-in fetches them are either delivered or cancelled', async () => {
    const { device_id, device_token } = await enrolled()
    const ids = { deviceId: device_id }
    for (let round = 0; round < 10; round++) {
      const sent = await api.call(deviceCommands.sendCommand, ids, { as: ann, body: { command: 'check_now' } })
      const [cancelled, fetched] = await Promise.all([
        api.call(deviceCommands.cancelCommand, { ...ids, commandId: sent.body.id }, { as: ann }),
        checkIn(device_token),
      ])
      expect([cancelled.status, fetched.body.commands.length]).toEqual(cancelled.status === 200 ? [200, 0] : [409, 1])
    }
  })
})

describe('attributes', () => {
  it('are requested until the hashes match', async () => {
    const { device_id, device_token } = await enrolled()
    const attributes = { os_name: 'Linux', cpu_count: 4 }
    const put = await api.call(wire.putAttributes, {}, { as: device_token, body: attributes })
    expect(put.status).toBe(204)
    expect((await checkIn(device_token)).body.want_attributes).toBe(true)
    expect((await checkIn(device_token, { attributes_hash: await attributesHash(attributes) })).body.want_attributes).toBe(false)
    await api.call(wire.patchAttributes, {}, { as: device_token, body: { cpu_count: 8 } })
    expect((await shown(device_id)).attributes).toEqual({ os_name: 'Linux', cpu_count: 8 })
  })
})

describe('what a device runs', () => {
  it('is recorded once for each change, newest first', async () => {
    const { device_id, device_token } = await enrolled()
    const run = (version: number, confirmed: boolean) =>
      checkIn(device_token, { installed: { release_id: '01HZZZZZZZZZZZZZZZZZZZZZZZ', version, slot: 'a', confirmed } })
    await run(1, true)
    await run(1, true)
    await run(2, false)
    await run(2, true)
    const { releases } = (await api.call(deviceUpdates.deviceInstallations, { deviceId: device_id }, { as: ann })).body
    expect(releases.map(({ version, confirmed }) => [version, confirmed])).toEqual([
      [2, true],
      [1, true],
    ])
    expect((await shown(device_id)).installed).toMatchObject({ version: 2, confirmed: true, slot: 'a' })
  })
})
