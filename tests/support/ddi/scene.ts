import { and, eq, isNull } from 'drizzle-orm'
import { expect } from 'vitest'
import { createEnrollmentToken } from '../../../contract/fleet/enrollment-tokens'
import { previewRollout } from '../../../contract/updates/rollout-plans'
import * as contract from '../../../contract/updates/rollouts'
import { startRollout } from '../../../contract/updates/rollout-steps'
import type { HardwareModel } from '../../../contract/fleet/hardware-models'
import { clientKinds, standardClient } from '../../../contract/ddi/model-client'
import type { ProjectSettings } from '../../../contract/accounts/projects'
import { getProjectSettings } from '../../../server/accounts/projects/plan-and-settings.repository'
import { projects } from '../../../server/accounts/schema/projects'
import { devices } from '../../../server/fleet/schema/devices'
import { rolloutDevices } from '../../../server/updates/schema/rollouts'
import { runBulkChanges } from '../../../server/updates/rollouts/run/bulk-changes'
import { tickRollouts } from '../../../server/updates/rollouts/tick'
import type { TestApi } from '../api'
import { createReleaseFixture } from '../release-fixture'

type Headers = Record<string, string>

/** A hardware model for each kind of client, named like it. */
const models: HardwareModel[] = clientKinds.map((kind) => ({
  id: kind,
  name: kind,
  platform: 'linux',
  slots: 'ab',
  client: { ...standardClient, kind },
}))

/** The User-Agent of each client; Zephyr sends none. */
const agents: Readonly<Record<string, Headers>> = {
  swupdate: { 'user-agent': 'libcurl-agent/1.0' },
  rauc: { 'user-agent': 'rauc-hawkbit-c-agent/1.0' },
}

const gate = { min_success_percent: 90, max_failure_percent: 10, min_sample: 3, soak_s: 60, then: 'continue' } as const

