import type { Device } from './device'
import { readJson, Refused, send } from './api-client/http'
import { considerOffer } from './update/flow'
import type { Outcome } from './update/steps'

/**
 * Used while the server cannot be reached: an envelope from the fallback URL, checked by the same rules and keys. That host is
 * not trusted: it gets no token, and its dates do not move the clock.
 */
export const tryFallback = async (device: Device, error: unknown): Promise<Outcome | null> => {
  const { config, connection, store } = device
  if (config.fallback_manifest_url === undefined || error instanceof Refused || store.state.attempt) return null
  const url = new URL(config.fallback_manifest_url)
  const untrusted = { ...connection, origin: url.origin, token: () => null, onDate: () => {} }
  const envelope: unknown = await send(untrusted, { method: 'GET', path: `${url.pathname}${url.search}` })
    .then(readJson)
    .catch(() => null)
  if (envelope === null) return null
  // An unchanged envelope is not reported at every poll.
  if (JSON.stringify(envelope) === device.lastFallback) return null
  device.lastFallback = JSON.stringify(envelope)
  return considerOffer(device, envelope, null, url.origin)
}
