import { createEnrollmentToken } from '../../../contract/fleet/enrollment-tokens'
import type { DeviceEvent } from '../../../contract/device/api'
import {
  checkIn,
  commandResult,
  enroll,
  logs,
  metrics,
  putAttributes,
  update,
  updateEvents,
} from '../../../contract/device/endpoints'
import { sendCommand } from '../../../contract/fleet/device-commands'
import { createLogSummary } from '../../../contract/fleet/log-summaries'
import { previewRollout } from '../../../contract/updates/rollout-plans'
import { startRollout } from '../../../contract/updates/rollout-steps'
import { createRollout } from '../../../contract/updates/rollouts'
import { attributesHash, checkInBody, enrollBody, eventOf } from '../../support/devices'
import { call } from '../support/call'
import type { Hosts, Visitor } from '../support/hosts'

const minute = 60_000
const stampOf = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}+00:00`
/** Fails too rarely to be halted. */
const gate = { min_success_percent: 10, max_failure_percent: 90, min_sample: 4, soak_s: 0, then: 'continue' } as const
const plan = { target: { everything: true }, waves: [{ kind: 'percent' as const, value: 100, gate }] }
const attributes = { 'os.name': 'Debian GNU/Linux', 'os.version': '12', 'net.ip': '10.4.17.2', 'cpu.count': 4 }

/** Devices that report like normal clients, without an agent. */
export const openFleet = async ({ api }: Hosts, { token: as }: Visitor, projectId: string, trusted: string) => {
  const facts = { name: 'Field installation', auto_accept: true, max_uses: 100 }
  const { body: enrollment } = await call(api, createEnrollmentToken, { projectId }, { as, body: facts })

  const state = { trusted_keys: [trusted], attributes_hash: await attributesHash(attributes) }

  const add = async (name: string) => {
    const body = enrollBody({ name, hardware_model: 'gw-imx8m', trusted_keys: [trusted] })
    const { body: made } = await call(api, enroll, {}, { as: enrollment.token, body })
    const own = { as: made.device_token }
    await call(api, putAttributes, {}, { ...own, body: attributes })
    await call(api, checkIn, {}, { ...own, body: checkInBody(state) })
    return { id: made.device_id, token: made.device_token }
  }
  type Device = Awaited<ReturnType<typeof add>>

  /** Sends an hour of measurements. */
  const measure = async ({ token }: Device) => {
    const times = Array.from({ length: 60 }, (_, n) => Date.now() - (60 - n) * minute)
    const wave = (middle: number) => times.map((_, n) => middle + Math.round(10 * Math.sin(n / 6)))
    const series = { 'cpu.temperature_celsius': wave(62), 'cpu.usage_percent': wave(35), 'memory.used_percent': wave(48) }
    await call(api, metrics, {}, { as: token, body: { ts_ms: times, series } })
  }

  /** Conspicuous lines among normal ones, one of them longer than any screen. */
  const write = async ({ id, token }: Device) => {
    const said = [
      ['info', 'valved', 'Schedule 14 opened valve 3'],
      ['err', 'kernel', 'Out of memory: Killed process 412 (modemd) total-vm:91244kB'],
      ['warning', 'modemd', `Link to mast 7 lost, trying ${'again, '.repeat(30)}and once more`],
    ] as const
    const now = Date.now()
    const lines = Array.from({ length: 60 }, (_, n) => {
      const [level, unit, message] = said[n % 20 === 0 ? 1 : n % 7 === 0 ? 2 : 0]
      return { sequence: n + 1, ts_ms: now - (61 - n) * 1000, level, unit, message, boot_id: checkInBody().boot_id }
    })
    const answer = await fetch(`${api}${logs.path}`, {
      method: logs.method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    })
    if (answer.status !== logs.status) throw new Error(`Log lines: ${answer.status} ${await answer.text()}`)
    // A summary selects lines by their time of arrival.
    const span = { from: stampOf(now - 60 * minute), to: stampOf(now + 60 * minute) }
    await call(api, createLogSummary, { deviceId: id }, { as, body: span })
  }

  const rollOut = async (releaseId: string) => {
    const { body: seen } = await call(api, previewRollout, { releaseId }, { as, body: plan })
    const reason = 'One of them is pre-enrolled and has no key yet'
    const body = { ...plan, preview_hash: seen.preview_hash, override_reason: reason }
    const { body: made } = await call(api, createRollout, { releaseId }, { as, body })
    await call(api, startRollout, { rolloutId: made.id }, { as })
    return made.id
  }

  // Counts over all devices: the server drops a report with a number that the device has used.
  let sequence = 0
  /** Reports an update up to the last of these events, or until it fails. False if the device is offered none. */
  const install = async ({ token }: Device, ...said: (Partial<DeviceEvent> & Pick<DeviceEvent, 'type'>)[]): Promise<boolean> => {
    const { headers } = await call(api, update, {}, { as: token })
    const rollout_id = headers.get('x-rollout-id')
    if (rollout_id === null) return false
    const now = Date.now()
    const events = said.map((one, n) =>
      eventOf({ sequence: ++sequence, rollout_id, ts_ms: now - (said.length - n) * 4000, ...one }),
    )
    await call(api, updateEvents, {}, { as: token, body: { events } })
    return true
  }

  /** Sends commands to a device, which has run all but the last. */
  const command = async ({ id, token }: Device) => {
    const send = (name: 'send_logs' | 'collect_diagnostics') =>
      call(api, sendCommand, { deviceId: id }, { as, body: { command: name } })
    await send('send_logs')
    await send('collect_diagnostics')
    const { body } = await call(api, checkIn, {}, { as: token, body: checkInBody(state) })
    for (const { id: commandId } of body.commands) {
      const output = JSON.stringify({ uptime_s: 86_400, platform: 'linux/arm64' }, null, 2)
      await call(api, commandResult, { commandId }, { as: token, body: { state: 'done', output } })
    }
    await send('send_logs')
  }

  return { add, command, measure, write, rollOut, install }
}
