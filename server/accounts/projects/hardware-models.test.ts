import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEnrollmentToken, revokeEnrollmentToken } from '../../../contract/fleet/enrollment-tokens'
import { projectAuditLog } from '../../../contract/accounts/audit'
import { createDevice } from '../../../contract/fleet/devices'
import type { NewHardwareModel } from '../../../contract/fleet/hardware-model-changes'
import { updateProject } from '../../../contract/accounts/project-changes'
import * as contract from '../../../contract/accounts/projects'
import { createRelease } from '../../../contract/updates/releases'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { formatTimestamp } from '../../core/timestamps'

let api: TestApi
let ann: Person
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const model = (id: string, client?: NewHardwareModel['client']): NewHardwareModel => ({
  id,
  name: 'Gateway',
  platform: 'linux',
  slots: 'single',
  ...(client && { client }),
})

const begin = async () => {
  ann = await api.person()
  const projectId = await api.project({ ownerId: ann.id })
  const read = async () => (await api.call(contract.project, { projectId }, { as: ann })).body
  const change = async (hardware_models: NewHardwareModel[]) => {
    const headers = { 'if-match': `"${(await read()).revision}"` }
    return api.call(updateProject, { projectId }, { as: ann, headers, body: { settings: { hardware_models } } })
  }
  return { projectId, read, change }
}

const standard = {
  kind: 'teasel',
  confirm_by: 'version',
  version_attribute: 'sw_version',
  confirm_within_s: 3600,
  boards: [],
}

describe('the hardware models of a project', () => {
  it('run our agent unless their client is named, and a change without a client keeps it', async () => {
    const { change } = await begin()
    expect((await change([model('gw')])).body.settings.hardware_models).toEqual([{ ...model('gw'), client: standard }])
    const client = { kind: 'swupdate' as const, boards: ['gw-rev-b'] }
    const stored = { ...standard, ...client }
    const named = await change([model('gw', client)])
    expect(named.body.settings.hardware_models).toEqual([{ ...model('gw'), client: stored }])
    const renamed = await change([{ ...model('gw'), name: 'Gateway B' }])
    expect(renamed.body.settings.hardware_models).toEqual([{ ...model('gw'), name: 'Gateway B', client: stored }])
  })

  it('cannot be removed while devices or releases use them, and the refusal counts these', async () => {
    const { projectId, change, read } = await begin()
    await change([model('gw'), model('cam')])
    const body = { name: 'gw-1', hardware_model: 'gw' }
    await api.call(createDevice, { projectId }, { as: ann, body })
    const facts = { name: 'Cam', version: 1, type: 'file' as const, hardware_models: ['cam', 'gw'] }
    const release = await api.call(createRelease, { projectId }, { as: ann, body: facts })
    expect(release.status, release.text).toBe(201)
    const refused = await change([])
    expect([refused.status, refused.error.code]).toEqual([409, 'model_in_use'])
    expect(refused.error.message).toBe('gw is used by 1 device and 1 release')
    expect((await change([model('gw')])).error.message).toBe('cam is used by 0 devices and 1 release')
    expect((await read()).settings.hardware_models.map(({ id }) => id)).toEqual(['gw', 'cam'])
  })

  it('cannot be removed while enrollment tokens let devices of them in', async () => {
    const { projectId, change } = await begin()
    await change([model('gw'), model('cam')])
    const body = { name: 'Line 3', kind: 'group' as const, hardware_model: 'gw' }
    const { id } = (await api.call(createEnrollmentToken, { projectId }, { as: ann, body })).body
    const refused = await change([model('cam')])
    expect([refused.status, refused.error.code]).toEqual([409, 'model_in_use'])
    expect(refused.error.message).toBe('gw is used by 0 devices, 0 releases and 1 enrollment token')
    await api.call(revokeEnrollmentToken, { enrollmentTokenId: id }, { as: ann })
    const expires_at = formatTimestamp(new Date(api.deps.clock().getTime() + 3_600_000))
    await api.call(createEnrollmentToken, { projectId }, { as: ann, body: { ...body, expires_at } })
    expect((await change([model('cam')])).status).toBe(409)
    api.advance(3600)
    expect((await change([model('cam')])).status).toBe(200)
  })

  it('are removed and restored as they were, and the audit log shows both', async () => {
    const { projectId, change } = await begin()
    const client = { kind: 'zephyr' as const, version_attribute: 'fw', confirm_within_s: 600 }
    const before = await change([model('gw'), model('sens', client)])
    const all = before.body.settings.hardware_models
    expect((await change([model('gw')])).body.settings.hardware_models.map(({ id }) => id)).toEqual(['gw'])
    expect((await change(all)).body.settings.hardware_models).toEqual(all)
    const log = await api.call(projectAuditLog, { projectId }, { as: ann })
    expect(log.body.entries.slice(0, 3).map(({ action }) => action)).toEqual(Array(3).fill('project.settings_update'))
    expect(JSON.stringify(log.body.entries[0]?.changes)).toContain('"version_attribute":"fw"')
  })

  it.each([
    ['two models of one id', [model('gw'), model('gw')]],
    ['an id with capitals', [model('GW')]],
    ['a time to confirm under a minute', [model('gw', { kind: 'rauc', confirm_within_s: 59 })]],
    ['a time to confirm over a week', [model('gw', { kind: 'rauc', confirm_within_s: 604_801 })]],
    [
      'the word of a client that reports success before it restarts',
      [model('gw', { kind: 'rauc', confirm_by: 'client' as const })],
    ],
    ['a version attribute with a space', [model('gw', { kind: 'other', version_attribute: 'sw version' })]],
    ['a board twice', [model('gw', { kind: 'other', boards: ['a', 'a'] })]],
    ['201 models', Array.from({ length: 201 }, (_, n) => model(`gw-${n}`))],
  ])('refuse %s', async (_, models) => {
    const { change } = await begin()
    const refused = await change(models)
    expect([refused.status, refused.error.details.length > 0]).toEqual([422, true])
  })
})
