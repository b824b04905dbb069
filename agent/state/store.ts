import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import {
  array,
  enums,
  type Infer,
  integer,
  is,
  nullable,
  number,
  object,
  optional,
  record,
  string,
  type,
  unknown,
} from 'superstruct'
import { DeviceEvent, Installed } from '../../contract/device/api'
import { updateModes } from '../../contract/device/config-fields'
import { failureCodes } from '../../contract/device/update-events'
import { writeAtomically } from '../core/files'

const phases = ['accepted', 'installing', 'rebooting', 'validating', 'rolling_back'] as const

// Fields that a newer agent has stored are kept: the release that fails may be that of the agent itself.

/** One running update. From this state the agent continues it or rolls it back after any crash or power cut. */
export const Attempt = type({
  rollout_id: nullable(string()),
  release_id: string(),
  version: integer(),
  envelope: unknown(),
  /** Where the files come from: the server, or the host of the fallback manifest. */
  origin: string(),
  phase: enums(phases),
  /** Completed steps that must not run again after a restart. */
  done: array(string()),
  /** Missing in the state of older agents, whose mode follows from the slot. */
  update_mode: optional(enums(updateModes)),
  slot: nullable(enums(['a', 'b'] as const)),
  /** Remaining starts before a pending release counts as failed. */
  attempts_left: integer(),
  /** The boot in which the restart was requested; missing before, and in the state of older agents. */
  boot_id: optional(string()),
  failure: nullable(object({ code: enums(failureCodes), message: string() })),
})
export type Attempt = Infer<typeof Attempt>

/** The result of a command that the server has not received. */
export const CommandResult = object({ id: string(), state: enums(['done', 'failed']), output: string() })
export type CommandResult = Infer<typeof CommandResult>

export const State = type({
  schema: enums([1]),
  /** The sequence number of the next event, and of the next log line. */
  next_event: integer(),
  next_log: integer(),
  /** Events that the server has not acknowledged. */
  events: array(DeviceEvent),
  attempt: nullable(Attempt),
  installed: nullable(Installed),
  /** The return list of the installed release; missing in the state of older agents. */
  may_return_to: optional(array(integer())),
  /** From the last trusted manifest. */
  project_id: nullable(string()),
  /** The server has moved the device to this project; counts for the identity that it had then. */
  moved: optional(nullable(object({ device_id: string(), project_id: string() }))),
  /** The counter of the last key list of each project that the device was moved from: none before it counts again. */
  key_list_counters: optional(record(string(), integer())),
  /** The latest signing time of a trusted manifest: the time is not before it. */
  signed_floor_ms: number(),
  /** The boot in which a release was rolled back that runs until the next one; missing if there was none. */
  failed_in_boot: optional(string()),
  /** The hash of the last manifest of the fallback URL that has failed on this device; missing if there was none. */
  failed_fallback: optional(string()),
  /** The rollback number in the hardware. */
  rollback_version: integer(),
  /** Commands to restart, with the boot in which they came: their results wait for another one. Missing if there are none. */
  restarts: optional(array(object({ id: string(), boot_id: string() }))),
  /** Missing if there are none. */
  command_results: optional(array(CommandResult)),
  /** The hash of the attributes that the server has. */
  attributes_hash: nullable(string()),
})
export type State = Infer<typeof State>

export const newState = (): State => ({
  schema: 1,
  next_event: 1,
  next_log: 1,
  events: [],
  attempt: null,
  installed: null,
  may_return_to: [],
  project_id: null,
  signed_floor_ms: 0,
  rollback_version: 0,
  attributes_hash: null,
})

/** Reports that the server would refuse. All of the state must not be lost for one of them. */
const withoutMalformedEvents = (value: unknown): unknown =>
  is(value, type({ events: array(unknown()) }))
    ? { ...value, events: value.events.filter((event) => is(event, DeviceEvent)) }
    : value

/**
 * What the installed release has left behind, in a file of its own that changes only with a confirmation: a device whose state was lost
 * would report that nothing is installed, and take older releases.
 */
const InstalledRecord = type({
  installed: nullable(Installed),
  may_return_to: optional(array(integer())),
  project_id: nullable(string()),
  rollback_version: integer(),
})
type InstalledRecord = Infer<typeof InstalledRecord>

const recordOf = ({ installed, may_return_to, project_id, rollback_version }: State): InstalledRecord => ({
  installed,
  ...(may_return_to && { may_return_to }),
  project_id,
  rollback_version,
})

const readRecord = (path: string): Partial<InstalledRecord> => {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return is(value, InstalledRecord) ? recordOf({ ...newState(), ...value }) : {}
  } catch {
    return {}
  }
}

const read = (path: string, recordPath: string): State => {
  if (!existsSync(path)) return { ...newState(), ...readRecord(recordPath) }
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    const state = withoutMalformedEvents(value)
    if (is(state, State)) return state
  } catch {
    // Not JSON: moved aside like JSON that does not match the struct.
  }
  renameSync(path, `${path}.unreadable`)
  throw new Error(`${path} cannot be read; it was moved aside as ${path}.unreadable. Restart to begin with a new state`)
}

export type Store = { readonly state: Readonly<State>; change: (changes: Partial<State>) => void }

/**
 * The agent's state: one file, replaced by one rename. A step and its report are written together, so a kill at any moment
 * leaves both or neither.
 */
export const openStore = (directory: string): Store => {
  const path = join(directory, 'state.json')
  const recordPath = join(directory, 'installed.json')
  let state = read(path, recordPath)
  const keepRecord = () => {
    const record = JSON.stringify(recordOf(state))
    try {
      if (state.installed && (!existsSync(recordPath) || readFileSync(recordPath, 'utf8') !== record))
        writeAtomically(recordPath, record)
    } catch {
      // A full disk: the next start writes it.
    }
  }
  keepRecord()
  return {
    get state() {
      return state
    },
    change: (changes) => {
      const next = { ...state, ...changes }
      writeAtomically(path, JSON.stringify(next))
      state = next
      if (changes.installed !== undefined) keepRecord()
    },
  }
}
