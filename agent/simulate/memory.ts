import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { enums, type Infer, integer, is, nullable, object, optional, string } from 'superstruct'
import { KeyListPayload } from '../../contract/device/key-list'
import { Identity } from '../state/identity'
import { State, type Store } from '../state/store'
import { BackfillPosition } from './backfill'

/** The state of one simulated device between runs of the fleet. */
const Memory = object({
  schema: enums([1]),
  state: State,
  identity: nullable(Identity),
  private_key: string(),
  born_ms: integer(),
  /** Missing in the memory of older fleets. */
  key_list: optional(nullable(KeyListPayload)),
  /** Missing before the first enrollment, null when all is sent. */
  backfill: optional(nullable(BackfillPosition)),
})
export type Memory = Infer<typeof Memory>

/**
 * Many devices share a disk, so a state is written when it changed and not at every step: losing a second of simulation does no
 * harm.
 */
export const openMemory = (path: string, fresh: () => Memory) => {
  const read = (): Memory | null => {
    if (!existsSync(path)) return null
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return is(value, Memory) ? value : null
  }
  const memory = read() ?? fresh()
  let changed = true
  const store: Store = {
    get state() {
      return memory.state
    },
    change: (changes) => {
      memory.state = { ...memory.state, ...changes }
      changed = true
    },
  }
  return {
    store,
    get identity() {
      return memory.identity
    },
    set identity(identity: Identity | null) {
      memory.identity = identity
      changed = true
    },
    get keyList() {
      return memory.key_list ?? null
    },
    set keyList(list: KeyListPayload | null) {
      memory.key_list = list
      changed = true
    },
    get backfill() {
      return memory.backfill
    },
    set backfill(position: BackfillPosition | null | undefined) {
      memory.backfill = position
      changed = true
    },
    privateKey: memory.private_key,
    bornMs: memory.born_ms,
    save: () => {
      if (!changed) return
      changed = false
      writeFileSync(`${path}.new`, JSON.stringify(memory), { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
  }
}
export type OpenMemory = ReturnType<typeof openMemory>
