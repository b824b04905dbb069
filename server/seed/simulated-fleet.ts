import { join } from 'node:path'
import type { Deps } from '../core/deps'
import { startFleetProcess } from '../core/fleet-process'
import type { Demo } from './demo-directory'

/** The charts of a new demo show a day. */
const BACKFILL_HOURS = 24

/** Starts the simulated devices of the demo. Call the result to stop them. */
export const startFleet = (deps: Pick<Deps, 'config' | 'log'>, { fleet }: Demo, devices: number) =>
  startFleetProcess(deps, join(fleet.stateDirectory, '../fleet.log'), {
    devices: [String(devices)],
    backfill: [String(BACKFILL_HOURS)],
    'enrollment-token': [fleet.enrollmentToken],
    'public-key': [fleet.publicKeyPath],
    classes: [fleet.classes.join(',')],
    state: [fleet.stateDirectory],
    ...(fleet.installed.length > 0 && { installed: fleet.installed }),
  })
