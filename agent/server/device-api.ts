import {
  type Attributes,
  CheckInAnswer,
  type CheckInBody,
  type CommandBody,
  type DeviceEvent,
  EnrollAnswer,
  type EnrollBody,
  LogsAnswer,
  type LogLine,
  type MetricPoint,
  MetricsAnswer,
  UpdateEventsAnswer,
} from '../../contract/device/api'
import * as calls from '../../contract/device/endpoints'
import { pathOf } from '../../contract/endpoint'
import { ask, type Line, send } from './http'

export type Offer = { envelope: unknown; rolloutId: string | null }
export type NoOffer = { reason: string; pollIntervalS: number | null }

const seconds = (text: string | null) => (text !== null && /^\d{1,7}$/.test(text) ? Number(text) : null)

/** The device API, call by call (product.md 5.2). */
export const deviceApi = (line: Line) => ({
  enroll: (token: string, body: EnrollBody) => ask(line, { ...calls.enroll, token, json: body }, EnrollAnswer),
  checkIn: (body: CheckInBody, signal?: AbortSignal) => ask(line, { ...calls.checkIn, json: body, signal }, CheckInAnswer),
  update: async (version: number | null, slot: string | null, signal?: AbortSignal): Promise<Offer | NoOffer> => {
    const query = new URLSearchParams({
      ...(version === null ? {} : { version: String(version) }),
      ...(slot === null ? {} : { slot }),
    })
    const response = await send(line, { method: 'GET', path: `${calls.update.path}?${query}`, signal })
    if (response.status === 204)
      return {
        reason: response.headers.get('x-reason') ?? 'unknown',
        pollIntervalS: seconds(response.headers.get('x-poll-interval')),
      }
    const envelope: unknown = await response.json().catch(() => null)
    return { envelope, rolloutId: response.headers.get('x-rollout-id') }
  },
  report: (events: DeviceEvent[], signal?: AbortSignal) =>
    ask(line, { ...calls.updateEvents, json: { events }, signal }, UpdateEventsAnswer),
  attributes: async (map: Attributes) => void (await send(line, { ...calls.putAttributes, json: map })),
  metrics: (points: MetricPoint[]) => ask(line, { ...calls.metrics, json: { points } }, MetricsAnswer),
  logs: (lines: readonly LogLine[]) =>
    ask(line, { ...calls.logs, text: lines.map((entry) => `${JSON.stringify(entry)}\n`).join('') }, LogsAnswer),
  command: async (commandId: string, body: CommandBody) =>
    void (await send(line, { method: 'POST', path: pathOf(calls.commandResult.path, { commandId }), json: body })),
})
export type DeviceApi = ReturnType<typeof deviceApi>
