import { boolean, enums, nullable, object, optional, string, type } from 'superstruct'
import { Device, tokenForms } from './devices'
import { endpoint, requires, onObject } from '../core/endpoint'
import { Id, Timestamp } from '../core/shapes'

const write = requires(onObject('device', 'deviceId'), 'project:manage_devices')

export const deleteDevice = endpoint({
  method: 'DELETE',
  path: '/devices/:deviceId',
  summary: 'Delete a device. It can be restored for 30 days.',
  needs: write,
  audit: 'device.delete',
  rate: 'write',
  conditional: true,
  answer: 'none',
})

export const restoreDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/restore',
  summary: 'Restore a deleted device, or make a rejected one pending again.',
  needs: write,
  audit: 'device.restore',
  rate: 'write',
  answer: Device,
})
export const acceptDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/accept',
  summary: 'Accept a pending device.',
  needs: write,
  audit: 'device.accept',
  rate: 'write',
  answer: Device,
})
export const rejectDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/reject',
  summary: 'Reject a pending device. Its calls get 403 until it is restored.',
  needs: write,
  audit: 'device.reject',
  rate: 'write',
  answer: Device,
})
export const disableDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/disable',
  summary: 'Disable a device. It can still connect but gets no updates.',
  needs: write,
  audit: 'device.disable',
  rate: 'write',
  answer: Device,
})
export const enableDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/enable',
  summary: 'Enable a disabled device.',
  needs: write,
  audit: 'device.enable',
  rate: 'write',
  answer: Device,
})
export const decommissionDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/decommission',
  summary: 'Decommission a device. Its token is revoked and its client stops.',
  needs: write,
  audit: 'device.decommission',
  rate: 'write',
  answer: Device,
})
export const clearQuarantine = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/clear_quarantine',
  summary: 'End the quarantine of a device, so that it is offered the release again.',
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
  tokens: false,
  audit: 'device.token_rotate',
  rate: 'write',
  body: object({ overlap_s: enums(tokenOverlaps), form: optional(enums(tokenForms)) }),
  answer: type({ ...Device.schema, device_token: string(), former_token_until: nullable(Timestamp) }),
  status: 201,
})

export const moveDevice = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/move',
  summary:
    'Move a device to another project in which the caller may manage devices. It keeps its token and gets a new id; its history stays, and returns when it is moved back within 30 days. 403 to another owner, or out of a project that requires approval to one that does not, without `project:manage_members` in its own. 409 `key_mismatch` if it trusts no key of that project.',
  needs: write,
  audit: 'device.move',
  rate: 'write',
  conditional: true,
  body: object({
    project_id: Id,
    /** Move it although it refuses every release of that project until it trusts one of its keys. */
    without_trusted_key: optional(boolean()),
  }),
  answer: Device,
})
