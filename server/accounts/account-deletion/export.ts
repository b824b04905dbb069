import { Readable } from 'node:stream'
import type { AuditFilters } from '../../../contract/accounts/audit'
import { auditEntryToJson } from '../../core/audit/to-json'
import type { Tx } from '../../core/database/tx'
import { listEntriesAfter } from '../audit/repository'
import { exportedParts } from './export.repository'
import { listOwnMemberships } from './repository'

const PAGE = 500

/** What the person did, and what was recorded about their account, in their own log and in those of their organizations. */
async function* listActivity(tx: Tx, userId: string) {
  const done: AuditFilters = { actor_id: userId }
  const suffered: AuditFilters = { target_kind: 'user', target_id: userId }
  const organizations = (await listOwnMemberships(tx, userId)).map(({ id }) => id)
  const logs = [
    { chainId: userId, filter: suffered },
    ...[userId, ...organizations].map((chainId) => ({ chainId, filter: done })),
  ]
  for (const { chainId, filter } of logs) {
    for (let after = 0; ;) {
      const part = { after, until: Number.MAX_SAFE_INTEGER, most: PAGE }
      const rows = await listEntriesAfter(tx, { chainId, projectId: null }, filter, part)
      // The person's own deeds come with the other filter.
      yield* filter === done ? rows : rows.filter(({ actor }) => actor.id !== userId)
      const last = rows.at(-1)
      if (rows.length < PAGE || !last) break
      after = last.sequence
    }
  }
}

async function* parts(tx: Tx, userId: string, now: Date) {
  yield `{"exported_at":${JSON.stringify(now)}`
  for (const [name, read] of Object.entries(exportedParts))
    yield `,\n${JSON.stringify(name)}:${JSON.stringify(await read({ tx, userId, now }))}`
  yield ',\n"activity":['
  let isFirst = true
  for await (const row of listActivity(tx, userId)) {
    const { prev_hash: _, hash: __, ...entry } = auditEntryToJson(row)
    yield `${isFirst ? '' : ','}\n${JSON.stringify(entry)}`
    isFirst = false
  }
  yield ']}\n'
}

/** What is stored about a person as one JSON document, read part by part while it is sent. */
export const exportedAccount = (tx: Tx, userId: string, now: Date): Readable => Readable.from(parts(tx, userId, now))
