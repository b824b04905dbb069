import { and, desc, eq, gt, isNull, isSQLWrapper, lte, type SQLWrapper, sql } from 'drizzle-orm'
import { maxUncoveredDevices } from '../../../contract/fleet/keys'
import type { Tx } from '../../core/database/tx'
import { newRow } from '../../core/database/row'
import { countKeySets, listDevicesWithKeys } from '../keys/repository'
import { devices } from '../schema/devices'
import { keyLists, signingKeys } from '../schema/keys'

export type KeyListRow = typeof keyLists.$inferSelect
export type NewKeyList = Omit<typeof keyLists.$inferInsert, keyof ReturnType<typeof newRow>>

export const findNewestKeyList = async (tx: Tx, projectId: string): Promise<KeyListRow | undefined> => {
  const [row] = await tx.select().from(keyLists).where(eq(keyLists.projectId, projectId)).orderBy(desc(keyLists.counter)).limit(1)
  return row
}

/** The first active devices, by name, that report a counter above this one. */
export const listDevicesAhead = (tx: Tx, projectId: string, counter: number) =>
  tx
    .select({ id: devices.id, name: devices.name, counter: devices.keyListCounter })
    .from(devices)
    .where(
      and(
        eq(devices.projectId, projectId),
        eq(devices.lifecycle, 'active'),
        isNull(devices.deletedAt),
        sql`${devices.keyListCounter} > 0`,
        gt(devices.keyListCounter, counter),
      ),
    )
    .orderBy(sql`lower(${devices.name})`, devices.id)
    .limit(maxUncoveredDevices)

/** A device that reports more than this beyond the newest list is not believed: it could use up all counters. */
export const mostLostLists = 1000

/**
 * The highest counter in use: that of the newest list, or of one that active devices hold and a restored backup has lost. Devices
 * ignore a list whose counter is not above their own.
 */
export const findHighestCounter = async (tx: Tx, projectId: string, newest: KeyListRow | undefined): Promise<number> => {
  const known = newest?.counter ?? 0
  const [row] = await tx
    .select({ counter: devices.keyListCounter })
    .from(devices)
    .where(
      and(
        eq(devices.projectId, projectId),
        eq(devices.lifecycle, 'active'),
        isNull(devices.deletedAt),
        // Written out: a parameter does not tell that the index has these devices.
        sql`${devices.keyListCounter} > 0`,
        gt(devices.keyListCounter, known),
        lte(devices.keyListCounter, known + mostLostLists),
      ),
    )
    .orderBy(desc(devices.keyListCounter))
    .limit(1)
  return Math.max(known, row?.counter ?? 0)
}

/** All lists, without their envelopes. */
export const listKeyLists = (tx: Tx, projectId: string) =>
  tx
    .select({ counter: keyLists.counter, signedBy: keyLists.signedBy, fingerprints: keyLists.fingerprints })
    .from(keyLists)
    .where(eq(keyLists.projectId, projectId))

export const insertKeyList = async (tx: Tx, list: NewKeyList, now: Date): Promise<KeyListRow> => {
  const row = { ...newRow(now), ...list }
  await tx.insert(keyLists).values(row)
  return row
}

/** Locked, so that no key is retired or revoked while a list is published. */
export const lockKeysOfProject = (tx: Tx, projectId: string) =>
  tx.select().from(signingKeys).where(eq(signingKeys.projectId, projectId)).orderBy(signingKeys.id).for('update')

type Holder = { projectId: string; counter: number; fingerprints: readonly string[] }
type HolderValues = { [K in keyof Holder]: Holder[K] | SQLWrapper }

const verifiable = ({ projectId, counter, fingerprints }: HolderValues) =>
  and(
    eq(keyLists.projectId, projectId),
    gt(keyLists.counter, counter),
    sql`${keyLists.signedBy} = any(${isSQLWrapper(fingerprints) ? fingerprints : sql.param(fingerprints)}::text[])`,
  )

/** One row if there is a list above the counter that is signed by one of these keys. */
export const verifiableKeyLists = (tx: Tx, holder: HolderValues) =>
  tx
    .select({ one: sql`1` })
    .from(keyLists)
    .where(verifiable(holder))
    .limit(1)

/** Whether a list above the counter is signed by one of these keys. */
export const isKeyListAvailable = async (tx: Tx, holder: Holder): Promise<boolean> => {
  const [row] = await verifiableKeyLists(tx, holder)
  return row !== undefined
}

/**
 * The newest list above the counter that a device can verify. It skips lists where it can: an older one could bring back a key
 * that a newer one has dropped.
 */
export const findKeyListFor = async (tx: Tx, device: Holder): Promise<KeyListRow | undefined> => {
  const { projectId, counter } = device
  // A device that holds a list trusts exactly the keys of that list, even if its last check-in was before it.
  const [held] = await tx
    .select({ fingerprints: keyLists.fingerprints })
    .from(keyLists)
    .where(and(eq(keyLists.projectId, projectId), eq(keyLists.counter, counter)))
  const fingerprints = held?.fingerprints ?? device.fingerprints
  if (fingerprints.length === 0) return undefined
  const [row] = await tx
    .select()
    .from(keyLists)
    .where(verifiable({ projectId, counter, fingerprints }))
    .orderBy(desc(keyLists.counter))
    .limit(1)
  return row
}

/** The keys that a device reported at its last check-in. */
export const getTrustedKeys = async (tx: Tx, deviceId: string): Promise<string[]> => {
  const [row] = await tx.select({ trustedKeys: devices.trustedKeys }).from(devices).where(eq(devices.id, deviceId))
  return row?.trustedKeys ?? []
}

const isSetOf = (list: KeyListRow | undefined, keys: readonly string[]) =>
  list !== undefined &&
  keys.every((key) => list.fingerprints.includes(key)) &&
  list.fingerprints.every((key) => keys.includes(key))

/** How many active devices trust exactly the keys of a list. */
export const countHolders = async (tx: Tx, projectId: string, list: KeyListRow | undefined) => {
  const sets = await countKeySets(tx, projectId)
  const sum = (some: typeof sets) => some.reduce((total, { n }) => total + n, 0)
  return { total: sum(sets), trusting: sum(sets.filter(({ keys }) => isSetOf(list, keys))) }
}

/** The first active devices, by name, that do not trust exactly the keys of a list. */
export const listNonHolders = async (tx: Tx, list: KeyListRow) => {
  const sets = await countKeySets(tx, list.projectId)
  const others = sets.filter(({ keys }) => !isSetOf(list, keys)).map(({ keys }) => keys)
  return listDevicesWithKeys(tx, list.projectId, others, {
    // Columns of a selected expression have no table name: `project_id` would be that of the list on both sides.
    follows: sql<boolean>`exists (select 1 from ${keyLists} where ${keyLists.projectId} = ${list.projectId}
      and ${keyLists.counter} > ${devices.keyListCounter} and ${keyLists.signedBy} = any(${devices.trustedKeys}))`,
  })
}