/** A project whose devices use DDI, and the requests that they send. */
export const createDdiScene = async (api: TestApi, more: Partial<ProjectSettings> = {}) => {
  const ines = await api.person()
  const projectId = await api.project({ ownerId: ines.id })
  const settings = await getProjectSettings(api.db, projectId)
  await api.db
    .update(projects)
    .set({ settings: { ...settings, hardware_models: models, auto_accept_devices: true, ...more } })
    .where(eq(projects.id, projectId))
  const setPollingS = async (polling_interval_s: number) => {
    const now = await getProjectSettings(api.db, projectId)
    await api.db
      .update(projects)
      .set({ settings: { ...now, polling_interval_s } })
      .where(eq(projects.id, projectId))
  }
  const maker = await createReleaseFixture(api, ines, projectId)

  const gateway = async (model = 'swupdate', more: { max_uses?: number; expires_at?: string; auto_accept?: boolean } = {}) => {
    const body = { name: `Gateway ${Math.random()}`, hardware_model: model, ...more }
    const made = await api.call(createEnrollmentToken, { projectId }, { as: ines, body })
    expect(made.status, made.text).toBe(201)
    return made.body
  }

  type Sent = { method?: 'GET' | 'HEAD' | 'POST' | 'PUT'; payload?: unknown; headers?: Headers; from?: string }
  const host = new URL(api.config.urls.api).host
  /** The answers so far. */
  const answered: { method: string; path: string; status: number }[] = []
  /** `url`: a link of an answer, or a path. */
  const send = async (authorization: string | undefined, url: string, { method = 'GET', payload, headers, from }: Sent = {}) => {
    const answer = await api.app.inject({
      method,
      url: url.replace(/^https?:\/\/[^/]+/, ''),
      ...(payload !== undefined && { payload: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
      ...(from !== undefined && { remoteAddress: from }),
      headers: {
        host,
        ...(authorization !== undefined && { authorization }),
        ...(payload !== undefined && { 'content-type': 'application/json;charset=UTF-8' }),
        ...headers,
      },
    })
    answered.push({ method, path: url.replace(/^https?:\/\/[^/]+|\?.*$/g, ''), status: answer.statusCode })
    return answer
  }

  const controller = (id: string, authorization: string, agent: Headers = agents.swupdate ?? {}) => {
    const at = `/DEFAULT/controller/v1/${id}`
    const call = (url: string, sent: Sent = {}) =>
      send(authorization, url.startsWith('/') || url.startsWith('http') ? url : `${at}/${url}`, {
        ...sent,
        headers: { ...agent, ...sent.headers },
      })
    const poll = async () => {
      const answer = await call(at)
      expect(answer.statusCode, answer.payload).toBe(200)
      const { _links, config } = answer.json()
      const action = /(?:deploymentBase|cancelAction)\/(\d+)(?:\?c=\d+)?$/.exec(
        (_links.cancelAction ?? _links.deploymentBase)?.href ?? '',
      )?.[1]
      return {
        answer,
        links: _links as Record<string, { href: string } | undefined>,
        sleep: config.polling.sleep as string,
        action: action ?? '',
      }
    }
    const feedback = (
      action: string,
      execution: string,
      { finished = 'none', details = [] as string[], kind = 'deploymentBase', time = '20260601T120000' } = {},
    ) =>
      call(`${kind}/${action}/feedback`, {
        method: 'POST',
        payload: { id: action, time, status: { execution, result: { finished }, details } },
      })
    const put = (data: Record<string, unknown>, mode?: string) =>
      call('configData', { method: 'PUT', payload: { ...(mode && { mode }), data } })
    const row = async () => {
      const [found] = await api.db
        .select()
        .from(devices)
        .where(and(eq(devices.serialNumber, id), isNull(devices.deletedAt)))
      if (!found) throw new Error(`no device ${id}`)
      return found
    }
    const update = async () => {
      const [found] = await api.db
        .select()
        .from(rolloutDevices)
        .where(eq(rolloutDevices.deviceId, (await row()).id))
      return found
    }
    return { id, at, call, poll, feedback, put, row, update }
  }
  type Controller = ReturnType<typeof controller>

  let serial = 0
  /** Devices of one model that have registered themselves with a gateway token. */
  const join = async (count: number, model = 'swupdate'): Promise<Controller[]> => {
    const { token } = await gateway(model)
    const joined: Controller[] = []
    for (let n = 0; n < count; n++) {
      const one = controller(`${model}-${++serial}`, `GatewayToken ${token}`, agents[model] ?? {})
      await one.poll()
      joined.push(one)
    }
    return joined
  }

  let version = 1
  const release = (
    bytes: Buffer,
    reboot: 'never' | 'after_install' = 'after_install',
    wanted = [...clientKinds],
    fileName = 'app.bin',
  ) => {
    version++
    return maker.signed({ version, bytes, models: wanted, displayVersion: `1.0.${version}`, reboot, fileName })
  }

  type Plan = { max_concurrent?: number; values?: number[] }
  const start = async (
    releaseId: string,
    among: readonly { row: () => Promise<{ id: string }> }[],
    { max_concurrent = 10_000, values = [100] }: Plan = {},
  ) => {
    const ids = await Promise.all(among.map(async (one) => (await one.row()).id))
    const waves = values.map((value) => ({ kind: 'percent' as const, value, gate }))
    const plan = { target: { device_ids: ids }, waves }
    const seen = await api.call(previewRollout, { releaseId }, { as: ines, body: plan })
    expect(seen.status, seen.text).toBe(200)
    const body = { ...plan, max_concurrent, preview_hash: seen.body.preview_hash }
    const made = await api.call(contract.createRollout, { releaseId }, { as: ines, body })
    expect(made.status, made.text).toBe(201)
    const begun = await api.call(startRollout, { rolloutId: made.body.id }, { as: ines, body: {} })
    expect(begun.status, begun.text).toBe(200)
    return begun.body.id
  }
  const rollout = async (rolloutId: string) => (await api.call(contract.rollout, { rolloutId }, { as: ines })).body
  /** What the jobs do for rollouts every two seconds. */
  const tick = async () => {
    await tickRollouts(api.deps)
    await runBulkChanges(api.deps)
  }

  return { api, ines, projectId, setPollingS, maker, gateway, send, answered, controller, join, release, start, rollout, tick }
}

export type DdiScene = Awaited<ReturnType<typeof createDdiScene>>
