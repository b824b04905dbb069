import type { Device } from './device'
import { readJson, Refused, send } from './server/http'
import { considerOffer } from './update/flow'
import type { Outcome } from './update/steps'

/**
 * The last resort while the server cannot be reached: an envelope from another place, judged by the same rules and the same
 * keys. That place is trusted with nothing: it gets no token, and its date moves no clock.
 */
export const tryFallback = async (device: Device, error: unknown): Promise<Outcome | null> => {
  const { config, line, store } = device
  if (config.fallback_manifest_url === undefined || error instanceof Refused || store.state.attempt) return null
  const url = new URL(config.fallback_manifest_url)
  const elsewhere = { ...line, origin: url.origin, token: () => null, onDate: () => {} }
  const envelope: unknown = await send(elsewhere, { method: 'GET', path: `${url.pathname}${url.search}` })
    .then(readJson)
    .catch(() => null)
  if (envelope === null) return null
  // An unchanged file at that place is not worth a report at every poll.
  if (JSON.stringify(envelope) === device.lastFallback) return null
  device.lastFallback = JSON.stringify(envelope)
  return considerOffer(device, envelope, null, url.origin)
}
