import type { Protocol } from '../../contract/ddi/confirm'

export type DeviceCredentials = {
  projectId: string
  id: string
  name: string
  hardwareModel: string
  protocol: Protocol
  pollingIntervalS: number | null
  token: string
}

let held: DeviceCredentials | undefined

/**
 * Passes a new device token to the config generator: in memory only, never in a URL, in the history or in storage. A reload
 * drops it; a device can get a new one.
 */
export const holdCredentials = (credentials: DeviceCredentials): void => void (held = credentials)
export const heldCredentials = (projectId: string): DeviceCredentials | undefined =>
  held?.projectId === projectId ? held : undefined
export const dropCredentials = (): void => void (held = undefined)
