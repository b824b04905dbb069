import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import { startFleetProcess } from '../../core/fleet-process'
import { listKeys } from '../keys/repository'
import { devicesDirectoryOf, directoryOf, type Fleet, keysFileOf, listFleets, removeFleet, writeKeys } from './directory'
import { findFleet, isAlive } from './read'
import { hasProject } from './repository'

const EVERY_MS = 2000
/** The charts of a new fleet show a day. */
const BACKFILL_HOURS = 24
/** Short, so that a person who tries the product sees each step. */
const POLLING_INTERVAL_S = 60
const mostKeys = 200

type Running = { seed: string; stop: () => Promise<void> }
type Place = Pick<Deps, 'config' | 'db' | 'log' | 'clock'>

/** The keys that can sign releases of the project, as PEM. */
const readKeys = async (tx: Tx, projectId: string): Promise<string> => {
  const { rows } = await listKeys(tx, projectId, { limit: mostKeys })
  return rows
    .filter(({ state, purpose }) => (state === 'active' || state === 'retiring') && purpose !== 'secure_boot')
    .map(({ publicKeyPem }) => `${publicKeyPem.trim()}\n`)
    .join('')
}

const start = (deps: Place, projectId: string, fleet: Fleet) =>
  startFleetProcess(deps, join(directoryOf(deps, projectId), 'fleet.log'), {
    devices: [String(fleet.devices)],
    classes: [fleet.classes.join(',')],
    seed: [fleet.seed],
    backfill: [String(BACKFILL_HOURS)],
    'polling-interval': [String(POLLING_INTERVAL_S)],
    'enrollment-token': [fleet.enrollment_token],
    'keys-file': [keysFileOf(deps, projectId)],
    // A deleted device stays deleted, and comes back if a person restores it.
    'enroll-once': [],
    state: [devicesDirectoryOf(deps, projectId, fleet)],
  })

/**
 * Runs the fleets that the files of the data directory name, whoever wrote them: so a fleet goes on after a restart, and follows
 * the keys of its project. It stops when its last device was deleted or decommissioned, and its files go with the project.
 */
export const runSimulatedFleets = (deps: Place): (() => Promise<void>) => {
  const running = new Map<string, Running>()
  const closing = new AbortController()

  const stop = async (projectId: string) => {
    await running.get(projectId)?.stop()
    running.delete(projectId)
  }

  const follow = async (projectId: string) => {
    if (!(await hasProject(deps.db, projectId))) {
      await stop(projectId)
      return removeFleet(deps, projectId)
    }
    const found = await findFleet(deps.db, deps, projectId, deps.clock())
    const seed = found && isAlive(found) ? found.fleet.seed : undefined
    if (running.has(projectId) && running.get(projectId)?.seed !== seed) await stop(projectId)
    if (!found || seed === undefined) return undefined
    await writeKeys(deps, projectId, await readKeys(deps.db, projectId))
    if (!running.has(projectId) && !closing.signal.aborted)
      running.set(projectId, { seed, stop: await start(deps, projectId, found.fleet) })
    return undefined
  }

  const followAll = async () => {
    const projectIds = await listFleets(deps)
    for (const projectId of projectIds) await follow(projectId)
    for (const projectId of running.keys()) if (!projectIds.includes(projectId)) await stop(projectId)
  }

  const run = async () => {
    while (!closing.signal.aborted) {
      await followAll().catch((error: unknown) => deps.log.warn(error, 'the simulated devices could not be followed'))
      await pause(EVERY_MS, undefined, { signal: closing.signal }).catch(() => {})
    }
    await Promise.all([...running.keys()].map(stop))
  }
  const ended = run()

  return async () => {
    closing.abort()
    await ended
  }
}
