import type { PublicKey } from '../../contract/device/public-key'
import { generateSigningKey } from '../../contract/device/private-key'
import type { DeviceProfile } from '../simulate/classes'
import { openMemory } from '../simulate/memory'
import type { FleetOptions } from '../simulate/options'
import { type SimulatedDevice, simulatedDevice } from '../simulate/simulated-device'
import { newState } from '../state/store'

/** Options of a fleet that measures and logs next to nothing, and whose updates succeed at once. */
export const quietFleet = (server: string, token: string, keys: readonly PublicKey[]): FleetOptions => ({
  server,
  tokenFor: () => token,
  keys,
  seed: 'quiet',
  speed: 600,
  fastestPollMs: 10_000,
  secureBootFile: () => undefined,
  outcome: 'success',
  backfillHours: 0,
  metricsIntervalS: 3600,
  logFactor: 0,
  limitDownloads: (work) => work(),
  limitBackfill: (work) => work(),
  recordIncident: () => {},
  recordAnswer: () => {},
  recordHostile: () => {},
  enrollOnce: false,
  pollingIntervalS: undefined,
  incidentsPerDay: 0,
})

/** A simulated device in this process, with the memory of that path if there is one. */
export const openSimulatedDevice = async (
  profile: DeviceProfile,
  path: string,
  options: FleetOptions,
  stopping: AbortSignal,
): Promise<SimulatedDevice> => {
  const { privateKeyPem } = await generateSigningKey('ed25519')
  const memory = openMemory(path, () => ({
    schema: 1,
    state: newState(),
    identity: null,
    private_key: privateKeyPem,
    born_ms: Date.now(),
  }))
  return simulatedDevice(profile, memory, options, stopping)
}
