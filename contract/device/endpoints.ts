import { enums, object, optional } from 'superstruct'
import { endpoint, type Needs } from '../endpoint'
import { wholeParam } from '../rules'
import * as wire from './api'

const device: Needs = { kind: 'device' }

/** 201 for a new device, 200 for one that proved to be the same; 409 `serial_exists`, 403 `token_expired` or `token_used_up`. */
export const enroll = endpoint({
  method: 'POST',
  path: '/device/v1/enroll',
  summary: 'A device introduces itself with an enrollment token and gets its own; that stands in this answer only.',
  needs: { kind: 'enrollment' },
  audit: 'device.enroll',
  rate: 'device',
  body: wire.EnrollBody,
  answer: wire.EnrollAnswer,
  status: 201,
})

export const checkIn = endpoint({
  method: 'POST',
  path: '/device/v1/check_in',
  summary: 'A sign of life: what runs, and what there is to do.',
  needs: device,
  audit: 'none',
  rate: 'device',
  body: wire.CheckInBody,
  answer: wire.CheckInAnswer,
})

/** 200 the DSSE envelope with `X-Rollout-Id`, or 204 with `X-Reason` and `X-Poll-Interval`; 403 `decommissioned`. */
export const update = endpoint({
  method: 'GET',
  path: '/device/v1/update',
  summary: 'The signed manifest to install now, byte for byte as it was signed, or why there is none.',
  needs: device,
  audit: 'none',
  rate: 'device',
  query: object({ version: optional(wholeParam('Version', 0)), slot: optional(enums(wire.slots)) }),
  answer: 'bytes',
})

/** 200 or 206 with `ETag: "sha256-…"`, 416 beyond the end, 410 when the release is revoked. */
export const deviceAsset = endpoint({
  method: 'GET',
  path: '/device/v1/assets/:assetId',
  summary: 'The bytes of one file of an offered release; takes Range.',
  needs: device,
  audit: 'none',
  rate: 'device',
  answer: 'bytes',
})

export const updateEvents = endpoint({
  method: 'POST',
  path: '/device/v1/update_events',
  summary: 'What the device did, in its own order; sending an event twice counts once.',
  needs: device,
  audit: 'none',
  rate: 'device',
  body: wire.UpdateEventsBody,
  longBody: true,
  answer: wire.UpdateEventsAnswer,
})

export const putAttributes = endpoint({
  method: 'PUT',
  path: '/device/v1/attributes',
  summary: 'Replaces the slow facts of the device.',
  needs: device,
  audit: 'none',
  rate: 'device',
  body: wire.Attributes,
  answer: 'none',
})

export const patchAttributes = endpoint({
  method: 'PATCH',
  path: '/device/v1/attributes',
  summary: 'Merges into the slow facts of the device.',
  needs: device,
  audit: 'none',
  rate: 'device',
  body: wire.Attributes,
  answer: 'none',
})

export const metrics = endpoint({
  method: 'POST',
  path: '/device/v1/metrics',
  summary: 'Measured values, one by one or in columns; what lies in the future or is older than 7 days is dropped.',
  needs: device,
  audit: 'none',
  rate: 'device',
  needsSpace: true,
  body: wire.MetricsBody,
  longBody: true,
  answer: wire.MetricsAnswer,
  status: 202,
})

/**
 * One `LogLine` per line of at most 8 KiB, at most 1000 lines; a malformed line is dropped and counted, the others are kept.
 * Bytes that are not UTF-8 become U+FFFD; control characters and direction marks are stored as visible escapes.
 */
export const logs = endpoint({
  method: 'POST',
  path: '/device/v1/logs',
  summary: 'Log lines as NDJSON, 50 a second with bursts of 500.',
  needs: device,
  audit: 'none',
  rate: 'device',
  needsSpace: true,
  accepts: 'ndjson',
  longBody: true,
  answer: wire.LogsAnswer,
  status: 202,
})

export const commandResult = endpoint({
  method: 'POST',
  path: '/device/v1/commands/:commandId',
  summary: 'What became of a command.',
  needs: device,
  audit: 'none',
  rate: 'device',
  body: wire.CommandBody,
  answer: 'none',
})

export const rotateToken = endpoint({
  method: 'POST',
  path: '/device/v1/token/rotate',
  summary: 'A new device token; the old one lives on for 24 hours and cannot be rotated again.',
  needs: device,
  audit: 'device.token_rotate',
  rate: 'device',
  answer: wire.TokenAnswer,
})
