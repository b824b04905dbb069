import { enums, object, optional } from 'superstruct'
import { endpoint, type Needs } from '../core/endpoint'
import { integerParam } from '../core/rules'
import * as wire from './api'

const device: Needs = { kind: 'device' }

/** 201 for a new device, 200 for one that proved to be the same; 409 `serial_exists`, 403 `token_expired` or `token_used_up`. */
export const enroll = endpoint({
  method: 'POST',
  path: '/device/v1/enroll',
  summary: 'Enroll a device with an enrollment token. Only this answer contains its device token.',
  needs: { kind: 'enrollment' },
  audit: 'device.enroll',
  rate: 'device',
  body: wire.EnrollBody,
  answer: wire.EnrollAnswer,
  status: 201,
  mayExist: true,
})

export const checkIn = endpoint({
  method: 'POST',
  path: '/device/v1/check_in',
  summary: 'Check in: report the state of the device and get what it has to do.',
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
  summary: 'Get the signed manifest to install now, byte for byte as signed, or the reason why there is none.',
  needs: device,
  audit: 'none',
  rate: 'device',
  query: object({ version: optional(integerParam('Version', 0)), slot: optional(enums(wire.slots)) }),
  answer: 'bytes',
})

/** 200 the DSSE envelope, or 204 if no list above the counter is signed by a key that the device trusts. */
export const keyList = endpoint({
  method: 'GET',
  path: '/device/v1/key_list',
  summary: 'Get the newest key list above a counter that the device can verify with the keys it trusts now.',
  needs: device,
  audit: 'none',
  rate: 'device',
  query: object({ counter: integerParam('Counter', 0, wire.maxKeyListCounter) }),
  answer: 'bytes',
})

/** 200 or 206 with `ETag: "sha256-…"`, 416 beyond the end, 410 when the release is revoked. */
export const deviceAsset = endpoint({
  method: 'GET',
  path: '/device/v1/assets/:assetId',
  summary: 'Download one file of an offered release. Accepts Range.',
  needs: device,
  audit: 'none',
  rate: 'device',
  answer: 'bytes',
})

export const updateEvents = endpoint({
  method: 'POST',
  path: '/device/v1/update_events',
  summary: "Report update events in the device's own order. Each event counts once, even when sent twice.",
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
  summary: 'Replace the attributes of the device.',
  needs: device,
  audit: 'none',
  rate: 'device',
  body: wire.Attributes,
  answer: 'none',
})

export const patchAttributes = endpoint({
  method: 'PATCH',
  path: '/device/v1/attributes',
  summary: 'Merge attributes into those of the device.',
  needs: device,
  audit: 'none',
  rate: 'device',
  body: wire.Attributes,
  answer: 'none',
})

export const metrics = endpoint({
  method: 'POST',
  path: '/device/v1/metrics',
  summary: 'Send measured values, one by one or in columns. Values from the future or older than 7 days are dropped.',
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
  summary: 'Send log lines as NDJSON, 50 per second with bursts of 500.',
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
  summary: 'Report the result of a command.',
  needs: device,
  audit: 'none',
  rate: 'device',
  body: wire.CommandBody,
  answer: 'none',
})

export const rotateToken = endpoint({
  method: 'POST',
  path: '/device/v1/token/rotate',
  summary:
    'Rotate the device token. The old one stays valid for 24 hours, and until the first check-in with the new one; then it cannot be rotated again.',
  needs: device,
  audit: 'device.token_rotate',
  rate: 'device',
  answer: wire.TokenAnswer,
})
