import { array, type Infer, integer, nullable, string, type } from 'superstruct'
import { endpoint, onObject, requires } from '../../core/endpoint'
import { Id, Timestamp } from '../../core/shapes'

const NamedBundle = type({ id: Id, name: string(), version: integer(), state: string(), rollback_version: integer() })
/** A difference between what a device reports and what its bundle, or the bundle in use for its model, says. */
export const SecureBootDrift = type({
  field: string(),
  reported: nullable(string()),
  expected: nullable(string()),
  text: string(),
})
export type SecureBootDrift = Infer<typeof SecureBootDrift>

export const DeviceSecureBoot = type({
  state: string(),
  rollback_version: nullable(integer()),
  bundle_id: nullable(string()),
  key_hash: nullable(string()),
  /** The bundle that the device reports, if it is one of the project. */
  bundle: nullable(NamedBundle),
  /** The newest bundle in use for the model of the device. */
  expected: nullable(NamedBundle),
  drift: array(SecureBootDrift),
})
export type DeviceSecureBoot = Infer<typeof DeviceSecureBoot>

export const deviceSecureBoot = endpoint({
  method: 'GET',
  path: '/devices/:deviceId/secure_boot',
  summary: 'Get what a device reports about its secure boot, and how that differs from its bundle.',
  needs: requires(onObject('device', 'deviceId'), 'device:view'),
  audit: 'none',
  rate: 'read',
  answer: DeviceSecureBoot,
})

/** How many of the devices of a bundle are named. */
export const maxBundleDevices = 100
export const bundleDevices = endpoint({
  method: 'GET',
  path: '/artifact_bundles/:bundleId/devices',
  summary: 'List the first devices that report a bundle, by name, with their differences from it.',
  needs: requires(onObject('artifact_bundle', 'bundleId'), 'device:view'),
  audit: 'none',
  rate: 'read',
  answer: type({
    total: integer(),
    devices: array(
      type({
        id: Id,
        name: string(),
        state: string(),
        rollback_version: nullable(integer()),
        last_seen_at: nullable(Timestamp),
        drift: array(SecureBootDrift),
      }),
    ),
  }),
})
