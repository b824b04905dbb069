export type DeviceCredentials = {
  projectId: string
  id: string
  name: string
  hardwareModel: string
  pollingIntervalS: number | null
  token: string
}

let held: DeviceCredentials | undefined

/**
 * A device token on its way from the page that has just got it to the config generator: in memory alone, never in an address, in
 * the history or in storage. A reload forgets it; a device can be given a new one.
 */
export const holdCredentials = (credentials: DeviceCredentials): void => void (held = credentials)
export const heldCredentials = (projectId: string): DeviceCredentials | undefined =>
  held?.projectId === projectId ? held : undefined
export const dropCredentials = (): void => void (held = undefined)
