import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEnrollmentToken, previewTokenRevocation, revokeEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { issueDeviceToken } from '../../contract/fleet/device-lifecycle'
import { createDevice, device as readDevice, type NewDevice, updateDevice } from '../../contract/fleet/devices'
import { projectAuditLog } from '../../contract/accounts/audit'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { createDdiScene, type DdiScene } from '../../tests/support/ddi/scene'

let api: TestApi
let scene: DdiScene
beforeAll(async () => {
  api = await createTestApi()
  scene = await createDdiScene(api)
})
afterAll(() => api.close())

const preEnroll = async (facts: Pick<NewDevice, 'protocol' | 'serial_number' | 'token_form'>) => {
  const body = { name: `device ${Math.random()}`, hardware_model: 'zephyr', ...facts }
  return api.call(createDevice, { projectId: scene.projectId }, { as: scene.ines, body })
}
const statusOf = async (authorization: string, id: string) =>
  (await scene.send(authorization, `/DEFAULT/controller/v1/${id}`)).statusCode

describe('a device that a person adds', () => {
  it('for DDI uses its token, then a short one, with the first for a day more', async () => {
    const made = await preEnroll({ protocol: 'ddi', serial_number: 'zephyr-by-hand' })
    expect(made.status, made.text).toBe(201)
    const first = `TargetToken ${made.body.device_token}`
    expect([made.body.device_token.length, await statusOf(first, 'zephyr-by-hand')]).toEqual([53, 200])
    const issued = await api.call(
      issueDeviceToken,
      { deviceId: made.body.id },
      { as: scene.ines, body: { overlap_s: 86_400, form: 'short' } },
    )
    const { device_token } = issued.body
    expect([device_token.length, device_token]).toEqual([32, expect.stringMatching(/^dvs_/)])
    expect(await statusOf(`TargetToken ${device_token}`, 'zephyr-by-hand')).toBe(200)
    expect(await statusOf(first, 'zephyr-by-hand')).toBe(200)
    api.advance(20)
    const misspelt = `TargetToken ${device_token.slice(0, -1)}${device_token.endsWith('0') ? '1' : '0'}`
    expect(await statusOf(misspelt, 'zephyr-by-hand')).toBe(401)
  })

  it('gets a short token at once if asked, for DDI only', async () => {
    const facts = { serial_number: 'zephyr-short', token_form: 'short' as const }
    const refused = await preEnroll({ ...facts, protocol: 'teasel' })
    expect([refused.status, refused.error.details[0]?.field]).toEqual([422, 'token_form'])
    const made = await preEnroll({ ...facts, protocol: 'ddi' })
    expect(made.body.device_token).toMatch(/^dvs_\w{28}$/)
    expect(await statusOf(`TargetToken ${made.body.device_token}`, 'zephyr-short')).toBe(200)
  })

  it('without the id of a controller stays with our agent', async () => {
    const made = await preEnroll({ serial_number: 'a/b' })
    const changed = await api.call(
      updateDevice,
      { deviceId: made.body.id },
      { as: scene.ines, body: { protocol: 'ddi' }, headers: { 'if-match': `"${made.body.revision}"` } },
    )
    expect([changed.status, changed.error.details[0]?.field]).toEqual([422, 'protocol'])
  })

  it('for DDI needs the id of its controller', async () => {
    for (const serial_number of [undefined, 'a/b', 'a?b', 'a#b', 'a%b']) {
      const made = await preEnroll({ protocol: 'ddi', ...(serial_number !== undefined && { serial_number }) })
      expect([serial_number, made.status, made.error.details[0]?.field]).toEqual([serial_number, 422, 'serial_number'])
    }
  })

  it('for our agent is no controller until a person says so, and takes no short token', async () => {
    const made = await preEnroll({ serial_number: 'was-an-agent' })
    const deviceId = made.body.id
    const authorization = `TargetToken ${made.body.device_token}`
    expect(await statusOf(authorization, 'was-an-agent')).toBe(401)
    const body = { overlap_s: 0 as const, form: 'short' as const }
    expect((await api.call(issueDeviceToken, { deviceId }, { as: scene.ines, body })).status).toBe(422)
    const { revision } = (await api.call(readDevice, { deviceId }, { as: scene.ines })).body
    const changed = await api.call(
      updateDevice,
      { deviceId },
      { as: scene.ines, body: { protocol: 'ddi' }, headers: { 'if-match': `"${revision}"` } },
    )
    expect(changed.body).toMatchObject({ protocol: 'ddi', verifier: 'mcuboot' })
    expect(await statusOf(authorization, 'was-an-agent')).toBe(200)
  })
})

