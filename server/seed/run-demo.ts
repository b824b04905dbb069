import type { Deps } from '../core/deps'
import { startFleet } from './simulated-fleet'
import { seedDemo } from './demo'
import type { Demo } from './demo-directory'
import { rollOutDemo } from './roll-out'

const DEVICES = 12

/**
 * The demo of this data directory: created on an empty database, found again at later starts, undefined if there is other data.
 */
export const openDemo = async (deps: Deps): Promise<Demo | undefined> =>
  deps.config.demo && deps.config.loopbackOnly ? seedDemo(deps) : undefined

/** Starts the devices of the demo, and rolls out to them once they have enrolled. Call the result to end both. */
export const runDemo = async (deps: Deps, demo: Demo): Promise<() => Promise<void>> => {
  const stopFleet = await startFleet(deps, demo, DEVICES)
  const closing = new AbortController()
  const rollingOut = rollOutDemo(deps, demo, DEVICES, closing.signal).catch((error: unknown) => {
    if (!closing.signal.aborted) deps.log.error(error, 'the demo could not be rolled out')
  })
  return async () => {
    closing.abort()
    await Promise.all([stopFleet(), rollingOut])
  }
}
