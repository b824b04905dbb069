import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildAgent, type Running, setUpAgent, start } from '../../agent/testing/agent-process'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { projectAuditLog } from '../../contract/accounts/audit'
import { devices } from '../../contract/fleet/devices'
import { transferProject } from '../../contract/accounts/project-changes'
import { project } from '../../contract/accounts/projects'
import { createRollout } from '../../contract/updates/rollouts'
import { defaultGate, previewRollout } from '../../contract/updates/rollout-plans'
import { startRollout } from '../../contract/updates/rollout-steps'
import { tickRollouts } from '../../server/updates/rollouts/tick'
import { createTestApi, type TestApi } from '../support/api'
import { freePort } from '../support/free-port'
import { createReleaseFixture } from '../support/release-fixture'

let api: TestApi
let agent: string
const running: Running[] = []

beforeAll(async () => {
  agent = await buildAgent()
  const port = await freePort()
  api = await createTestApi({ TEASEL_API_PORT: String(port) })
  api.advance((Date.now() - api.deps.clock().getTime()) / 1000)
  await api.app.listen({ port, host: '127.0.0.1' })
})
afterAll(async () => {
  for (const one of running) await one.kill('SIGKILL')
  await api.close()
})

it('a real agent updates across the transfer of its project, with the token and the key that it had before', async () => {
  const ines = await api.person()
  const [from, to] = [await api.organization(ines, 'From'), await api.organization(ines, 'To')]
  const projectId = await api.project({ organizationId: from.id }, 'Gateways')
  const maker = await createReleaseFixture(api, ines, projectId)
  const { body: group } = await api.call(
    createEnrollmentToken,
    { projectId },
    { as: ines, body: { name: 'Field', auto_accept: true } },
  )
  const server = { url: api.config.urls.api, enrollmentToken: group.token }
  const device = setUpAgent(server, [maker.key.publicKey], { name: 'gateway', update_mode: 'file' })
  const run = async () => {
    const one = start(agent, ['--config', device.configPath, '--once'])
    running.push(one)
    expect(await one.ended, one.output()).toBe(0)
  }
  const rollOut = async (version: number) => {
    const wanted = { version, bytes: Buffer.from(`version ${version}`), models: ['gw-imx8m'], displayVersion: `2.${version}.0` }
    const { id: releaseId } = await maker.signed({ ...wanted, reboot: 'after_install' })
    const gate = { ...defaultGate, min_sample: 1, min_success_percent: 0, max_failure_percent: 100, soak_s: 3600 }
    const plan = { target: { everything: true }, waves: [{ kind: 'percent' as const, value: 100, gate }] }
    const seen = await api.call(previewRollout, { releaseId }, { as: ines, body: plan })
    const body = { ...plan, preview_hash: seen.body.preview_hash }
    const made = await api.call(createRollout, { releaseId }, { as: ines, body })
    const begun = await api.call(startRollout, { rolloutId: made.body.id }, { as: ines, body: {} })
    expect(begun.status, begun.text).toBe(200)
  }
  const transfer = async (organizationId: string) => {
    const { revision } = (await api.call(project, { projectId }, { as: ines })).body
    const body = { organization_id: organizationId, confirm_name: 'Gateways' }
    const moved = await api.call(transferProject, { projectId }, { as: ines, body, headers: { 'if-match': `"${revision}"` } })
    expect(moved.status, moved.text).toBe(200)
  }

  await run()
  await rollOut(1)
  await run()
  expect(device.file('opt/app.bin')).toBe('version 1')
  await tickRollouts(api.deps)

  // Open when the project changes its owner.
  await rollOut(2)
  await transfer(to.publicId)
  await run()
  expect(device.file('opt/app.bin')).toBe('version 2')
  await tickRollouts(api.deps)
  await rollOut(3)
  await run()
  expect(device.file('opt/app.bin')).toBe('version 3')
  const { body } = await api.call(devices, { projectId }, { as: ines })
  expect(body.devices).toMatchObject([{ name: 'gateway', installed: { version: 3, confirmed: true } }])
  const log = await api.call(projectAuditLog, { projectId }, { as: ines, query: { action: 'device.enroll' } })
  expect(log.body.entries).toEqual([])

  await transfer(from.publicId)
  await run()
  const enrolled = await api.call(projectAuditLog, { projectId }, { as: ines, query: { action: 'device.enroll' } })
  expect(enrolled.body.entries).toHaveLength(1)
})
