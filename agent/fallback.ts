import type { Device } from './device'
import { readJson, Refused, send, untrusted } from './api-client/http'
import { backoff } from './core/wait'
import { considerOffer, resume } from './update/flow'
import { hashOfEnvelope, type Outcome } from './update/steps'

/** Each attempt is reported, and the reports wait for the server. */
const longestPauseMs = 3_600_000

/** Used while the server cannot be reached: an envelope from the fallback URL, checked by the same rules and keys. */
export const tryFallback = async (device: Device, error: unknown): Promise<Outcome | null> => {
  const { config, connection, store } = device
  if (config.fallback_manifest_url === undefined || error instanceof Refused) return null
  const { attempt } = store.state
  // Interrupted during its download; the server, which is away, knows nothing of it.
  if (attempt) return attempt.phase === 'accepted' && attempt.origin !== config.server_url ? resume(device) : null
  const url = new URL(config.fallback_manifest_url)
  const envelope: unknown = await send(untrusted(connection, url.origin), { method: 'GET', path: `${url.pathname}${url.search}` })
    .then(readJson)
    .catch(() => null)
  if (envelope === null) return null
  const hash = hashOfEnvelope(envelope)
  const last = device.lastFallback?.hash === hash ? device.lastFallback : { failures: 0, retryAtMs: 0 }
  // An unchanged envelope is not reported at every poll.
  if (performance.now() < last.retryAtMs || hash === store.state.failed_fallback) return null
  const outcome = await considerOffer(device, envelope, null, url.origin)
  const failures = last.failures + 1
  const retryAtMs = outcome === 'failed' ? performance.now() + backoff(failures, 1000, longestPauseMs) : Infinity
  device.lastFallback = { hash, failures, retryAtMs }
  return outcome
}