describe('a gateway token', () => {
  it('registers a device once, with its model, and the audit log names it', async () => {
    const { token, name } = await scene.gateway('rauc')
    const device = scene.controller('gateway-1', `GatewayToken ${token}`)
    await Promise.all([device.poll(), device.poll(), device.poll()])
    await device.poll()
    expect(await device.row()).toMatchObject({ hardwareModel: 'rauc', protocol: 'ddi', lifecycle: 'active', enrollment: 'group' })
    const log = await api.call(projectAuditLog, { projectId: scene.projectId }, { as: scene.ines })
    const entries = log.body.entries.filter(({ target }) => target.name === 'gateway-1')
    expect(entries.map(({ action, actor }) => [action, actor.kind, actor.name])).toEqual([
      ['device.enroll', 'enrollment_token', name],
    ])
  })

  it('that is to be revoked names the devices that authenticate with it, which are then refused', async () => {
    const gateway = await scene.gateway('rauc')
    const params = { enrollmentTokenId: gateway.id }
    const ids = ['cam-b', 'cam-A', 'cam-own']
    for (const id of ids) expect(await statusOf(`GatewayToken ${gateway.token}`, id)).toBe(200)
    const own = await scene.controller('cam-own', `GatewayToken ${gateway.token}`).row()
    const issue = { overlap_s: 0 as const, form: 'short' as const }
    const issued = await api.call(issueDeviceToken, { deviceId: own.id }, { as: scene.ines, body: issue })
    const { body } = await api.call(previewTokenRevocation, params, { as: scene.ines })
    expect([body.total, body.devices.map(({ name }) => name)]).toEqual([2, ['cam-A', 'cam-b']])
    expect((await api.call(revokeEnrollmentToken, params, { as: scene.ines })).status).toBe(204)
    for (const { name } of body.devices) expect(await statusOf(`GatewayToken ${gateway.token}`, name)).toBe(403)
    expect(await statusOf(`TargetToken ${issued.body.device_token}`, 'cam-own')).toBe(200)
  })

  it('is refused at once when the device gets its own token, and the answer names no time until which it works', async () => {
    const { token } = await scene.gateway('rauc')
    const device = scene.controller('gateway-own', `GatewayToken ${token}`)
    await device.poll()
    const { id: deviceId } = await device.row()
    const issue = () =>
      api.call(issueDeviceToken, { deviceId }, { as: scene.ines, body: { overlap_s: 86_400 as const, form: 'short' as const } })
    const first = await issue()
    expect([first.status, first.body.former_token_until]).toEqual([201, null])
    expect(await statusOf(`GatewayToken ${token}`, 'gateway-own')).toBe(401)
    expect(await statusOf(`TargetToken ${first.body.device_token}`, 'gateway-own')).toBe(200)
    // Now there is a token that stays valid beside the next one.
    const second = await issue()
    expect(second.body.former_token_until).not.toBeNull()
    expect(await statusOf(`TargetToken ${first.body.device_token}`, 'gateway-own')).toBe(200)
    const log = await api.call(projectAuditLog, { projectId: scene.projectId }, { as: scene.ines })
    const reasons = log.body.entries.flatMap(({ action, target, reason }) =>
      action === 'device.token_rotate' && target.name === 'gateway-own' ? [reason] : [],
    )
    expect(reasons).toEqual(['The previous token stays valid for 24 hours', 'The previous token stopped working at once'])
  })

  it('may be short', async () => {
    const body = { name: 'Short', hardware_model: 'zephyr', form: 'short' as const }
    const made = await api.call(createEnrollmentToken, { projectId: scene.projectId }, { as: scene.ines, body })
    expect(made.body.token).toMatch(/^ens_[0-9A-Za-z]{28}$/)
    expect(await statusOf(`GatewayToken ${made.body.token}`, 'gateway-2')).toBe(200)
  })

  it('without a model registers nothing', async () => {
    const body = { name: 'Any model' }
    const made = await api.call(createEnrollmentToken, { projectId: scene.projectId }, { as: scene.ines, body })
    expect(await statusOf(`GatewayToken ${made.body.token}`, 'gateway-3')).toBe(403)
  })

  it('that does not accept devices lets them wait: they poll, and get no action', async () => {
    const { token } = await scene.gateway('rauc', { auto_accept: false })
    const device = scene.controller('gateway-4', `GatewayToken ${token}`)
    await device.poll()
    await device.put({ sw_version: '1.0.0' })
    expect([(await device.row()).lifecycle, (await device.poll()).links]).toEqual(['pending', {}])
  })
})
