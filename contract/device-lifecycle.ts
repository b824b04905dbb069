import { enums, nullable, object, string, type } from 'superstruct'
import { Device } from './devices'
import { endpoint, requires, onObject } from './endpoint'
import { Timestamp } from './shapes'

const write = requires(onObject('device', 'deviceId'), 'project:manage_devices')

export const deleteDevice = endpoint({
  method: 'DELETE',
  path: '/devices/:deviceId',
  summary: 'Takes a device out; it can be restored for 30 days.',
  needs: write,
  audit: 'device.delete',
  rate: 'write',
  conditional: true,
  answer: 'none',
})

export const restoreDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/restore',
  summary: 'Bring back a device that was taken out, or make a rejected one pending again.',
  needs: write,
  audit: 'device.restore',
  rate: 'write',
  answer: Device,
})
export const acceptDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/accept',
  summary: 'Lets a pending device in.',
  needs: write,
  audit: 'device.accept',
  rate: 'write',
  answer: Device,
})
export const rejectDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/reject',
  summary: 'Refuse a pending device. Its calls get 403 until it is restored.',
  needs: write,
  audit: 'device.reject',
  rate: 'write',
  answer: Device,
})
export const disableDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/disable',
  summary: 'It may connect and gets nothing.',
  needs: write,
  audit: 'device.disable',
  rate: 'write',
  answer: Device,
})
export const enableDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/enable',
  summary: 'Undoes disable.',
  needs: write,
  audit: 'device.enable',
  rate: 'write',
  answer: Device,
})
export const decommissionDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/decommission',
  summary: 'Its token dies; the client stops.',
  needs: write,
  audit: 'device.decommission',
  rate: 'write',
  answer: Device,
})
export const clearQuarantine = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/clear_quarantine',
  summary: 'Lets a quarantined device try again.',
  needs: write,
  audit: 'device.clear_quarantine',
  rate: 'write',
  answer: Device,
})

/** How long the previous token stays valid, in seconds: a day to exchange it, or 0 when it was stolen. */
export const tokenOverlaps = [86_400, 0] as const

export const issueDeviceToken = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/token',
  summary: 'Issue a new device token. Only this answer contains it.',
  needs: write,
  audit: 'device.token_rotate',
  rate: 'write',
  body: object({ overlap_s: enums(tokenOverlaps) }),
  answer: type({ ...Device.schema, device_token: string(), former_token_until: nullable(Timestamp) }),
  status: 201,
})
