import { boolean, nullable, string, type } from 'superstruct'
import { endpoint, requires, onObject } from '../core/endpoint'
import { Timestamp } from '../core/shapes'

/** What a device that uses DDI has sent last; null until it has. */
export const DeviceReport = type({
  /** As it was sent, cut to 4,096 characters. */
  last_report: nullable(type({ text: string(), received_at: Timestamp })),
  attributes_received_at: nullable(Timestamp),
  /** Its next poll asks it for its attributes; within 60 s after the last ones, a later poll does. */
  attributes_asked: boolean(),
})

export const deviceReport = endpoint({
  method: 'GET',
  path: '/devices/:deviceId/report',
  summary: 'Get the last report of a device that uses DDI.',
  needs: requires(onObject('device', 'deviceId'), 'device:view'),
  audit: 'none',
  rate: 'read',
  answer: DeviceReport,
})
export const askForAttributes = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/report/ask',
  summary: 'Ask a device that uses DDI for its attributes at its next poll.',
  needs: requires(onObject('device', 'deviceId'), 'device:remote_command'),
  audit: 'device.command',
  rate: 'write',
  answer: DeviceReport,
})
