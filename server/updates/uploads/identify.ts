import { and, eq, isNull, or } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { uploads } from '../schema/releases'
import type { Tx } from '../../core/database/tx'
import { refuse } from '../../core/http/refuse'
import type { Identity } from './metadata'

const isOrBecomes = (column: PgColumn, value: string | undefined) =>
  value === undefined ? undefined : or(isNull(column), eq(column, value))

/** Stores once which file an upload is of; 412 for the bytes of another one, which would be mixed with the received ones. */
export const identify = async (tx: Tx, id: string, { sha256, fingerprint }: Identity): Promise<void> => {
  if (sha256 === undefined && fingerprint === undefined) return
  const isOpen = and(eq(uploads.id, id), eq(uploads.state, 'open'))
  const isSame = and(isOpen, isOrBecomes(uploads.sha256, sha256), isOrBecomes(uploads.fingerprint, fingerprint))
  const named = { ...(sha256 !== undefined && { sha256 }), ...(fingerprint !== undefined && { fingerprint }) }
  const [same] = await tx.update(uploads).set(named).where(isSame).returning({ id: uploads.id })
  if (same) return
  const [open] = await tx.select({ id: uploads.id }).from(uploads).where(isOpen)
  // An ended upload is refused, or answered, by the protocol.
  if (open) refuse(412, 'other_content')
}
