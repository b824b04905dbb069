import { is } from 'superstruct'
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
  TokenAnswer,
  UpdateEventsAnswer,
} from '../../contract/device/api'
import * as calls from '../../contract/device/endpoints'
import { pathOf } from '../../contract/core/endpoint'
import { Id } from '../../contract/core/shapes'
import { clampSeconds, pollBounds } from '../core/wait'
import { sendRequest, type Connection, readAnswer, readJson, send, sendReport } from './http'

export type Offer = { envelope: unknown; rolloutId: string | null }
export type NoOffer = { reason: string; pollIntervalS: number | null }

const seconds = (text: string | null) => (text !== null && /^-?\d+$/.test(text) ? Number(text) : null)

type Polled = { polling_interval_s: number }

/** The device API, one function per endpoint. */
export const deviceApi = (connection: Connection) => {
  const bounded = (interval: number) => clampSeconds(interval, connection.bounds ?? pollBounds)
  const inBounds = <T extends Polled>(answer: T): T => ({ ...answer, polling_interval_s: bounded(answer.polling_interval_s) })
  return {
    enroll: async (token: string, body: EnrollBody) =>
      inBounds(await sendRequest(connection, { ...calls.enroll, token, json: body }, EnrollAnswer)),
    checkIn: async (body: CheckInBody, signal?: AbortSignal) =>
      inBounds(await sendRequest(connection, { ...calls.checkIn, json: body, signal }, CheckInAnswer)),
    update: async (version: number | null, slot: string | null, signal?: AbortSignal): Promise<Offer | NoOffer> => {
      const query = new URLSearchParams({
        ...(version === null ? {} : { version: String(version) }),
        ...(slot === null ? {} : { slot }),
      })
      const response = await send(connection, { method: 'GET', path: `${calls.update.path}?${query}`, signal })
      if (response.status === 204) {
        const interval = seconds(response.headers.get('x-poll-interval'))
        return {
          reason: response.headers.get('x-reason') ?? 'unknown',
          pollIntervalS: interval === null ? null : bounded(interval),
        }
      }
      const rolloutId = response.headers.get('x-rollout-id')
      return { envelope: await readAnswer(response, calls.update.path), rolloutId: is(rolloutId, Id) ? rolloutId : null }
    },
    /** The envelope of the next key list, or null. */
    keyList: async (counter: number, signal?: AbortSignal): Promise<unknown> => {
      const response = await send(connection, { method: 'GET', path: `${calls.keyList.path}?counter=${counter}`, signal })
      return response.status === 204 ? null : readJson(response).catch(() => ({}))
    },
    report: (events: DeviceEvent[], signal?: AbortSignal) =>
      sendRequest(connection, { ...calls.updateEvents, json: { events }, signal }, UpdateEventsAnswer),
    rotateToken: (signal?: AbortSignal) => sendRequest(connection, { ...calls.rotateToken, signal }, TokenAnswer),
    attributes: (map: Attributes) => sendReport(connection, { ...calls.putAttributes, json: map }),
    metrics: (points: MetricPoint[]) => sendRequest(connection, { ...calls.metrics, json: { points } }, MetricsAnswer),
    logs: (lines: readonly LogLine[]) =>
      sendRequest(connection, { ...calls.logs, text: lines.map((entry) => `${JSON.stringify(entry)}\n`).join('') }, LogsAnswer),
    command: (commandId: string, body: CommandBody) =>
      sendReport(connection, { method: 'POST', path: pathOf(calls.commandResult.path, { commandId }), json: body }),
  }
}
export type DeviceApi = ReturnType<typeof deviceApi>
