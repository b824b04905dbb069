import { writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { type AgentSetup, buildAgent, type Running, setUpAgent, start } from '../../agent/testing/agent-process'
import type { BodyOf } from '../../contract/core/endpoint'
import * as access from '../../contract/fleet/enrollment-tokens'
import { devices } from '../../contract/fleet/devices'
import { previewRollBack } from '../../contract/updates/roll-backs'
import * as rolloutPlans from '../../contract/updates/rollout-plans'
import * as rolloutSteps from '../../contract/updates/rollout-steps'
import * as rollouts from '../../contract/updates/rollouts'
import { tickRollouts } from '../../server/updates/rollouts/tick'
import { createTestApi } from './api'
import { freePort } from './free-port'
import { createReleaseFixture } from './release-fixture'

type NewRollout = BodyOf<typeof rollouts.createRollout>

export const gate = { ...rolloutPlans.defaultGate, min_sample: 1, min_success_percent: 0, max_failure_percent: 100, soak_s: 3600 }

export type AgentMode = 'file' | 'ab_rootfs'

/**
 * A server at the time of this machine with built agents beside it. A scene is a project of two devices that run release 1; their
 * software is read from their own disks.
 */
export const startAgentHost = async () => {
  const agent = await buildAgent()
  const port = await freePort()
  const api = await createTestApi({ TEASEL_API_PORT: String(port) })
  api.advance((Date.now() - api.deps.clock().getTime()) / 1000)
  await api.app.listen({ port, host: '127.0.0.1' })
  const running: Running[] = []
  const close = async () => {
    for (const one of running) await one.kill('SIGKILL')
    await api.close()
  }
  const tick = () => tickRollouts(api.deps)

  const scene = async (mode: AgentMode) => {
    const ann = await api.person()
    const projectId = await api.project({ ownerId: ann.id })
    // How busy this machine is makes no difference.
    await api.db.execute(`update projects set settings = settings || '{"health_thresholds": {}}' where id = '${projectId}'`)
    const maker = await createReleaseFixture(api, ann, projectId)
    const aDevice = async (name: string): Promise<AgentSetup> => {
      const body = { name, auto_accept: true }
      const made = await api.call(access.createEnrollmentToken, { projectId }, { as: ann, body })
      expect(made.status, made.text).toBe(201)
      const server = { url: api.config.urls.api, enrollmentToken: made.body.token }
      return setUpAgent(server, [maker.key.publicKey], { name, update_mode: mode })
    }
    const run = async (device: AgentSetup) => {
      const one = start(agent, ['--config', device.configPath, '--once'])
      running.push(one)
      return { code: await one.ended, output: one.output() }
    }
    /** With the waits of production, until it is killed. */
    const keepRunning = (device: AgentSetup) => {
      const one = start(agent, ['--config', device.configPath], null)
      running.push(one)
      return one
    }
    const readDevices = async () => (await api.call(devices, { projectId }, { as: ann, query: { sort: 'name' } })).body.devices
    /** The release that would start after the next boot, and the one in the device's state. */
    const runs = (device: AgentSetup) => {
      const { active } = mode === 'file' ? { active: null } : (JSON.parse(device.file('boot.json')) as { active: string })
      const { installed } = device.state()
      return [
        device.file(active === null ? 'opt/app.bin' : `slots/${active}/opt/app.bin`),
        installed?.version,
        installed?.confirmed,
      ]
    }
    const stopAfter = (device: AgentSetup, stop_after: 'none' | 'install') =>
      writeFileSync(device.configPath, JSON.stringify({ ...device.config, stop_after }))
    const wanted = (version: number) => ({
      version,
      bytes: Buffer.from(`version ${version}`),
      models: ['gw-imx8m'],
      displayVersion: `2.${version}.0`,
      reboot: 'after_install' as const,
    })
    const planOf = (rule = gate) => ({
      target: { everything: true },
      waves: [{ kind: 'percent' as const, value: 100, gate: rule }],
    })
    const preview = async (releaseId: string) =>
      (await api.call(rolloutPlans.previewRollout, { releaseId }, { as: ann, body: planOf() })).body
    const rollOut = async (releaseId: string, rule = gate, more: Pick<NewRollout, 'window'> = {}) => {
      const plan = { ...planOf(rule), ...more }
      const seen = await api.call(rolloutPlans.previewRollout, { releaseId }, { as: ann, body: planOf(rule) })
      const body = { ...plan, preview_hash: seen.body.preview_hash }
      const made = await api.call(rollouts.createRollout, { releaseId }, { as: ann, body })
      expect(made.status, made.text).toBe(201)
      const begun = await api.call(rolloutSteps.startRollout, { rolloutId: made.body.id }, { as: ann, body: {} })
      expect(begun.status, begun.text).toBe(200)
      return made.body.id
    }
    const shown = async (rolloutId: string) => {
      const { body } = await api.call(rollouts.rollout, { rolloutId }, { as: ann })
      return [body.state, body.with_failures, body.state_reason]
    }
    const rollBack = async (rolloutId: string) => {
      const seen = await api.call(previewRollBack, { rolloutId }, { as: ann })
      const body = { reason: 'It leaks memory' }
      const answer = await api.call(rolloutSteps.rollBackRollout, { rolloutId }, { as: ann, body })
      expect(answer.status, answer.text).toBe(200)
      return seen.body
    }
    const leftOut = async (rolloutId: string) => {
      const { body } = await api.call(rollouts.rolloutDevices, { rolloutId }, { as: ann, query: { group: 'left_out' } })
      return body.devices.map((one) => [one.device_name, one.state, one.reason])
    }
    const counts = async (rolloutId: string) => (await api.call(rollouts.rollout, { rolloutId }, { as: ann })).body.counts
    const retry = async (rolloutId: string) =>
      expect((await api.call(rolloutSteps.retryFailed, { rolloutId }, { as: ann })).status).toBe(200)
    const [first, second] = [await aDevice('first'), await aDevice('second')]
    for (const device of [first, second]) expect(await run(device)).toMatchObject({ code: 0 })
    const old = await maker.signed(wanted(1))
    await rollOut(old.id)
    for (const device of [first, second]) {
      const { code, output } = await run(device)
      expect(code, output).toBe(0)
      expect(runs(device)).toEqual(['version 1', 1, true])
    }
    await tick()
    return {
      ann,
      projectId,
      maker,
      first,
      second,
      run,
      keepRunning,
      readDevices,
      runs,
      stopAfter,
      wanted,
      preview,
      rollOut,
      leftOut,
      shown,
      rollBack,
      counts,
      retry,
    }
  }

  return { api, tick, scene, close }
}
