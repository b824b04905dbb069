import { createHash } from 'node:crypto'
import { is } from 'superstruct'
import { Counted, Feedback } from '../../contract/ddi/api'
import { clientOfAgent, type Meaning, type Report } from '../../contract/ddi/feedback'
import type { ProjectSettings } from '../../contract/accounts/projects'
import type { Tx } from '../core/database/tx'
import { refuse } from '../core/http/refuse'
import { parseUntrusted } from '../core/http/untrusted-json'
import type { DeviceRow } from '../fleet/devices/repository'
import { findLogFeed } from '../fleet/logs/repository'
import { storeLogs } from '../fleet/logs/store-logs'
import { storeEvents } from '../updates/device-updates/store-events'
import type { Action } from './actions.repository'

const most = { lines: 64, characters: 65_536, message: 1024, line: 4096 } as const

const utf8 = new TextDecoder('utf-8')

const cutDetails = (details: unknown): string[] => {
  const lines = typeof details === 'string' ? [details] : Array.isArray(details) ? details : []
  let left: number = most.characters
  return lines.slice(0, most.lines).flatMap((value: unknown) => {
    const line = typeof value === 'string' ? value.slice(0, Math.max(0, left)).replaceAll('\0', '') : ''
    left -= line.length
    return line === '' ? [] : [line]
  })
}

const percentOf = (progress: unknown): number | null => {
  const value = is(progress, Counted) && progress.of > 0 ? (100 * progress.cnt) / progress.of : progress
  return typeof value === 'number' && value >= 0 && value <= 100 ? value : null
}

const toReport = ({ status: { execution, result, details } }: Feedback): Report => ({
  execution,
  finished: result?.finished ?? 'none',
  progress: percentOf(result?.progress),
  details: cutDetails(details),
})

/** White space between two signs of JSON has so many characters at most. */
const mostSpace = 64

/** The place of the next character that is no white space. */
const skipSpace = (text: string, at: number): number => {
  const near = text.slice(at, at + mostSpace)
  return at + near.length - near.trimStart().length
}

/** The places of the values after `"name" :`, in one pass: the time of an expression would grow with the square of the body. */
function* valuesAfter(text: string, name: string): Generator<number> {
  const key = `"${name}"`
  for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + key.length)) {
    const colon = skipSpace(text, at + key.length)
    if (text[colon] === ':') yield skipSpace(text, colon + 1)
  }
}

const wordAfter = (text: string, name: string): string | undefined => {
  for (const at of valuesAfter(text, name)) {
    const [, word] = /^"(\w{1,64})"/.exec(text.slice(at, at + 66)) ?? []
    if (word !== undefined) return word
  }
  return undefined
}

/** Lines between quotes, of which a line may have more inside: only a comma alone separates two of them. */
const splitLines = (list: string): string[] => {
  const parts = list.split('"')
  const lines = [parts[0] ?? '']
  for (let n = 1; n < parts.length; n++) {
    const isComma = parts[n]?.trim() === ',' && n + 1 < parts.length
    if (isComma) lines.push(parts[++n] ?? '')
    else lines.push(`${lines.pop() ?? ''}"${parts[n] ?? ''}`)
  }
  return lines.map((line) => line.trim().replace(/^"/, '').replace(/"$/, ''))
}

/** The lines between the first brackets after `"details" :` that a comma or the end of an object follows. */
const detailsIn = (text: string): string[] => {
  for (const at of valuesAfter(text, 'details'))
    if (text[at] === '[') {
      for (let end = text.indexOf(']', at); end >= 0; end = text.indexOf(']', end + 1))
        if ([',', '}'].includes(text[skipSpace(text, end + 1)] ?? '')) return splitLines(text.slice(at + 1, end))
      return []
    }
  return []
}

/** SWUpdate does not escape the quotes in its error lines: the facts that decide are found by their form. */
const readBroken = (text: string): Report | null => {
  const status = { execution: wordAfter(text, 'execution'), result: { finished: wordAfter(text, 'finished') ?? 'none' } }
  const feedback: unknown = { status }
  if (!is(feedback, Feedback)) return null
  return { ...toReport(feedback), details: cutDetails(detailsIn(text)) }
}

/** The report of a client, also in broken JSON; 400 if it says nothing. */
export const readReport = (body: Buffer): Report => {
  const text = utf8.decode(body)
  const value = parseUntrusted(text)
  const report = is(value, Feedback) ? toReport(value) : value === undefined ? readBroken(text) : null
  return report ?? refuse(400, 'malformed', { message: 'The feedback has no known execution' })
}

/** An id that the same report gets again, so that a repetition counts once. */
const eventIdOf = (...facts: (string | number | Buffer)[]): string => {
  const hash = createHash('sha256')
  for (const fact of facts) hash.update(typeof fact === 'number' ? String(fact) : fact).update('\0')
  const hex = hash.digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

type Told = {
  action: Action
  /** Distinguishes this report from others of the action. */
  body: string | Buffer
  details?: readonly string[]
  bootId?: string | null
}

/** Stores what a report means, in the order of arrival: DDI numbers nothing, and the time of a device is not trusted. */
export const storeMeanings = async (
  tx: Tx,
  device: DeviceRow,
  settings: ProjectSettings,
  meanings: readonly Meaning[],
  { action: { action, release }, body, details = [], bootId }: Told,
  now: Date,
): Promise<void> => {
  if (meanings.length === 0) return
  const message = details.join('\n').slice(0, most.message)
  const events = meanings.map((meaning, n) => ({
    ...meaning,
    // Not by its place: the first report of an action also accepts it.
    event_id: eventIdOf(action.deviceId, action.id, meaning.type, meaning.progress_percent ?? '', body),
    sequence: device.eventSequence + 1 + n,
    rollout_id: action.rolloutId,
    release_id: release.id,
    version: release.version,
    ts_ms: now.getTime(),
    ...(message !== '' && n === meanings.length - 1 && { message }),
    ...(bootId != null && { boot_id: bootId }),
  }))
  await storeEvents(tx, device, settings, events, now)
}

const unknownBoot = '00000000-0000-0000-0000-000000000000'
const level = { error: 3, info: 6 } as const

/** Adds the lines of a report to the log of the device. */
export const logDetails = async (
  tx: Tx,
  device: DeviceRow,
  { details, finished }: Report,
  agent: string | undefined,
  now: Date,
): Promise<void> => {
  const lines = details
    .flatMap((detail) => detail.split('\n'))
    .filter((line) => line.trim() !== '')
    .slice(0, most.lines)
    .map((line, n) => ({
      // The number of the last event increases with each report that is logged.
      sequence: (device.eventSequence + 1) * most.lines + n,
      tsMs: now.getTime(),
      level: finished === 'failure' ? level.error : level.info,
      unit: clientOfAgent(agent),
      pid: null,
      bootId: device.bootId ?? unknownBoot,
      message: line.slice(0, most.line),
      fields: {},
    }))
  if (lines.length === 0) return
  const dropped = { too_long: 0, malformed: 0 }
  const feed = (await findLogFeed(tx, device.id)) ?? null
  await storeLogs(tx, { projectId: device.projectId, deviceId: device.id }, feed, { lines, dropped, count: lines.length }, now)
}
