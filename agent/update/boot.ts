import { existsSync, readFileSync } from 'node:fs'
import { enums, type Infer, integer, is, nullable, object } from 'superstruct'
import { makeDirectory, writeAtomically } from '../core/files'
import type { AgentPaths } from './paths'
import { dirname } from 'node:path'

export const bootAttempts = 3
const slots = ['a', 'b'] as const
export type Slot = (typeof slots)[number]

/** The record of a bootloader: which slot is active, which one is on trial, and how many starts it has left. */
export const BootRecord = object({ active: enums(slots), pending: nullable(enums(slots)), attempts_left: integer() })
export type BootRecord = Infer<typeof BootRecord>

export const readBoot = (paths: AgentPaths): BootRecord => {
  if (!existsSync(paths.bootRecord)) return { active: 'a', pending: null, attempts_left: 0 }
  const value: unknown = JSON.parse(readFileSync(paths.bootRecord, 'utf8'))
  if (!is(value, BootRecord)) throw new Error(`${paths.bootRecord} is not a boot record`)
  return value
}

export const writeBoot = (paths: AgentPaths, record: BootRecord): void => {
  makeDirectory(dirname(paths.bootRecord), 0o755)
  writeAtomically(paths.bootRecord, `${JSON.stringify(record)}\n`, 0o644)
}

export const otherSlot = (slot: Slot): Slot => (slot === 'a' ? 'b' : 'a')
